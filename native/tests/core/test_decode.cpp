// The decode loop's rules, one by one.
#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

/// An answer of `length` different words, a perfect draft that is there before the request.
Scenario plain(int length, int budget = 4) {
    Scenario s;
    s.words = 500;
    s.target.prompt_length = 3;
    for (Token token = 0; token < length; ++token)
        s.target.answer.push_back(token * 2 + 1);
    s.target.end = rules_of(s).end;
    s.target.vocabulary = s.words;
    s.settings.budget = budget;
    const ScriptedEncoder encoder(s.words);
    std::string text;
    for (const Token token : s.target.answer)
        text += encoder.bytes(token);
    s.drafter.pieces = {{text, 1.0F, 1}};
    s.head_start = 1000;
    return s;
}

/// Keeps the calls it is told of.
class CallLog final : public EventSink {
  public:
    void on_call(const CallEvent& event) override {
        reasons.push_back(event.reason);
        kinds.push_back(event.kind);
        widths.push_back(event.k);
    }
    void on_warning(const WarningEvent& event) override { warnings.emplace_back(event.code); }
    std::vector<CallReason> reasons;
    std::vector<CallKind> kinds;
    std::vector<int> widths;
    std::vector<std::string> warnings;
};

/// A decode of a scenario's target with a stream that is given as tokens.
struct Bench {
    explicit Bench(const Scenario& scenario)
        : rules(rules_of(scenario)),
          encoder(scenario.words),
          target(scenario.target),
          settings(scenario.settings) {}

    void publish(const std::vector<Token>& tokens) {
        for (const Token token : tokens) {
            DraftEntry entry;
            entry.token = token;
            REQUIRE(stream.append(entry, encoder.bytes(token)));
        }
        stream.publish(clock.now());
    }
    DecodeResult decode_with(const std::string& name) {
        const auto method = make_method(name, settings);
        return decode_with(*method);
    }
    DecodeResult decode_with(Method& method) {
        return decode({target, rules, encoder, method, clock, log, &stream, &producer}, {"en", "transcribe"},
                      cancelled);
    }

    TargetRules rules;
    ScriptedEncoder encoder;
    ScriptedTarget target;
    MethodSettings settings;
    DraftStream stream;
    ProducerState producer;
    VirtualClock clock;
    CallLog log;
    std::atomic<bool> cancelled{false};
};

}  // namespace

TEST_CASE("target-only takes one call a token and needs no drafter") {
    const Scenario scenario = plain(10);
    const Outcome outcome = run(scenario, "target-only");
    const DecodeResult& result = outcome.result;
    CHECK(result.tokens == scenario.target.answer);
    CHECK(result.committed.back() == scenario.target.end);
    CHECK(result.stop == Stop::end_of_text);
    CHECK(result.counters.tokens == 11);
    CHECK(result.counters.calls == 10);
    CHECK(result.counters.hits == 0);
    CHECK(result.origins.front() == Origin::prefill);
    CHECK(result.origins.back() == Origin::target_only);
    CHECK(result.times.first_token - result.times.prefill_start == 7 + 2);  // a call of three prompt tokens
    CHECK(result.times.end - result.times.first_token == 10 * 7);
}

TEST_CASE("an accepted end of text ends the run, and what is behind it is not counted") {
    Bench bench(plain(6, 7));
    std::vector<Token> draft = plain(6).target.answer;
    draft.push_back(bench.rules.end);
    draft.insert(draft.end(), {2, 4, 6});  // behind the end
    bench.publish(draft);
    const DecodeResult result = bench.decode_with("as2d");
    CHECK(result.tokens == plain(6).target.answer);
    CHECK(result.counters.calls == 1);
    CHECK(result.counters.proposed == 6);  // five words and the end
    CHECK(result.counters.accepted == 6);
    CHECK(result.counters.end_accepted);
    CHECK(result.counters.tokens == 7);
    CHECK(result.origins.back() == Origin::accepted);
}

TEST_CASE("the length limit cuts candidates and ends the run exactly there") {
    for (int limit = 1; limit <= 12; ++limit) {
        Scenario scenario = plain(30, 4);
        scenario.token_limit = limit;
        const Outcome outcome = run(scenario, "as2d");
        CHECK(static_cast<int>(outcome.result.committed.size()) == limit);
        CHECK(outcome.result.stop == Stop::length_limit);
        CHECK(outcome.broken == std::vector<std::string>{});
    }
}

TEST_CASE("the last call before the length limit says why it has no candidates") {
    Scenario scenario = plain(30, 4);
    Bench bench(scenario);
    bench.rules.token_limit = 7;  // prefill, a call of five, then room for one token
    bench.publish(scenario.target.answer);
    CHECK(bench.decode_with("as2d").committed.size() == 7);
    CHECK(bench.log.reasons == std::vector{CallReason::candidates, CallReason::at_limit});
}

TEST_CASE("every call says why it had candidates or none") {
    const Scenario scenario = plain(8, 3);
    SUBCASE("nothing published") {
        Bench bench(scenario);
        bench.decode_with("as2d");
        for (const CallReason reason : bench.log.reasons)
            CHECK(reason == CallReason::none_published);
    }
    SUBCASE("the draft ends before the answer") {
        Bench bench(scenario);
        bench.publish({scenario.target.answer.begin(), scenario.target.answer.begin() + 4});
        bench.decode_with("as2d");
        CHECK(bench.log.reasons[0] == CallReason::candidates);
        for (std::size_t i = 1; i < bench.log.reasons.size(); ++i) {
            CHECK(bench.log.reasons[i] == CallReason::none_published);
        }
    }
    SUBCASE("a draft of something else") {
        Bench bench(scenario);
        bench.settings.admission = Admission::root;
        bench.publish({400, 402, 404, 406, 408, 410, 412, 414, 416});
        bench.decode_with("as2d");
        for (const CallReason reason : bench.log.reasons)
            CHECK(reason == CallReason::no_match);
    }
    SUBCASE("no budget") {
        Bench bench(scenario);
        bench.settings.budget = 0;
        bench.publish(scenario.target.answer);
        bench.decode_with("as2d");
        for (const CallReason reason : bench.log.reasons)
            CHECK(reason == CallReason::budget_zero);
    }
    SUBCASE("target-only") {
        Bench bench(scenario);
        bench.publish(scenario.target.answer);
        bench.decode_with("target-only");
        for (const CallReason reason : bench.log.reasons)
            CHECK(reason == CallReason::producer_none);
    }
}

TEST_CASE("no speech: a doubtful text with a sure no-speech probe is dropped") {
    Scenario scenario = plain(10);
    scenario.no_speech_rule = true;
    scenario.target.log_prob = -1.5F;
    scenario.target.no_speech_prob = 0.61F;
    const DecodeResult dropped = run(scenario, "as2d").result;
    CHECK(dropped.stop == Stop::no_speech);
    CHECK(dropped.tokens.empty());
    CHECK(dropped.text.empty());
    CHECK(dropped.mean_log_prob == doctest::Approx(-1.5F));
    scenario.target.no_speech_prob = 0.6F;
    CHECK(run(scenario, "as2d").result.tokens == scenario.target.answer);
    scenario.target.no_speech_prob = 0.9F;
    scenario.target.log_prob = -0.9F;
    CHECK(run(scenario, "as2d").result.tokens == scenario.target.answer);
}

TEST_CASE("cores are shared behind prefill while the producer runs, and given back when it has ended") {
    Scenario scenario = plain(30);
    scenario.head_start = 0;
    scenario.drafter.pieces.front().cost = 60;
    const std::vector<bool> shares = run(scenario, "as2d").shares;
    CHECK(shares == std::vector{false, true, false});
    CHECK(run(scenario, "target-only").shares == std::vector{false});
}

TEST_CASE("cancelling ends the run before the next call") {
    Scenario scenario = plain(50, 4);
    scenario.target.logit_gap = 0.05F;
    scenario.target.near_tie_share = 0.2F;
    VirtualClock clock;
    for (int stop_at = 0; stop_at < 60; ++stop_at) {
        Bench bench(scenario);
        bench.target = ScriptedTarget(scenario.target, &bench.clock);
        bench.publish(scenario.target.answer);
        int ended = 0;
        bench.target.set_hook([&](Nanos /*end*/) { bench.cancelled = ++ended > stop_at; });
        const DecodeResult whole = run(scenario, "target-only").result;
        const DecodeResult result = bench.decode_with("as2d");
        CHECK(result.counters.broken() == "");
        if (result.stop == Stop::cancelled) {
            CHECK(bench.target.calls() == stop_at + 1);
        } else {
            CHECK(bench.target.calls() <= stop_at + 1);
        }
        // What was committed is the beginning of the answer.
        REQUIRE(result.committed.size() <= whole.committed.size());
        CHECK(std::equal(result.committed.begin(), result.committed.end(), whole.committed.begin()));
    }
}

TEST_CASE("a run that is cancelled before it starts calls nothing") {
    Bench bench(plain(5));
    bench.cancelled = true;
    const DecodeResult result = bench.decode_with("as2d");
    CHECK(result.stop == Stop::cancelled);
    CHECK(result.committed.empty());
    CHECK(bench.target.calls() == 0);
    CHECK(result.counters.broken() == "");
}

TEST_CASE("an engine that fails is the caller's to hear") {
    for (int at = 0; at < 4; ++at) {
        Bench bench(plain(5, 0));
        bench.target.fail_at(at);
        CHECK_THROWS_AS(bench.decode_with("as2d"), EngineError);
    }
}

TEST_CASE("a method that throws costs a warning, not the answer, wherever it throws") {
    class Failing final : public Method {
      public:
        explicit Failing(int where) : where_(where) {}
        void begin(const MethodContext& /*context*/) override { fail_at(0); }
        void propose(const Boundary& /*boundary*/, Proposal& proposal) override {
            proposal.candidates = {1, 2, 3};
            proposal.reason = CallReason::candidates;
            fail_at(1);
        }
        void verified(const Verdict& /*verdict*/) override { fail_at(2); }

      private:
        void fail_at(int place) const {
            if (place == where_) throw EngineError("The drafter died.");
        }
        int where_;
    };
    for (const int where : {0, 1, 2}) {
        CAPTURE(where);
        Bench bench(plain(5));
        Failing failing(where);
        const DecodeResult result = bench.decode_with(failing);
        CHECK(result.tokens == plain(5).target.answer);
        CHECK(bench.log.warnings == std::vector<std::string>{"method-failed"});
        CHECK(result.counters.hits == (where == 2 ? 1 : 0));
    }
}

TEST_CASE("a decode starts from an empty cache, whatever was in it") {
    Bench bench(plain(5));
    const std::vector<Token> junk{1, 2, 3, 4};
    bench.target.forward(junk, {}, {});
    CHECK(bench.decode_with("target-only").tokens == plain(5).target.answer);
    CHECK(bench.decode_with("target-only").tokens == plain(5).target.answer);
}

TEST_CASE("text is committed in whole characters") {
    Scenario scenario = plain(0);
    const int byte = scenario.words;  // the first byte token
    scenario.target.answer = {byte + 0xE6, byte + 0x88, byte + 0x91, byte + 0xFF, byte + 'x', byte + 0xE6};
    std::vector<std::string> texts;
    class Texts final : public EventSink {
      public:
        explicit Texts(std::vector<std::string>& out) : out_(out) {}
        void on_commit(const CommitEvent& event) override { out_.emplace_back(event.text); }

      private:
        std::vector<std::string>& out_;
    } sink(texts);
    Bench bench(scenario);
    const auto method = make_method("target-only", {});
    const DecodeResult result = decode({bench.target, bench.rules, bench.encoder, *method, bench.clock, sink},
                                       {"en", "transcribe"}, bench.cancelled);
    CHECK(texts == std::vector<std::string>{"", "", "\u6211", "\uFFFD", "x", "", "\uFFFD"});
    CHECK(result.text == "\u6211\uFFFDx\uFFFD");
}

TEST_CASE("compare counts every position that differs") {
    DecodeResult reference;
    reference.committed = {1, 2, 3, 4};
    reference.margins = {9.0F, 0.5F, 9.0F, 9.0F};
    DecodeResult other = reference;
    CHECK(compare(reference, other).differing == 0);
    CHECK(compare(reference, other).first == -1);
    other.committed = {1, 7, 3};
    const Difference difference = compare(reference, other);
    CHECK(difference.tokens == 4);
    CHECK(difference.differing == 2);
    CHECK(difference.first == 1);
    CHECK(difference.margin == doctest::Approx(0.5F));
    other.committed = {1, 2, 3, 4, 5};
    CHECK(compare(reference, other).differing == 1);
    CHECK(compare(reference, other).first == 4);
    other = reference;
    other.stop = Stop::no_speech;
    CHECK(compare(reference, other).differing == 4);
    CHECK(compare(reference, other).first == 0);
    CHECK(compare(other, other).differing == 0);
}
