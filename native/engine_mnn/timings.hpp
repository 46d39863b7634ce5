// How long calls, steps and encoders take on this device. Times do not depend on what is heard or said:
// silence and filler tokens will do.
#pragma once

#include "core/clock.hpp"
#include "engine_mnn/whisper_drafter.hpp"
#include "engine_mnn/whisper_target.hpp"

#include <array>
#include <span>
#include <vector>

namespace as2d::mnn {

/// The audio state of a whole window of silence, or of a window of `seconds`.
AudioState silence(WhisperNetwork& network);
AudioState silence(WhisperNetwork& network, float seconds);

/// Nanoseconds [width][repeat].
using WidthTimes = std::vector<std::vector<Nanos>>;

/// Times of target calls at one length of its text. A target that is bound to audio, and whose cores are
/// shared or not, stays so as long as this lives.
class TargetTimer {
  public:
    /// @param context tokens in the KV cache before each call
    TargetTimer(WhisperTarget& target, int context);

    /// One call of `width` tokens with every row answered, undone behind it. Returns what it took.
    Nanos call(std::size_t width, const Clock& clock);

    /// Calls back to back, in turn over the widths K so that drift hits all alike.
    WidthTimes measure(std::span<const int> widths, int repeats, const Clock& clock);

  private:
    WhisperTarget& target_;
    std::vector<Token> tokens_;
    std::vector<RowQuery> queries_;
    std::vector<Row> rows_;
    int context_;
};

/// Times of drafter steps at one length of its text and of the audio: an encoder that is cut to the audio
/// leaves less to attend to in a short window.
class DrafterTimer {
  public:
    DrafterTimer(WhisperDrafterModel& model, WhisperNetwork& network, AudioState audio, int context);

    /// One step of `width` tokens with the last row answered, behind the steps before. Returns what it took.
    Nanos step(std::size_t width, const Clock& clock);
    /// Undoes the steps.
    void rewind() { cache_.truncate(context_); }

    /// As TargetTimer::measure().
    WidthTimes measure(std::span<const int> widths, int repeats, const Clock& clock);

  private:
    WhisperDrafterModel& model_;
    WhisperNetwork& network_;
    AudioState audio_;
    KeyValueCache cache_;
    std::vector<Token> tokens_;
    int context_;
};

/// A call of the target and the drafter's steps behind it, and what they took in each repeat.
struct Turn {
    int k = 1;      ///< tokens of the call
    int width = 1;  ///< tokens of the first step; the others run one
    std::vector<Nanos> call;
    std::array<std::vector<Nanos>, 4> steps;  ///< the first behind the call, the second ...: a usual draft
};

/// Times of a target and a drafter that take turns, as where a method drafts while the target waits: each
/// finds the caches full of the other's weights. The times are filled in.
void measure_turns(TargetTimer& target, DrafterTimer& drafter, std::span<Turn> turns, int repeats,
                   const Clock& clock);

struct EncoderTimings {
    std::vector<Nanos> encoder;
    std::vector<Nanos> cross;
};

/// Times of log-mel and encoder, and of the cross-attention keys and values.
EncoderTimings measure_encoder(WhisperNetwork& network, float seconds, int repeats, const Clock& clock);

}  // namespace as2d::mnn
