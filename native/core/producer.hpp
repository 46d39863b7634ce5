// The producer: a step object that turns a drafter's text into published target tokens.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/draft_stream.hpp"
#include "core/drafter.hpp"
#include "core/events.hpp"
#include "core/text_encoder.hpp"

namespace as2d {

/// Shared between the thread that runs a producer and the target's.
struct ProducerState {
    std::atomic<bool> running{false};    ///< set by whoever starts it, cleared when it has ended
    std::atomic<bool> cancelled{false};  ///< asks it to end; it does within one of its own steps
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

/// Follows only its drafter: never reads the target's state. Text is re-encoded into target tokens
/// and published up to the last boundary that more text cannot move; at the drafter's end of text
/// the rest is published, then the target's end token as a last candidate. A drafter that throws
/// ends the producer with a warning (text that is not published by then is dropped).
class Producer {
  public:
    Producer(Drafter& drafter, const TextEncoder& encoder, DraftStream& stream, Token end_token,
             const Clock& clock, EventSink& sink);

    /// One unit of drafting: draft() and publish(). Not called when done().
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

    bool done() const { return done_; }
    /// False when the drafter failed or the stream was full.
    bool ended_well() const { return done_ && !failed_; }
    /// Whole text drafted so far.
    const std::string& text() const { return text_; }

  private:
    struct StepSpan {
        std::size_t text_end;  ///< bytes of text_ when the step was done
        float confidence;
    };

    void encode_up_to(std::size_t end);
    void append(Token token, std::string_view bytes, float confidence);
    void fail(std::string_view code, std::string_view message);

    Drafter& drafter_;
    const TextEncoder& encoder_;
    DraftStream& stream_;
    Token end_token_;
    const Clock& clock_;
    EventSink& sink_;
    std::string text_;
    std::size_t encoded_ = 0;      ///< bytes of text_ that are tokens of the stream
    std::vector<StepSpan> spans_;  ///< of the steps that reach behind encoded_
    std::int32_t steps_ = 0;
    StepOutcome outcome_;
    bool end_of_text_ = false;
    bool failed_ = false;
    bool done_ = false;
};

/// Runs a producer to its end or until state.cancelled, then clears state.running. For a thread.
void run_producer(Producer& producer, ProducerState& state);

}  // namespace as2d
