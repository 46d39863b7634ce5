// The producer: a step object that turns a drafter's text into published target tokens.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/assignments.hpp"
#include "core/clock.hpp"
#include "core/draft_stream.hpp"
#include "core/drafter.hpp"
#include "core/events.hpp"
#include "core/text_encoder.hpp"

namespace as2d {

/// Shared between the thread that runs a producer and the target's.
struct ProducerState {
    std::atomic<bool> running{false};        ///< it computes; set by whoever starts it or gives it work
    std::atomic<bool> cancelled{false};      ///< asks it to end; it does within one of its own steps
    std::atomic<bool> ended{false};          ///< nothing more will come
    std::atomic<std::uint32_t> progress{0};  ///< raised by wake_target()
    std::atomic<std::uint32_t> work{0};      ///< raised when there is an assignment or a cancellation

    /// Asks the producer to end.
    void cancel();
    /// Says that it has ended.
    void end();
    /// A target that waits for the producer looks again: there was a step, this is its end, or the request
    /// was cancelled.
    void wake_target();
};

/// What a step did.
struct StepOutcome {
    Nanos start = 0, end = 0;
    int drafter_tokens = 0;
    std::size_t published_from = 0, published_to = 0;  ///< stream indices that became visible
    bool done = false;
    std::string text;  ///< bytes the drafter appended
    float confidence = 1.0F;
};

/// Follows only its drafter, and the text that it was told to go on from. Text is re-encoded into target
/// tokens and published up to the last boundary that more text cannot move; at the drafter's end of text the
/// rest is published, then the target's end token as a last candidate; at the limit of an assignment, the
/// rest without it. A drafter that throws ends the producer with a warning (text that is not published by
/// then is dropped).
class Producer {
  public:
    /// @param inbox where a producer beside its target hears what to go on from; null: it goes on by itself
    Producer(Drafter& drafter, const TextEncoder& encoder, DraftStream& stream, Token end_token,
             const Clock& clock, EventSink& sink, Assignments* inbox = nullptr);

    /// One unit of drafting: draft() and publish(). Not called when at_rest().
    StepOutcome step();

    /// Bounds for a drafter that never ends or never comes to a boundary; passing one ends it with a
    /// warning.
    static constexpr std::int32_t kMaxSteps = 1 << 20;
    static constexpr std::size_t kMaxUnencoded = 4096;  // bytes

    /// The first half: one drafter step, its tokens appended but not yet visible. An event loop on a
    /// virtual clock calls the halves at the step's start and end.
    void draft();
    /// The second half: makes the tokens visible and reports the step.
    StepOutcome publish();

    /// Drafts from another text, in a new epoch; between steps.
    void follow(const Assignment& assignment);

    /// Takes the newest assignment of the inbox, if there is one. Then: whether there is something to draft.
    bool awake();

    /// Its end of text or its limit is reached, or it failed: it drafts no more until it follows another
    /// text.
    bool at_rest() const { return failed_ || end_of_text_ || limited_; }
    /// Nothing more will ever come.
    bool done() const { return failed_ || (inbox_ == nullptr && at_rest()); }
    /// Text drafted in this epoch.
    const std::string& text() const { return text_; }
    /// Stream index of the epoch's first entry.
    std::size_t epoch_begin() const { return epoch_begin_; }
    /// What the drafter said on its own history, step by step.
    const std::vector<DraftPiece>& own_pieces() const { return own_pieces_; }
    Assignments* inbox() const { return inbox_; }

  private:
    struct StepSpan {
        std::size_t text_end;  ///< bytes of text_ when the step was done
        float confidence;
    };

    void encode_ready();
    void encode_up_to(std::size_t end);
    void append(Token token, std::string_view bytes, float confidence);
    void fail(std::string_view code, std::string_view message);

    Drafter& drafter_;
    const TextEncoder& encoder_;
    DraftStream& stream_;
    Token end_token_;
    const Clock& clock_;
    EventSink& sink_;
    Assignments* inbox_;
    std::string text_;
    std::size_t encoded_ = 0;      ///< bytes of text_ that are tokens of the stream
    std::vector<StepSpan> spans_;  ///< of the steps that reach behind encoded_
    std::int32_t steps_ = 0;
    std::size_t epoch_begin_ = 0;
    std::size_t limit_ = Assignment::kUnlimited;
    float stop_below_ = 0.0F;
    std::vector<DraftPiece> own_pieces_;
    StepOutcome outcome_;
    int width_ = 0;  // of the step that is being drafted
    bool own_history_ = true;
    bool end_of_text_ = false;
    bool limited_ = false;
    bool failed_ = false;
};

/// Runs a producer to its end or until state.cancelled, then clears state.running; while one with an inbox
/// has nothing to draft it sleeps. For a thread.
void run_producer(Producer& producer, ProducerState& state);

}  // namespace as2d
