// A decoding method: what it offers the target at each boundary.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/assignments.hpp"
#include "core/clock.hpp"
#include "core/draft_stream.hpp"
#include "core/drafter.hpp"
#include "core/events.hpp"
#include "core/producer.hpp"
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
    float confidence = 0.6F;  ///< specasr stops a draft behind a token that the drafter is less sure of
    /// as2d-resync restarts a draft after so many calls in a row without an accepted candidate; 0: at every
    /// rejected candidate.
    int patience = 5;
};

/// Where a method drafts.
enum class Drafting {
    none,       ///< nowhere
    decoupled,  ///< beside the target, hearing nothing from it
    serial,     ///< in the target's time
    coupled,    ///< beside the target, which tells it what to go on from
};

/// How a target's thread waits for the producer beside it.
class ProducerLink {
  public:
    virtual ~ProducerLink() = default;
    /// Returns when `ready()` holds or the producer has ended. `ready`, which holds too once the request is
    /// cancelled, is asked after each of the producer's steps.
    virtual void wait(const std::function<bool()>& ready) = 0;
};

/// What a method works with during one decode. Pointers may be null where nothing is there: without a drafter
/// the run is target-only.
struct MethodContext {
    const TextEncoder& text;
    Token end_token;
    const DraftStream* stream = nullptr;  ///< decoupled, coupled: of the producer beside the target
    ProducerState* producer = nullptr;    ///< the same producer's
    Assignments* assignments = nullptr;   ///< coupled: its inbox
    ProducerLink* link = nullptr;         ///< coupled: to wait for it
    Drafter* drafter = nullptr;           ///< serial: drafts in the target's thread
    const Clock& clock;
    EventSink& sink;
    const std::atomic<bool>& cancelled;  ///< looked at between steps of a serial drafter
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

/// The most candidates that may be offered now; says why when there are none.
std::size_t room_for_candidates(const MethodSettings& settings, const Boundary& boundary, Proposal& proposal);

/// What the target made of it.
struct Verdict {
    int proposed = 0;
    int accepted = 0;
    std::span<const Token> advanced;  ///< accepted candidates and the new root
};

/// One decode's worth of state; begin() resets it. Only methods that draft serially and lookahead cost the
/// target time between its calls.
class Method {
  public:
    virtual ~Method() = default;
    virtual void begin(const MethodContext& context) = 0;
    virtual void propose(const Boundary& boundary, Proposal& proposal) = 0;
    virtual void verified(const Verdict& /*verdict*/) {}
};

}  // namespace as2d
