// How long calls, steps and encoders take on this device. Times do not depend on what is heard or said:
// silence and filler tokens will do.
#pragma once

#include "core/clock.hpp"
#include "engine_mnn/whisper_drafter.hpp"
#include "engine_mnn/whisper_target.hpp"

#include <span>
#include <vector>

namespace as2d::mnn {

/// The audio state of a whole window of silence, or of a window of `seconds`.
AudioState silence(WhisperNetwork& network);
AudioState silence(WhisperNetwork& network, float seconds);

/// Times of target calls with every row answered, in turn over the widths so that drift hits all alike. The
/// target is bound, and its cores are shared or not, as the caller says.
/// @param widths K of the calls
/// @param context tokens in the KV cache before each call
/// @returns nanoseconds [width][repeat]
std::vector<std::vector<Nanos>> measure_target(WhisperTarget& target, std::span<const int> widths,
                                               int context, int repeats, const Clock& clock);

/// Times of drafter steps at one length of its text and of the audio: an encoder that is cut to the audio
/// leaves less to attend to in a short window.
class DrafterTimer {
  public:
    DrafterTimer(WhisperDrafterModel& model, WhisperNetwork& network, AudioState audio, int context);

    /// As measure_target(), with the last row answered.
    std::vector<std::vector<Nanos>> measure(std::span<const int> widths, int repeats, const Clock& clock);

  private:
    WhisperDrafterModel& model_;
    WhisperNetwork& network_;
    AudioState audio_;
    KeyValueCache cache_;
    int context_;
};

struct EncoderTimings {
    std::vector<Nanos> encoder;
    std::vector<Nanos> cross;
};

/// Times of log-mel and encoder, and of the cross-attention keys and values.
EncoderTimings measure_encoder(WhisperNetwork& network, float seconds, int repeats, const Clock& clock);

}  // namespace as2d::mnn
