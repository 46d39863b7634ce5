#include "checking_sink.hpp"

#include <algorithm>

namespace as2d::test {

void CheckingSink::on_draft(const DraftEvent& event) {
    drafted_[event.epoch] += event.text;
    expect(event.end >= event.start, "a drafter step ends before it starts");
    expect(steps_.empty() || event.start >= steps_.back().end, "two drafter steps at a time");
    steps_.push_back({event.start, event.end, event.epoch, event.width});
    expect(drafted_.rbegin()->first == event.epoch, "an old epoch is drafted");
}

void CheckingSink::on_publish(const PublishEvent& event) {
    expect(event.first == stream_.size(), "published entries are not consecutive");
    expect(event.length == event.first + event.tokens.size(), "published length and tokens differ");
    std::string text;
    for (const Token token : event.tokens) {
        stream_.push_back({token, event.epoch, event.t});
        text += encoder_.bytes(token);
    }
    std::size_t& encoded = encoded_[event.epoch];
    expect(drafted_[event.epoch].compare(encoded, text.size(), text) == 0,
           "published tokens are not the drafted text");
    encoded += text.size();
}

void CheckingSink::on_call(const CallEvent& event) {
    expect(last_end_ < 0 || event.start >= last_end_, "a call starts before the one before it has ended");
    last_end_ = event.end;
    call_log_.push_back({event.start, event.end, event.k, event.accepted, event.reason});
    if (event.kind == CallKind::guard) {
        ++guard_calls_;
        expect(event.index == calls_ - 1 || event.index == calls_, "a guard call has a strange index");
        expect(event.reason == CallReason::guard, "a guard call has another reason");
        return;
    }
    expect(!ended_, "a call behind the end of text");
    expect(event.index == calls_, "calls are not numbered one by one");
    ++calls_;
    reported_accepted_ += event.accepted;
    const auto candidates = static_cast<int>(event.candidates.size());
    expect(event.k == candidates + 1, "k is not root and candidates");
    expect(candidates <= budget_, "a call beyond the budget");
    expect((event.kind == CallKind::verify) == (candidates > 0), "kind and candidates differ");
    expect((event.reason == CallReason::candidates) == (candidates > 0), "reason and candidates differ");
    expect(event.choices.size() == event.candidates.size() + 1, "a choice is missing");
    expect(event.margins.size() == event.choices.size(), "a margin is missing");
    expect(!committed_.empty() && event.root == committed_.back(),
           "the root is not the last committed token");
    for (int i = 0; i < event.accepted; ++i) {
        const auto at = static_cast<std::size_t>(i);
        expect(event.candidates[at] == event.choices[at], "accepted against the target's choice");
    }
    if (candidates == 0) return;
    expect(event.cursor.has_value(), "candidates without a cursor");
    for (std::size_t i = 0; i < event.candidates.size(); ++i) {
        const Entry& entry = stream_.at(*event.cursor + i);
        expect(entry.token == event.candidates[i], "candidates are not the draft behind the cursor");
        expect(entry.published <= event.start, "a candidate from the future");
        expect(entry.epoch == stream_.at(event.published - 1).epoch, "a candidate of an older draft");
    }
    expect(*event.cursor + event.candidates.size() <= event.published,
           "candidates beyond what was published");
}

void CheckingSink::on_commit(const CommitEvent& event) {
    expect(event.first == committed_.size(), "commits are not consecutive");
    expect(event.tokens.size() == event.origins.size(), "an origin is missing");
    expect(!ended_ || event.tokens.empty(), "a token behind the end of text");
    for (const Token token : event.tokens) {
        expect(!ended_, "a token behind the end of text");
        ended_ = ended_ || token == end_token_;
    }
    committed_.insert(committed_.end(), event.tokens.begin(), event.tokens.end());
    origins_.insert(origins_.end(), event.origins.begin(), event.origins.end());
    text_ += event.text;
}

void CheckingSink::finish(const DecodeResult& result) {
    expect(result.counters.broken().empty(), result.counters.broken().c_str());
    expect(committed_ == result.committed, "committed tokens differ from the commit events");
    expect(origins_ == result.origins, "origins differ from the commit events");
    expect(result.margins.size() == result.committed.size(), "a token without a margin");
    expect(result.stop == Stop::no_speech ? result.text.empty() : text_ == result.text, "the text differs");
    expect(calls_ == result.counters.calls, "calls differ from the call events");
    expect(guard_calls_ == result.counters.guard_calls, "guard calls differ from the call events");
    expect(reported_accepted_ == result.counters.accepted, "accepted differ from the call events");
    const auto accepted = std::count(origins_.begin(), origins_.end(), Origin::accepted);
    expect(accepted == result.counters.accepted, "accepted differ from the origins");
    expect(result.counters.tokens == static_cast<int>(committed_.size()), "the token counter differs");
    const double alpha = result.counters.proposed > 0
                             ? static_cast<double>(result.counters.accepted) / result.counters.proposed
                             : 0.0;
    expect(alpha >= 0.0 && alpha <= 1.0, "acceptance is not within 0 and 1");
    check_waiting(result);
}

void CheckingSink::check_waiting(const DecodeResult& result) {
    Nanos before = result.times.first_token;
    Nanos drafted_between = 0;
    for (const Call& call : call_log_) {
        const Nanos waited = call.start - before;
        Nanos drafting = 0;
        for (const Step& step : waited > 0 ? steps_ : std::vector<Step>{})
            drafting += std::max<Nanos>(0, std::min(step.end, call.start) - std::max(step.start, before));
        expect(waits_ != Waits::never || waited == 0, "the target waited");
        expect(waited == drafting, "the target waited for no draft");
        drafted_between += waited;
        before = call.end;
    }
    if (waits_ != Waits::for_drafts || result.stop == Stop::cancelled) return;
    Nanos drafted = 0;
    for (const Step& step : steps_)
        drafted += step.end - step.start;
    expect(drafted == drafted_between, "drafting that took no time of the target");
}

}  // namespace as2d::test
