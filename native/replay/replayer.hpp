// Replays recorded windows with the very code that decodes live ones, on virtual clocks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/decode.hpp"
#include "core/method.hpp"
#include "core/text_encoder.hpp"
#include "replay/cost_profile.hpp"
#include "replay/trace.hpp"
#include "replay/trace_drafter.hpp"

namespace as2d::replay {

enum class StartCondition {
    request_start,  ///< drafting starts with the request, at time 0
    pre_drafted,    ///< the drafter has said its own history, and rests, when the request comes
};

/// One way to decode.
struct Arm {
    std::string name;
    std::string method;
    MethodSettings settings;
    StartCondition start_condition = StartCondition::pre_drafted;
};

struct CallSpan {
    Nanos start = 0, end = 0;
    int k = 1;
    int accepted = 0;
    CallReason reason = CallReason::candidates;
    std::size_t published = 0;
    std::optional<std::size_t> cursor;
};

/// What happened when, in the order of the calls' and of the steps' starts; guard calls included.
struct Timeline {
    std::vector<CallSpan> calls;
    std::vector<DraftSpan> drafts;
};

struct ReplayOutcome {
    Counters counters;
    DecodeTimes times;  ///< the request is at 0
    DraftWork draft;    ///< since the request
    int differing = 0;  ///< tokens that are not the recorded answer's, missing and surplus ones included
};

class Replayer {
  public:
    /// `encoder` knows the target's vocabulary and outlives the replayer.
    Replayer(const TextEncoder& encoder, CostProfile profile)
        : encoder_(encoder), profile_(std::move(profile)) {}

    const TextEncoder& encoder() const { return encoder_; }

    /// Decodes one window by one arm; the same arguments always give the same outcome. Throws RequestError
    /// for an arm that the registry refuses.
    /// @param timeline filled in when it is not null
    ReplayOutcome replay(const Arm& arm, const Trace& trace, Timeline* timeline = nullptr) const;

  private:
    const TextEncoder& encoder_;
    CostProfile profile_;
};

}  // namespace as2d::replay
