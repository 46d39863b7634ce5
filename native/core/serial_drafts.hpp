// Drafting in the target's time, from the verified text or on the drafter's own history.
#pragma once

#include <cstddef>

#include "core/answer_text.hpp"
#include "core/draft_stream.hpp"
#include "core/method.hpp"
#include "core/producer.hpp"

namespace as2d {

/// A producer that works in the target's thread while the target waits; its steps end when the request is
/// cancelled.
class SerialDrafts {
  public:
    /// `context.drafter` is not null.
    explicit SerialDrafts(const MethodContext& context);

    const DraftStream& stream() const { return stream_; }

    /// Drafts from the verified text: `count` >= 1 target tokens, fewer at the drafter's end of text or
    /// behind a step that is less sure than `stop_below`. Offers them.
    void draft(const Boundary& boundary, std::size_t count, float stop_below, Proposal& proposal);

    /// Publishes what was said before the request.
    void say_again();

    /// Drafts on until `length` tokens are published or the drafter has ended. False when nothing was
    /// drafted.
    bool draft_on(std::size_t length);

  private:
    bool goes_on() const { return !producer_.at_rest() && !cancelled_.load(std::memory_order_acquire); }

    DraftStream stream_;
    Drafter& drafter_;
    Producer producer_;
    AnswerText answer_;
    const std::atomic<bool>& cancelled_;
};

}  // namespace as2d
