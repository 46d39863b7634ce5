#include "core/producer.hpp"

#include <algorithm>
#include <exception>

#include "core/utf8.hpp"

namespace as2d {

Producer::Producer(Drafter& drafter, const TextEncoder& encoder, DraftStream& stream, Token end_token,
                   const Clock& clock, EventSink& sink, Assignments* inbox)
    : drafter_(drafter),
      encoder_(encoder),
      stream_(stream),
      end_token_(end_token),
      clock_(clock),
      sink_(sink),
      inbox_(inbox) {}

void ProducerState::cancel() {
    cancelled.store(true, std::memory_order_release);
    work.fetch_add(1, std::memory_order_release);
    work.notify_all();
}

void ProducerState::end() {
    ended.store(true, std::memory_order_release);
    running.store(false, std::memory_order_release);
    wake_target();
}

void ProducerState::wake_target() {
    progress.fetch_add(1, std::memory_order_release);
    progress.notify_all();
}

StepOutcome Producer::step() {
    draft();
    return publish();
}

void Producer::draft() {
    outcome_ = {};
    width_ = 0;
    outcome_.start = clock_.now();
    outcome_.published_from = stream_.published();
    DraftPiece piece;
    try {
        piece = drafter_.step();
    } catch (const std::exception& error) {
        fail("drafter-failed", error.what());
        return;
    } catch (...) {
        fail("drafter-failed", "The drafter failed for an unknown reason.");
        return;
    }
    if (own_history_) own_pieces_.push_back(piece);
    outcome_.drafter_tokens = piece.drafter_tokens;
    outcome_.confidence = piece.confidence;
    outcome_.text = std::move(piece.text);
    width_ = piece.width;
    text_.append(outcome_.text);
    spans_.push_back({text_.size(), piece.confidence});
    end_of_text_ = piece.end_of_text;
    encode_ready();
    if (end_of_text_) {
        append(end_token_, {}, piece.confidence);
    } else if (text_.size() - encoded_ > kMaxUnencoded) {
        fail("draft-without-boundary", "The drafter wrote 4096 bytes without a word boundary and was ended.");
    } else if (steps_ + 1 == kMaxSteps) {
        fail("drafter-endless", "The drafter never came to an end and was ended.");
    }
}

StepOutcome Producer::publish() {
    const std::size_t first = stream_.published();
    outcome_.end = clock_.now();
    stream_.publish(outcome_.end);
    if (at_rest() && !failed_) stream_.mark_rest();
    outcome_.published_to = stream_.published();
    outcome_.done = at_rest();

    sink_.on_draft({stream_.epoch(), steps_, outcome_.start, outcome_.end, outcome_.text,
                    outcome_.drafter_tokens, width_, outcome_.confidence, end_of_text_});
    ++steps_;
    if (outcome_.published_to > first) {
        std::vector<Token> tokens;
        std::vector<std::string_view> texts;
        for (std::size_t i = first; i < outcome_.published_to; ++i) {
            tokens.push_back(stream_[i].token);
            texts.push_back(encoder_.bytes(stream_[i].token));
        }
        sink_.on_publish({stream_.epoch(), outcome_.end, first, tokens, texts, outcome_.published_to});
    }
    return outcome_;
}

void Producer::follow(const Assignment& assignment) {
    epoch_begin_ = stream_.appended();  // nothing of an older draft belongs to this one, failed or not
    if (failed_) return;
    stream_.begin_epoch(assignment.epoch > stream_.epoch() ? assignment.epoch : stream_.epoch() + 1,
                        assignment.base);
    try {
        drafter_.restart(assignment.text);
    } catch (const std::exception& error) {
        fail("drafter-failed", error.what());
    } catch (...) {
        fail("drafter-failed", "The drafter failed for an unknown reason.");
    }
    text_.clear();
    spans_.clear();
    encoded_ = 0;
    limit_ = assignment.limit;
    stop_below_ = assignment.stop_below;
    own_history_ = false;
    end_of_text_ = false;
    limited_ = limit_ == 0;
    if (limited_ && !failed_) stream_.mark_rest();
}

bool Producer::awake() {
    if (inbox_ != nullptr && !failed_) {
        if (const auto assignment = inbox_->take()) follow(*assignment);
    }
    return !at_rest();
}

// Up to the last boundary that more text cannot move; everything when nothing more will be drafted.
void Producer::encode_ready() {
    const std::string_view rest = std::string_view(text_).substr(encoded_);
    const std::size_t whole = utf8_complete_prefix(rest);
    std::size_t ready = end_of_text_ ? whole : encoder_.stable_prefix(rest);
    if (!end_of_text_ && limit_ != Assignment::kUnlimited) {
        const std::size_t there = stream_.appended() - epoch_begin_;
        limited_ = outcome_.confidence < stop_below_ ||
                   there + encoder_.encode(rest.substr(0, whole)).size() >= limit_;
        if (limited_) ready = whole;
    }
    encode_up_to(encoded_ + ready);
}

void Producer::encode_up_to(std::size_t end) {
    if (end == encoded_) return;
    const std::string_view ready = std::string_view(text_).substr(encoded_, end - encoded_);
    auto span = spans_.begin();
    for (const Token token : encoder_.encode(ready)) {
        const std::string_view bytes = encoder_.bytes(token);
        const std::size_t token_end = encoded_ + bytes.size();
        // The steps whose text the token rests on: those that end behind its begin, up to its end.
        while (span + 1 != spans_.end() && span->text_end <= encoded_)
            ++span;
        float confidence = span->confidence;
        for (auto s = span; s->text_end < token_end && s + 1 != spans_.end();) {
            confidence = std::min(confidence, (++s)->confidence);
        }
        append(token, bytes, confidence);
        encoded_ = token_end;
    }
    std::erase_if(spans_, [this](const StepSpan& s) { return s.text_end <= encoded_; });
}

void Producer::append(Token token, std::string_view bytes, float confidence) {
    if (failed_) return;
    DraftEntry entry;
    entry.token = token;
    entry.confidence = confidence;
    entry.step = steps_;
    if (!stream_.append(entry, bytes)) {
        fail("draft-stream-full", "The draft stream is full; the drafter was ended.");
    }
}

void Producer::fail(std::string_view code, std::string_view message) {
    failed_ = true;
    sink_.on_warning({code, message});
}

void run_producer(Producer& producer, ProducerState& state) {
    Assignments* const inbox = producer.inbox();
    while (!state.cancelled.load(std::memory_order_acquire)) {
        const std::uint32_t work = state.work.load(std::memory_order_acquire);
        if (producer.awake()) {
            producer.step();
            state.wake_target();
        } else if (producer.done()) {
            break;
        } else if (inbox->rest(state)) {
            if (!state.cancelled.load(std::memory_order_acquire)) state.work.wait(work);
        }
    }
    if (inbox != nullptr) inbox->close();
    state.end();
}

}  // namespace as2d
