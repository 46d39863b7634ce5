// What the core reports while it works: typed structs and the sink that takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/types.hpp"

namespace as2d {

/// Kind of a counted or guarding target call.
enum class CallKind { verify, target_only, guard };

/// Why a call carried candidates or none.
enum class CallReason {
    candidates,      ///< it carried candidates
    none_published,  ///< the root is aligned, nothing is published behind it
    no_match,        ///< the committed text matches no published draft
    producer_none,   ///< the method or the request has no drafter
    budget_zero,     ///< the budget is 0
    at_limit,        ///< the length limit leaves no room for a candidate
    guard,           ///< a call of the margin guard
};

/// Where a committed token came from.
enum class Origin {
    prefill,      ///< the row of the prompt: the first token
    accepted,     ///< an accepted candidate
    correction,   ///< the target's own token after the accepted ones of a verify call
    target_only,  ///< the target's own token of a call without candidates
    guard,        ///< decided by the margin guard
};

/// Names as the protocol writes them ("target-only", "none-published", ...).
std::string_view name_of(CallKind kind);
std::string_view name_of(CallReason reason);
std::string_view name_of(Origin origin);

/// One step of the producer.
struct DraftEvent {
    std::uint32_t epoch = 0;
    std::int32_t step = 0;
    Nanos start = 0, end = 0;
    std::string_view text;  ///< bytes of this step; may be a part of a UTF-8 character
    int drafter_tokens = 0;
    int width = 1;  ///< tokens run through the drafter
    float confidence = 1.0F;
    bool end_of_text = false;
};

/// Tokens that became visible to the target.
struct PublishEvent {
    std::uint32_t epoch = 0;
    Nanos t = 0;
    std::size_t first = 0;  ///< stream index of tokens[0]
    std::span<const Token> tokens;
    std::span<const std::string_view> texts;  ///< bytes of each token (may be a part of a character)
    std::size_t length = 0;                   ///< published length after it
};

/// One target call. Prefill is not a call.
struct CallEvent {
    int index = 0;  ///< counted calls from 0; a guard call has the index of the call it decides for
    CallKind kind = CallKind::verify;
    CallReason reason = CallReason::candidates;
    Nanos start = 0, end = 0;
    int k = 1;  ///< physical width: root + candidates; for a guard call the tokens run
    Token root = kNoToken;
    std::span<const Token> candidates;
    std::span<const Token> choices;  ///< the target's own choices g0..gm; may be empty for guard calls
    std::span<const float> margins;  ///< of the choices, logits
    int accepted = 0;
    std::size_t published = 0;          ///< published length that the call saw
    std::optional<std::size_t> cursor;  ///< stream index of the first candidate, when aligned
};

/// Tokens that became final.
struct CommitEvent {
    Nanos t = 0;
    std::size_t first = 0;            ///< index of tokens[0] in the answer
    std::span<const Token> tokens;    ///< the end token included
    std::span<const Origin> origins;  ///< one a token
    std::string_view text;            ///< whole UTF-8 characters; an incomplete tail is held back
};

struct WarningEvent {
    std::string_view code;     ///< "drafter-failed", "draft-stream-full", ...
    std::string_view message;  ///< one sentence
};

/// Takes events. Called by the target's and the producer's thread; must not block and must copy
/// what it keeps: spans and views are valid during the call only. The default keeps nothing.
class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void on_draft(const DraftEvent& /*event*/) {}
    virtual void on_publish(const PublishEvent& /*event*/) {}
    virtual void on_call(const CallEvent& /*event*/) {}
    virtual void on_commit(const CommitEvent& /*event*/) {}
    virtual void on_warning(const WarningEvent& /*event*/) {}
};

}  // namespace as2d
