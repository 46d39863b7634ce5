// Thousands of random decodes: every method says what the target alone says, whatever the drafts.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

// Sanitizers need not see every case.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kSeeds = 250;
#else
constexpr std::uint64_t kSeeds = 2000;
#endif

void check_same(const Outcome& alone, const Outcome& outcome) {
    CHECK(outcome.result.committed == alone.result.committed);
    CHECK(outcome.result.tokens == alone.result.tokens);
    CHECK(outcome.result.text == alone.result.text);
    CHECK(outcome.result.stop == alone.result.stop);
    CHECK(outcome.broken == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("every method says what target-only says, for every kind of draft") {
    std::map<std::string_view, int> hits, guarded, end_accepted, extra, restarts;
    std::map<Stop, int> stops;
    long cases = 0;
    for (const DraftKind kind : kDraftKinds) {
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(seed);
            Random random(seed * kDraftKinds.size() + static_cast<std::uint64_t>(kind));
            const Scenario scenario = random_scenario(random, kind);
            const Outcome alone = run(scenario, "target-only");
            CHECK(alone.broken == std::vector<std::string>{});
            CHECK(alone.result.counters.guard_calls == 0);
            CHECK(alone.result.counters.proposed == 0);
            CHECK(alone.published.empty());
            for (const MethodEntry& method : methods()) {
                CAPTURE(method.name);
                if (!drafts(method)) continue;
                const Outcome outcome = run(scenario, method.name);
                ++cases;
                check_same(alone, outcome);
                const Counters& counters = outcome.result.counters;
                // Not one call more than the target alone needs.
                CHECK(counters.calls <= alone.result.counters.calls);
                if (scenario.settings.budget == 0) CHECK(counters.hits == 0);
                CHECK(outcome.warnings <= 1);
                hits[method.name] += counters.hits;
                extra[method.name] += counters.accepted;
                guarded[method.name] += counters.guard_calls;
                end_accepted[method.name] += counters.end_accepted ? 1 : 0;
                if (!outcome.published.empty() && outcome.published.back().epoch > 0) ++restarts[method.name];
            }
            ++stops[alone.result.stop];
        }
    }
    MESSAGE("random decodes compared with target-only: ", cases);
    // The cases reach what they are for.
    const int percent = static_cast<int>(kSeeds * kDraftKinds.size() / 100);
    for (const MethodEntry& method : methods()) {
        CAPTURE(method.name);
        if (!drafts(method)) continue;
        CHECK(hits[method.name] > 50 * percent);
        CHECK(extra[method.name] > 50 * percent);
        CHECK(guarded[method.name] > 5 * percent);
        CHECK(end_accepted[method.name] > percent);
        const bool own_history = method.name == "as2d" || method.name == "as2d-serial";
        CHECK((own_history ? restarts[method.name] == 0 : restarts[method.name] > 15 * percent));
    }
    CHECK(stops[Stop::end_of_text] > 5 * percent);
    CHECK(stops[Stop::length_limit] > percent);
    CHECK(stops[Stop::repetition] > percent);
    CHECK(stops[Stop::no_speech] > percent / 2);
}

TEST_CASE("the producer of as2d drafts the same at the same times, whatever the target says") {
    using Entry = CheckingSink::Entry;
    long compared = 0;
    for (const DraftKind kind : kDraftKinds) {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            CAPTURE(static_cast<int>(kind));
            CAPTURE(seed);
            Random random(seed * kDraftKinds.size() + static_cast<std::uint64_t>(kind) + 77);
            const Scenario scenario = random_scenario(random, kind);
            const std::vector<Entry> own = published_alone(scenario);
            const auto begins_own = [&own, &scenario](const std::vector<Entry>& published, bool same_times) {
                // Of an endless drafter only the beginning is known.
                const std::size_t count = std::min(published.size(), own.size());
                const bool whole = published.size() <= own.size() || scenario.drafter.endless;
                return whole && std::equal(published.begin(), published.begin() + static_cast<long>(count),
                                           own.begin(), [same_times](const Entry& a, const Entry& b) {
                                               return a.token == b.token && a.epoch == b.epoch &&
                                                      (!same_times || a.published == b.published);
                                           });
            };
            Scenario other = scenario;  // another target: other words, other length, other costs
            other.target = random_scenario(random, DraftKind::random).target;
            other.target.end = scenario.target.end;
            for (Token& token : other.target.answer)
                token %= scenario.target.end;
            other.scalar_cost = random.number(1, 50);
            for (const Scenario& target : {scenario, other}) {
                const Outcome outcome = run(target, "as2d");
                CHECK(begins_own(outcome.published, true));
                compared += static_cast<long>(outcome.published.size());
                // In the target's time the same drafts come, at other times.
                CHECK(begins_own(run(target, "as2d-serial").published, false));
            }
        }
    }
    MESSAGE("published tokens of as2d compared: ", compared);
    CHECK(compared > 50000);
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
