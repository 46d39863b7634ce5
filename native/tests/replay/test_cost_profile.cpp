// Costs between, outside and above what was measured; profiles that cannot be used.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "replay/cost_profile.hpp"
#include "rig.hpp"

using namespace as2d;
using namespace as2d::replay;
using namespace as2d::test;

namespace {

std::string refusal(const Json& profile) {
    try {
        parse_cost_profile(profile);
    } catch (const BadInput& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("costs are linear in width and context, flat outside, and go on above the largest width") {
    CostTable table;
    CHECK(table.empty());
    CHECK(table.add(100, 4, 400));
    CHECK(table.add(100, 1, 100));
    CHECK(table.add(100, 2, 160));
    CHECK(table.add(0, 1, 50));
    CHECK(table.add(0, 4, 80));
    CHECK_FALSE(table.add(0, 4, 81));
    CHECK(table.at(1, 100) == 100);
    CHECK(table.at(3, 100) == 280);  // between 160 and 400
    CHECK(table.at(2, 0) == 60);     // between 50 and 80
    CHECK(table.at(1, 50) == 75);
    CHECK(table.at(2, 25) == 85);     // a quarter from 60 to 160
    CHECK(table.at(1, 1000) == 100);  // flat in context
    CHECK(table.at(6, 100) == 640);   // 120 a token more
    CHECK(table.at(7, 50) == (760 + 110) / 2);
}

TEST_CASE("a table that begins above a width is flat below it; noise never makes a wide call cheap") {
    CostTable table;
    table.add(10, 2, 70);
    CHECK(table.at(1, 10) == 70);
    CHECK(table.at(9, 0) == 70);
    table.add(10, 4, 60);
    CHECK(table.at(3, 10) == 65);
    CHECK(table.at(100, 10) == 60);
    table.add(10, 5, 1e10);
    CHECK(table.at(1'000'000, 10) == 100'000'000'000);
}

TEST_CASE("a profile gives the tables of its thread settings") {
    const CostProfile profile = profile_of({.cores = 3, .context = 0.01});
    CHECK(profile.target_alone.at(1, 0) == 4 * kMs);
    CHECK(profile.target_alone.at(3, 50) == 6 * kMs + kMs / 2);
    CHECK(profile.target_shared.at(1, 0) == 6 * kMs);
    CHECK(profile.drafter_alone.at(2, 0, 30.0) == 4 * kMs);
    CHECK(profile.drafter_shared.at(7, 0, 5.0) == 5 * kMs);
    CHECK(profile.target_beside == doctest::Approx(1.5));
    CHECK(profile.drafter_beside == doctest::Approx(2.0));
    CHECK_FALSE(profile.oversubscribed());
    CHECK(profile_of({.cores = 2}).oversubscribed());
}

TEST_CASE("drafter steps cost what they do in windows of the audio's length") {
    Json profile = profile_json({});
    for (const Json& row : Json(profile["drafter_steps"])) {
        Json shorter = row;
        shorter["seconds"] = 10.0;
        shorter["ms_median"] = row["ms_median"].get<double>() / 2;
        profile["drafter_steps"].push_back(shorter);
    }
    const CostProfile costs = parse_cost_profile(profile);
    // Rows without a length are of whole windows, 30 s.
    CHECK(costs.drafter_alone.at(2, 0, 30.0) == 4 * kMs);
    CHECK(costs.drafter_alone.at(2, 0, 10.0) == 2 * kMs);
    CHECK(costs.drafter_alone.at(2, 0, 20.0) == 3 * kMs);
    CHECK(costs.drafter_alone.at(2, 0, 0.5) == 2 * kMs);
    CHECK(costs.drafter_shared.at(1, 0, 15.0) == 5 * kMs * 5 / 8);

    // A window of 10 s: four steps of half of 3 ms and one token more for the prompt.
    const Replayer replayer(vocabulary(), costs);
    const Arm arm{"", "as2d-serial", {}, StartCondition::request_start};
    const Trace trace(trace_json("abc", words_and_end("abc")), vocabulary());
    CHECK(trace.seconds() == doctest::Approx(10.0));
    CHECK(replayer.replay(arm, trace).draft.time == 13 * kMs / 2);

    profile["drafter_steps"][0]["seconds"] = 31.0;
    CHECK(refusal(profile) ==
          "The field 'seconds' of the rows in 'drafter_steps' of the cost profile must be a number from 0.1 "
          "to 30.");
}

TEST_CASE("a drafter and a target that take turns find the caches full of the other's weights") {
    const CostProfile profile = profile_of({.context = 0.01, .turns = true});
    CHECK(profile.call(1, 0, false) == 4 * kMs);
    CHECK(profile.call(1, 0, true) == 5 * kMs);
    CHECK(profile.call(3, 50, true) == 7 * kMs + kMs / 2);
    CHECK(profile.step(1, 1, 0, 30.0) == 4 * kMs);
    CHECK(profile.step(1, 3, 0, 30.0) == 7 * kMs);
    CHECK(profile.step(2, 1, 100, 30.0) == 4 * kMs + kMs / 2);
    CHECK(profile.step(2, 4, 0, 30.0) == 6 * kMs + kMs / 2);  // as much longer as one of width 1
    CHECK(profile.step(3, 1, 0, 30.0) == 3 * kMs);            // as by itself
    // A profile of an earlier version knows none of it.
    const CostProfile older = profile_of({});
    CHECK(older.call(2, 0, true) == older.call(2, 0, false));
    CHECK(older.step(1, 2, 0, 30.0) == 4 * kMs);

    Json gap = profile_json({.turns = true});
    for (Json& row : gap["drafter_turns"])
        if (row["turn"] == 2) row["turn"] = 3;
    CHECK(refusal(gap) == "The field 'drafter_turns' of the cost profile lacks step 2 behind a call.");
    gap["drafter_turns"][0]["turn"] = 0;
    CHECK(refusal(gap) ==
          "The field 'turn' of the rows in 'drafter_turns' of the cost profile must be a whole number from 1 "
          "to 64.");
}

TEST_CASE("a profile that cannot be used is refused with the field's name") {
    const auto changed = [](const std::function<void(Json&)>& change) {
        Json profile = profile_json({});
        change(profile);
        return refusal(profile);
    };
    CHECK(refusal(profile_json({})).empty());
    CHECK(refusal(Json::array()) == "The cost profile must be a JSON object.");
    CHECK(changed([](Json& p) { p["version"] = 3; }) ==
          "The field 'version' of the cost profile is 3, and only versions up to 2 can be replayed.");
    CHECK(changed([](Json& p) { p["version"] = 2; }) ==
          "The field 'target_turns' of the cost profile is missing.");
    CHECK(changed([](Json& p) { p.erase("cores"); }) == "The field 'cores' of the cost profile is missing.");
    CHECK(changed([](Json& p) { p["threads"] = 0; }) ==
          "The field 'threads' of the cost profile must be a whole number from 1 to 4096.");
    CHECK(changed([](Json& p) { p["shared_threads"] = 18446744073709551615ULL; }) ==
          "The field 'shared_threads' of the cost profile must be a whole number from 1 to 4096.");
    CHECK(changed([](Json& p) { p["drafter_threads"] = 7; }) ==
          "The field 'drafter_steps' of the cost profile has no row for 7 threads.");
    CHECK(changed([](Json& p) { p["target_calls"] = "none"; }) ==
          "The field 'target_calls' of the cost profile must be a list.");
    CHECK(
        changed([](Json& p) { p["target_calls"][0]["ms_median"] = -1; }) ==
        "The field 'ms_median' of the rows in 'target_calls' of the cost profile must be a number from 0 to "
        "100000.");
    CHECK(changed([](Json& p) { p["target_calls"][0]["k"] = 2; }) ==
          "The field 'target_calls' of the cost profile measures k = 2 at context 0 and 2 threads twice.");
    CHECK(changed([](Json& p) { p["interference"]["target"] = 0; }) ==
          "The field 'target' of the cost profile's interference must be a number from 0.1 to 10.");
}
