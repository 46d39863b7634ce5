// What a target tells the producer beside it, and what it makes of a drafter that fails.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

/// An answer of different words, a drafter that knows only wrong ones before it is restarted, and right ones
/// then. A step of the drafter takes `step`, a call of the target 20.
Scenario wrong_until_restarted(int words, Nanos step) {
    Scenario s;
    s.words = 500;
    s.target.prompt_length = 3;
    const ScriptedEncoder encoder(s.words);
    for (Token token = 0; token < words; ++token) {
        // Two letters each, so that the script's place in the text is the answer's.
        s.target.answer.push_back(26 + token);
        s.drafter.pieces.push_back({std::string(encoder.bytes(token + 300)), 1.0F, step});
        s.drafter.after_restart.push_back({std::string(encoder.bytes(26 + token)), 1.0F, step});
    }
    s.target.end = rules_of(s).end;
    s.target.vocabulary = s.words;
    s.scalar_cost = 20;
    s.candidate_cost = 1;
    s.settings.patience = 1;
    s.drafter.end_cost = step;
    return s;
}

std::uint32_t last_epoch(const Outcome& outcome) { return outcome.published.back().epoch; }

}  // namespace

TEST_CASE("as2d-resync: a restart that is slow to publish is not restarted before it has") {
    // Three steps, so two calls, pass until a restart has published its first word.
    const Scenario scenario = wrong_until_restarted(60, 13);
    const Outcome outcome = run(scenario, "as2d-resync");
    CHECK(outcome.broken == std::vector<std::string>{});
    CHECK(last_epoch(outcome) == 1);
    CHECK(outcome.result.counters.accepted > 20);
    CHECK(run(scenario, "as2d").result.counters.accepted == 0);
}

TEST_CASE("as2d-resync: patience is the number of fruitless calls before a restart") {
    for (int patience = 0; patience <= 4; ++patience) {
        CAPTURE(patience);
        Scenario scenario = wrong_until_restarted(40, 1);
        scenario.head_start = 1000;
        scenario.settings.patience = patience;
        const Outcome outcome = run(scenario, "as2d-resync");
        // The wrong draft is all there: every call before the restart is rejected or finds no match.
        const auto restarted = std::find_if(outcome.published.begin(), outcome.published.end(),
                                            [](const auto& entry) { return entry.epoch > 0; });
        REQUIRE(restarted != outcome.published.end());
        const auto before = std::count_if(outcome.calls.begin(), outcome.calls.end(),
                                          [&](const auto& call) { return call.end <= restarted->published; });
        CHECK(before == std::max(1, patience));
        CHECK(last_epoch(outcome) == 1);
    }
}

TEST_CASE("as2d-resync: a draft that has ended before the answer is begun anew") {
    Scenario scenario = wrong_until_restarted(30, 1);
    scenario.drafter.pieces.assign(scenario.drafter.after_restart.begin(),
                                   scenario.drafter.after_restart.begin() + 10);
    scenario.head_start = 1000;
    const Outcome outcome = run(scenario, "as2d-resync");
    CHECK(outcome.broken == std::vector<std::string>{});
    CHECK(last_epoch(outcome) == 1);
    CHECK(outcome.result.counters.calls < 12);
    CHECK(outcome.result.counters.calls < run(scenario, "as2d").result.counters.calls);
}

TEST_CASE("as2d-resync: a draft that serves is left alone") {
    Scenario scenario = wrong_until_restarted(60, 5);
    scenario.drafter.pieces = scenario.drafter.after_restart;
    CHECK(last_epoch(run(scenario, "as2d-resync")) == 0);
    scenario.head_start = 1000;
    CHECK(last_epoch(run(scenario, "as2d-resync")) == 0);
}

TEST_CASE("the cores are shared in the very call whose proposal gives a resting producer work") {
    Scenario scenario = wrong_until_restarted(30, 1);
    scenario.head_start = 1000;
    const Outcome resync = run(scenario, "as2d-resync");
    // Prefill and the rejected call alone; the restart beside the next; done before the third.
    REQUIRE(resync.shared_calls.size() > 4);
    CHECK(std::vector(resync.shared_calls.begin(), resync.shared_calls.begin() + 3) ==
          std::vector{false, false, true});
    CHECK_FALSE(resync.shared_calls.back());
    scenario.drafter.pieces = scenario.drafter.after_restart;
    const Outcome lookahead = run(scenario, "lookahead");
    CHECK(std::vector(lookahead.shared_calls.begin(), lookahead.shared_calls.begin() + 3) ==
          std::vector{false, true, true});
}

TEST_CASE("a serial drafter that fails offers nothing old, in a step or when it is told where to go on") {
    for (const bool in_restart : {false, true}) {
        CAPTURE(in_restart);
        Scenario scenario = wrong_until_restarted(30, 1);
        scenario.drafter.pieces = std::exchange(scenario.drafter.after_restart, {});
        if (in_restart) {
            scenario.drafter.fail_restart_at = 2;
        } else {
            scenario.drafter.fail_at = 11;  // the third draft has published two words by then
        }
        const Outcome outcome = run(scenario, "sd");
        CHECK(outcome.broken == std::vector<std::string>{});
        CHECK(outcome.warnings == 1);
        CHECK(outcome.result.tokens == scenario.target.answer);
        CHECK(outcome.result.counters.hits == (in_restart ? 2 : 3));
        CHECK(outcome.result.counters.accepted == outcome.result.counters.proposed);
    }
}

TEST_CASE("said before the request: it costs nothing, for every method that drafts") {
    Scenario scenario = wrong_until_restarted(24, 1000);
    scenario.drafter.pieces = std::exchange(scenario.drafter.after_restart, {});
    scenario.settings.budget = 4;
    scenario.said = 300;
    for (const MethodEntry& method : methods()) {
        if (!drafts(method)) continue;
        CAPTURE(method.name);
        const Outcome outcome = run(scenario, method.name);
        CHECK(outcome.broken == std::vector<std::string>{});
        // 24 words and the end, the first by prefill: four calls of five tokens, and the end as the last of
        // four accepted candidates.
        CHECK(outcome.result.counters.calls == 5);
        CHECK(outcome.result.counters.accepted == 20);
        CHECK(outcome.result.times.end - outcome.result.times.first_token == 5 * 24);
    }
}

TEST_CASE("as2d-serial is as2d, call by call, where all was said before the request") {
    int compared = 0;
    for (const DraftKind kind : kDraftKinds) {
        if (kind == DraftKind::endless || kind == DraftKind::throwing) continue;  // never all said
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(seed);
            Random random(seed * kDraftKinds.size() + static_cast<std::uint64_t>(kind) + 5);
            Scenario scenario = random_scenario(random, kind);
            scenario.said = 100000;
            scenario.target.threads_matter = false;
            const Outcome beside = run(scenario, "as2d");
            const Outcome serial = run(scenario, "as2d-serial");
            CHECK(serial.result.counters.proposed_by_position == beside.result.counters.proposed_by_position);
            CHECK(serial.result.counters.accepted_by_position == beside.result.counters.accepted_by_position);
            CHECK(serial.result.counters.calls == beside.result.counters.calls);
            compared += beside.result.counters.hits;
        }
    }
    CHECK(compared > 1000);
}
