// Traces and cost profiles for the tests of replay.
#pragma once

#include <string>
#include <vector>

#include "core/text_encoder.hpp"
#include "replay/cost_profile.hpp"
#include "replay/input.hpp"
#include "replay/replayer.hpp"
#include "replay/trace.hpp"
#include "scripted/scripted_encoder.hpp"
#include "tests/core/scenario.hpp"

namespace as2d::test {

using Json = replay::Json;

inline constexpr Nanos kMs = 1'000'000;
inline constexpr int kWords = 26;  ///< " a" is token 0 ... " z" is token 25

/// The target's vocabulary of these tests.
const ScriptedEncoder& vocabulary();
inline Token end_token() { return vocabulary().special(); }

/// A cost profile: what the two of a pair of numbers mean is (the first token, each further one), in ms.
struct Costs {
    int cores = 4;
    std::pair<double, double> target_alone{4, 1}, target_shared{6, 1};
    std::pair<double, double> drafter_alone{3, 1}, drafter_shared{5, 0};
    double context = 0.0;  ///< ms more for each token in the cache
    double target_beside = 1.5, drafter_beside = 2.0;
    bool turns =
        false;  ///< whether it knows turns: calls behind a step take 1 ms more, steps see profile_json
};
/// With turns the first step behind a call takes 1 ms more and half a ms for each further token, the second
/// half a ms more.
Json profile_json(const Costs& costs);
inline replay::CostProfile profile_of(const Costs& costs) {
    return replay::parse_cost_profile(profile_json(costs));
}

/// A draft piece as a trace line has it; width 1.
Json piece(const std::string& text, double confidence = 0.9, bool end_of_text = false);

/// Pieces of one word each, and the end.
Json words_and_end(const std::string& words);

/// A trace line. `answer`: letters, each a word; the end token follows. Prefill takes 10 ms, margins are 9.
Json trace_json(const std::string& answer, const Json& own, const Json& continuations = Json::array());

/// A random window: what a random scripted target says on its own, with random drafts behind every part of
/// it.
Json random_trace(Random& random);

/// Every method by name, and a few settings of each.
std::vector<replay::Arm> arms(const std::vector<int>& budgets);

}  // namespace as2d::test
