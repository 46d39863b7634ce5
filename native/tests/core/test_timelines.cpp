// Small runs whose every moment is worked out by hand: when the target waits, and for what.
//
// One word is one token. A drafter's step says one word in 10; the step after it was told what to go on from
// takes 3 more (prefix catch-up). A call of the target takes 20 and 1 more for each candidate, its prefill of
// three tokens 22. A word is published when the next one has begun, or when nothing more is drafted.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

constexpr Nanos kPrefill = 22;

/// An answer of `words` different words and a drafter that says `draft`, one word a step.
Scenario timed(int words, const std::vector<Token>& draft, int budget) {
    Scenario s;
    s.words = 500;
    s.target.prompt_length = 3;
    for (Token token = 0; token < words; ++token)
        s.target.answer.push_back(10 + token);
    s.target.end = rules_of(s).end;
    s.target.vocabulary = s.words;
    s.scalar_cost = 20;
    s.candidate_cost = 1;
    s.settings.budget = budget;
    s.settings.confidence = 0.4F;
    s.settings.patience = 1;
    const ScriptedEncoder encoder(s.words);
    for (const Token token : draft)
        s.drafter.pieces.push_back({std::string(encoder.bytes(token)), 1.0F, 10});
    s.drafter.end_cost = 10;
    s.drafter.catch_up_cost = 3;
    return s;
}

std::vector<Token> words(int from, int to) {
    std::vector<Token> tokens;
    for (Token token = from; token < to; ++token)
        tokens.push_back(10 + token);
    return tokens;
}

/// What is expected of one call: the gap before it, its candidates and how many were accepted.
struct Call {
    Nanos waited;
    int candidates;
    int accepted;
    bool operator==(const Call&) const = default;
};

doctest::String toString(const std::vector<Call>& calls) {
    std::ostringstream text;
    for (const Call& call : calls)
        text << "{" << call.waited << ", " << call.candidates << ", " << call.accepted << "} ";
    return text.str().c_str();
}

std::vector<Call> calls_of(const Outcome& outcome) {
    CHECK(outcome.broken == std::vector<std::string>{});
    std::vector<Call> calls;
    Nanos before = outcome.result.times.first_token;
    for (const CheckingSink::Call& call : outcome.calls) {
        calls.push_back({call.start - before, call.k - 1, call.accepted});
        before = call.end;
    }
    return calls;
}

std::vector<Nanos> starts_of(const Outcome& outcome) {
    std::vector<Nanos> starts;
    for (const CheckingSink::Step& step : outcome.drafts)
        starts.push_back(step.start);
    return starts;
}

/// One wrong word at the place of word `at`.
std::vector<Token> wrong_at(int at, int count) {
    std::vector<Token> draft = words(0, count);
    draft[static_cast<std::size_t>(at)] = 1;
    return draft;
}

}  // namespace

TEST_CASE("sd waits for every draft, each of the whole budget and begun at the verified text") {
    const Outcome right = run(timed(4, words(0, 4), 2), "sd");
    // Two steps and the catch-up: words 1 and 2; then the end of text alone.
    CHECK(calls_of(right) == std::vector<Call>{{23, 2, 2}, {13, 1, 1}});
    CHECK(right.result.times.end == kPrefill + 23 + 22 + 13 + 21);
    CHECK(starts_of(right) == std::vector<Nanos>{22, 35, 67});
    const Outcome wrong = run(timed(4, wrong_at(1, 4), 2), "sd");
    CHECK(calls_of(wrong) == std::vector<Call>{{23, 2, 0}, {23, 2, 2}});
    CHECK(wrong.result.times.end == kPrefill + 2 * (23 + 22));
}

TEST_CASE("sd drafts no more than the length limit leaves room for") {
    Scenario scenario = timed(12, words(0, 12), 4);
    scenario.token_limit = 8;  // 1 by prefill, 5 by the first call; 1 and its root by the second
    CHECK(calls_of(run(scenario, "sd")) == std::vector<Call>{{43, 4, 4}, {13, 1, 1}});
    CHECK(run(scenario, "sd").result.stop == Stop::length_limit);
}

TEST_CASE("specasr ends a draft behind the first word it is unsure of, which is still a candidate") {
    Scenario scenario = timed(6, words(0, 6), 4);
    scenario.drafter.pieces[2].confidence = 0.39F;
    scenario.drafter.pieces[4].confidence = 0.4F;
    CHECK(calls_of(run(scenario, "specasr")) == std::vector<Call>{{23, 2, 2}, {33, 3, 3}});
    scenario.settings.confidence = 0.0F;
    CHECK(calls_of(run(scenario, "specasr")) == std::vector<Call>{{43, 4, 4}, {13, 1, 1}});
}

TEST_CASE("specasr offers the rest of a rejected draft again, and drafts when it is used up") {
    const Scenario scenario = timed(6, wrong_at(1, 6), 3);
    CHECK(calls_of(run(scenario, "specasr")) == std::vector<Call>{{33, 3, 0}, {0, 2, 2}, {23, 2, 2}});
}

TEST_CASE("without-td reuses as as2d does, and waits for new drafts from the verified text") {
    Scenario scenario = timed(4, wrong_at(1, 4), 2);
    const Outcome text = run(scenario, "without-td");
    CHECK(calls_of(text) == std::vector<Call>{{23, 2, 0}, {0, 1, 1}, {13, 1, 1}});
    CHECK(text.result.times.end == 122);
    scenario.settings.admission = Admission::root;
    CHECK(calls_of(run(scenario, "without-td")) == std::vector<Call>{{23, 2, 0}, {23, 2, 2}});
}

TEST_CASE("as2d-serial waits for the drafter's own words as far as the budget needs them") {
    Scenario scenario = timed(4, wrong_at(1, 4), 2);
    const Outcome text = run(scenario, "as2d-serial");
    // Four steps publish three words: the root and two candidates; the end of text publishes the fourth.
    CHECK(calls_of(text) == std::vector<Call>{{40, 2, 0}, {10, 2, 2}});
    CHECK(text.result.times.end == 116);
    scenario.settings.admission = Admission::root;
    CHECK(calls_of(run(scenario, "as2d-serial")) == std::vector<Call>{{40, 2, 0}, {10, 0, 0}, {0, 2, 2}});
}

TEST_CASE("as2d verifies what is there at each boundary") {
    const Outcome outcome = run(timed(7, words(0, 7), 2), "as2d");
    // Published: word n at 20 + 10 n, the last one and the end of text at 80.
    CHECK(calls_of(outcome) == std::vector<Call>{{0, 0, 0}, {0, 1, 1}, {0, 1, 1}, {0, 2, 2}});
    CHECK(outcome.result.times.end == kPrefill + 20 + 21 + 21 + 22);
}

TEST_CASE("lookahead waits for the first draft, and for the unfinished rest of right ones") {
    const Outcome outcome = run(timed(9, words(0, 9), 2), "lookahead");
    // The step at work when the first assignment comes ends at 30; then words 1 and 2, until 53. While they
    // are verified words 3 to 5 are drafted, until 86: word 3 is the assumed root. So it goes on.
    CHECK(calls_of(outcome) == std::vector<Call>{{31, 2, 2}, {11, 2, 2}, {11, 2, 2}});
    CHECK(starts_of(outcome) == std::vector<Nanos>{0, 10, 20, 30, 43, 53, 66, 76, 86, 99, 109, 119});
    CHECK(outcome.result.times.end == 141);
}

TEST_CASE("lookahead throws away what went on from a wrong assumption, and waits for a new draft") {
    SUBCASE("another root than the drafter's") {
        // Word 3 is known to be wrong when word 4 has begun, at 76; words 4 and 5 follow until 99.
        const Outcome outcome = run(timed(7, wrong_at(3, 7), 2), "lookahead");
        CHECK(calls_of(outcome) == std::vector<Call>{{31, 2, 2}, {24, 2, 2}, {1, 1, 1}});
        CHECK(starts_of(outcome) == std::vector<Nanos>{0, 10, 20, 30, 43, 53, 66, 76, 89, 99, 112});
    }
    SUBCASE("a rejected candidate") {
        // The call ends at 75 and rejects word 2; the step at work ends at 76; words 3 and 4 until 99.
        const Outcome outcome = run(timed(6, wrong_at(2, 6), 2), "lookahead");
        CHECK(calls_of(outcome) == std::vector<Call>{{31, 2, 1}, {24, 2, 2}, {1, 1, 1}});
    }
    SUBCASE("nothing is assumed behind an end of text") {
        // The draft ends two words early, is told to go on, and ends again: no step while a call verifies it.
        const Outcome outcome = run(timed(5, words(0, 3), 2), "lookahead");
        CHECK(calls_of(outcome) == std::vector<Call>{{31, 2, 2}, {13, 1, 0}, {13, 1, 1}});
        CHECK(starts_of(outcome) == std::vector<Nanos>{0, 10, 20, 30, 43, 53, 75, 109});
    }
}

TEST_CASE("lookahead drafts no further than the length limit") {
    Scenario scenario = timed(12, words(0, 12), 4);
    scenario.token_limit = 8;
    // Words 1 to 4 until 73, verified until 97; of words 5, 6 ... only the root and one candidate are needed:
    // word 6 is there when word 7 has begun, at 106.
    CHECK(calls_of(run(scenario, "lookahead")) == std::vector<Call>{{51, 4, 4}, {9, 1, 1}});
}

TEST_CASE("as2d-resync: what does not match is drafted anew from the committed text, and nobody waits") {
    Scenario scenario = timed(8, {10, 1, 2, 3, 4, 5, 6, 7}, 2);
    const ScriptedEncoder encoder(scenario.words);
    for (const Token token : words(0, 8))
        scenario.drafter.after_restart.push_back({std::string(encoder.bytes(token)), 1.0F, 10});
    const Outcome outcome = run(scenario, "as2d-resync");
    // 42: word 2 of the wrong draft is tried and rejected. 63: a restart from words 0 to 2 is asked for; the
    // producer hears it at 70 and publishes words 3, 4, 5, 6 at 93, 103, 113, 123, the rest at 133.
    CHECK(calls_of(outcome) ==
          std::vector<Call>{{0, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1, 1}, {0, 1, 1}});
    CHECK(starts_of(outcome) == std::vector<Nanos>{0, 10, 20, 30, 40, 50, 60, 70, 83, 93, 103, 113, 123});
    CHECK(outcome.drafts[6].epoch == 0);
    CHECK(outcome.drafts[7].epoch == 1);
    CHECK(outcome.drafts[7].width == 2);  // it catches up
}
