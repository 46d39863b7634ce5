// When tokens were spoken: dynamic time warping over cross-attention.
#pragma once

#include <span>
#include <vector>

namespace as2d {

/// Softmax weights of a decoder's alignment heads for one teacher-forced text.
struct AttentionWeights {
    std::span<const float> values;  ///< [heads][rows][frames]
    int heads = 0;
    int rows = 0;          ///< tokens run: prompt, text, perhaps the end token
    int frames = 0;        ///< encoder positions, 0.02 s each
    int audio_frames = 0;  ///< those that hold audio rather than padding, 1 .. frames
};

/// The first audio frame of each row `first .. last`, which never goes back. Follows Whisper's word timing
/// (openai/whisper, `timing.py`): weights cut to the audio and normalised again, standardised over the rows,
/// smoothed by a median of 7 frames, averaged over the heads; then the cheapest monotonic path.
/// @param first, last rows to place, 0 <= first <= last < rows
/// @returns one frame for each row, and `audio_frames` behind the last
std::vector<int> row_frames(const AttentionWeights& weights, int first, int last);

}  // namespace as2d
