// Random decodes for the property tests: a scripted target and drafter on virtual clocks.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/decode.hpp"
#include "core/registry.hpp"
#include "scripted/producer_timeline.hpp"
#include "scripted/scripted_drafter.hpp"
#include "scripted/scripted_encoder.hpp"
#include "scripted/scripted_target.hpp"

namespace as2d::test {

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    /// In [low, high].
    int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
    bool chance(double p) { return std::bernoulli_distribution(p)(engine_); }
    template <typename T>
    const T& of(const std::vector<T>& choices) {
        return choices[static_cast<std::size_t>(number(0, static_cast<int>(choices.size()) - 1))];
    }

  private:
    std::mt19937_64 engine_;
};

enum class DraftKind { perfect, mutated, random, empty, shifted, repeating, endless, throwing };
inline const std::vector<DraftKind> kDraftKinds{DraftKind::perfect, DraftKind::mutated, DraftKind::random,
                                                DraftKind::empty,   DraftKind::shifted, DraftKind::repeating,
                                                DraftKind::endless, DraftKind::throwing};

/// Everything a decode needs, by value.
struct Scenario {
    int words = 20;
    TargetScript target;
    DrafterScript drafter;
    int token_limit = 224;
    bool no_speech_rule = false;
    MethodSettings settings;
    Nanos scalar_cost = 7;  ///< of a target call, and what each further candidate costs
    Nanos candidate_cost = 1;
    Nanos head_start = 0;  ///< the producer's, before the request
};

/// Token ids: words and bytes of ScriptedEncoder, then end, start, no_speech, language, task.
TargetRules rules_of(const Scenario& scenario);

/// A scenario of one kind of drafts; everything else random.
Scenario random_scenario(Random& random, DraftKind kind);

/// Draft pieces of a text, cut anywhere, each with a cost in [low, high].
std::vector<ScriptedPiece> pieces_of(const std::string& text, Random& random, int low, int high);

/// What happened.
struct Outcome {
    DecodeResult result;
    std::vector<bool> shares;
    std::vector<std::string> broken;  ///< promises of the event stream that were not kept
    int warnings = 0;
    std::size_t drafted = 0;  ///< published entries
};

/// Decodes with a method by name; a method that drafts gets the scenario's drafter.
Outcome run(const Scenario& scenario, const std::string& method);

}  // namespace as2d::test
