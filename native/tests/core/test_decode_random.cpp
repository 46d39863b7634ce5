// Thousands of random decodes: every method says what the target alone says, whatever the drafts.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

void check_same(const Outcome& alone, const Outcome& outcome) {
    CHECK(outcome.result.committed == alone.result.committed);
    CHECK(outcome.result.tokens == alone.result.tokens);
    CHECK(outcome.result.text == alone.result.text);
    CHECK(outcome.result.stop == alone.result.stop);
    CHECK(outcome.broken == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("every method says what target-only says, for every kind of draft") {
    std::map<std::string_view, int> hits, guarded, end_accepted, extra;
    std::map<Stop, int> stops;
    for (const DraftKind kind : kDraftKinds) {
        for (std::uint64_t seed = 0; seed < 1500; ++seed) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(seed);
            Random random(seed * 8 + static_cast<std::uint64_t>(kind));
            const Scenario scenario = random_scenario(random, kind);
            const Outcome alone = run(scenario, "target-only");
            CHECK(alone.broken == std::vector<std::string>{});
            CHECK(alone.result.counters.guard_calls == 0);
            CHECK(alone.result.counters.proposed == 0);
            for (const MethodEntry& method : methods()) {
                CAPTURE(method.name);
                if (method.drafting == Drafting::none) continue;
                const Outcome outcome = run(scenario, std::string(method.name));
                check_same(alone, outcome);
                const Counters& counters = outcome.result.counters;
                // Not one call more than the target alone needs.
                CHECK(counters.calls <= alone.result.counters.calls);
                if (scenario.settings.budget == 0) CHECK(counters.hits == 0);
                hits[method.name] += counters.hits;
                extra[method.name] += counters.accepted;
                guarded[method.name] += counters.guard_calls;
                end_accepted[method.name] += counters.end_accepted ? 1 : 0;
            }
            ++stops[alone.result.stop];
        }
    }
    // The cases reach what they are for.
    for (const MethodEntry& method : methods()) {
        CAPTURE(method.name);
        if (method.drafting == Drafting::none) continue;
        CHECK(hits[method.name] > 10000);
        CHECK(extra[method.name] > 10000);
        CHECK(guarded[method.name] > 1000);
        CHECK(end_accepted[method.name] > 300);
    }
    CHECK(stops[Stop::end_of_text] > 1000);
    CHECK(stops[Stop::length_limit] > 300);
    CHECK(stops[Stop::repetition] > 200);
    CHECK(stops[Stop::no_speech] > 100);
}

TEST_CASE("without the guard wide calls do change tokens: the scripted near-ties are real") {
    int changed = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        Scenario scenario = random_scenario(random, DraftKind::perfect);
        scenario.target.logit_gap = 0.05F;
        scenario.target.near_tie_share = 0.3F;
        scenario.target.reference_width = 1;
        scenario.settings.budget = 4;
        scenario.head_start = 100000;
        const Outcome alone = run(scenario, "target-only");
        CHECK(run(scenario, "as2d").result.committed == alone.result.committed);
        scenario.target.hides_gap = true;
        changed += run(scenario, "as2d").result.committed != alone.result.committed ? 1 : 0;
    }
    CHECK(changed > 20);
}

TEST_CASE("the same scenario gives the same run twice") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Random random(seed);
        const Scenario scenario = random_scenario(random, random.of(kDraftKinds));
        const Outcome first = run(scenario, "as2d");
        const Outcome second = run(scenario, "as2d");
        CHECK(first.result.committed == second.result.committed);
        CHECK(first.result.times.end == second.result.times.end);
        CHECK(first.result.counters.proposed_by_position == second.result.counters.proposed_by_position);
    }
}

TEST_CASE("a perfect draft that is all there is accepted as far as the budget goes") {
    for (int budget = 1; budget <= 8; ++budget) {
        Random random(static_cast<std::uint64_t>(budget));
        Scenario scenario = random_scenario(random, DraftKind::perfect);
        scenario.words = 1000;
        scenario.target = {};
        scenario.target.prompt_length = 3;
        for (Token token = 0; token < 50; ++token)
            scenario.target.answer.push_back(token * 7 + 1);
        scenario.target.end = rules_of(scenario).end;
        scenario.target.vocabulary = 1000;
        scenario.no_speech_rule = false;
        scenario.token_limit = 224;
        const ScriptedEncoder encoder(scenario.words);
        std::string text;
        for (const Token token : scenario.target.answer)
            text += encoder.bytes(token);
        scenario.drafter = {pieces_of(text, random, 1, 1)};
        scenario.settings.budget = budget;
        scenario.head_start = 1000000;
        const Outcome outcome = run(scenario, "as2d");
        const Counters& counters = outcome.result.counters;
        CHECK(counters.proposed == counters.accepted);
        CHECK(counters.calls == (50 + budget) / (budget + 1));  // 51 tokens, the first by prefill
        CHECK(counters.hits == counters.calls);
    }
}
