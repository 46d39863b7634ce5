// A request that is cancelled: every method ends within the call or the step that is at work.
#include <doctest/doctest.h>

#include <algorithm>

#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

TEST_CASE("cancelled within any call or step, every method ends with it") {
    long cases = 0, in_step = 0, cut_short = 0;
    for (const DraftKind kind : kDraftKinds) {
        for (std::uint64_t seed = 0; seed < 150; ++seed) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(seed);
            Random random(seed * kDraftKinds.size() + static_cast<std::uint64_t>(kind) + 991);
            const Scenario scenario = random_scenario(random, kind);
            for (const MethodEntry& method : methods()) {
                CAPTURE(method.name);
                const Outcome whole = run(scenario, method.name);
                const auto calls = static_cast<int>(whole.calls.size());
                const auto steps = static_cast<int>(whole.drafts.size());
                CancelAt cancel_at;
                if (steps > 0 && random.chance(0.6)) {
                    cancel_at.step = random.number(0, std::min(steps, 200) - 1);
                } else {
                    cancel_at.call = random.number(0, calls);
                }
                const Outcome outcome = run(scenario, method.name, cancel_at);
                CHECK(outcome.broken == std::vector<std::string>{});
                CHECK(outcome.calls_after_cancel == 0);
                // Beside the target a producer goes on until the target has stopped, which cancels it.
                if (method.drafting == Drafting::serial) CHECK(outcome.steps_after_cancel == 0);
                const auto& committed = outcome.result.committed;
                REQUIRE(committed.size() <= whole.result.committed.size());
                CHECK(std::equal(committed.begin(), committed.end(), whole.result.committed.begin()));
                // It ran to its end only where that came first, or where the last call was the one.
                if (outcome.result.stop != Stop::cancelled) CHECK(committed == whole.result.committed);
                ++cases;
                in_step += cancel_at.step >= 0 ? 1 : 0;
                cut_short += outcome.result.stop == Stop::cancelled ? 1 : 0;
            }
        }
    }
    MESSAGE("random decodes cancelled: ", cases);
    CHECK(in_step > cases / 4);
    CHECK(cut_short > cases / 2);
}

TEST_CASE("a serial drafter that never comes to a word ends with the request") {
    Scenario scenario;
    scenario.target.prompt_length = 3;
    scenario.target.answer = {1, 2, 3};
    scenario.target.end = rules_of(scenario).end;
    scenario.target.vocabulary = scenario.words;
    scenario.drafter.pieces = {{"", 1.0F, 1}};
    scenario.drafter.endless = true;
    for (const MethodEntry& method : methods()) {
        if (method.drafting != Drafting::serial && method.name != "lookahead") continue;
        CAPTURE(method.name);
        const Outcome outcome = run(scenario, method.name, {-1, 1000});
        CHECK(outcome.result.stop == Stop::cancelled);
        CHECK(outcome.result.committed.size() == 1);
        CHECK(outcome.calls.empty());
        CHECK(outcome.steps_after_cancel == 0);
    }
}
