// A decoding method: what it offers the target at each boundary.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/draft_stream.hpp"
#include "core/events.hpp"
#include "core/text_encoder.hpp"
#include "core/types.hpp"

namespace as2d {

/// How a draft is admitted at the root.
enum class Admission {
    root,  ///< the drafted token at the aligned position must equal the root
    text,  ///< an alignment of the last committed words places the root
};

struct MethodSettings {
    int budget = 4;  ///< most candidates a call may carry, >= 0; K <= budget + 1
    Admission admission = Admission::text;
};

/// What a method works with during one decode. Pointers may be null where nothing is there.
struct MethodContext {
    const TextEncoder& text;
    const DraftStream* stream;  ///< null: no drafter, the run is target-only
    const Clock& clock;
    EventSink& sink;
};

/// What a method sees at a target boundary.
struct Boundary {
    std::span<const Token> committed;  ///< tokens of the answer so far; the last one is the root
    int room;                          ///< candidates that the length limit leaves, >= 0
};

/// What it offers. The loop keeps one and clears it before each call.
struct Proposal {
    std::vector<Token> candidates;
    CallReason reason = CallReason::producer_none;
    std::size_t published = 0;          ///< stream length that was looked at
    std::optional<std::size_t> cursor;  ///< stream index of the first candidate, when aligned
};

/// What the target made of it.
struct Verdict {
    int proposed = 0;
    int accepted = 0;
    std::span<const Token> advanced;  ///< accepted candidates and the new root
};

/// One decode's worth of state; begin() resets it. Never waits for a producer.
class Method {
  public:
    virtual ~Method() = default;
    virtual void begin(const MethodContext& context) = 0;
    virtual void propose(const Boundary& boundary, Proposal& proposal) = 0;
    virtual void verified(const Verdict& /*verdict*/) {}
};

}  // namespace as2d
