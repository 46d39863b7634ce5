// Random decodes for the property tests: a scripted target and drafter on virtual clocks.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "checking_sink.hpp"
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

/// What the drafter says, and how it fails.
enum class DraftKind {
    perfect,
    mutated,
    random,
    empty,
    shifted,
    repeating,
    endless,
    slow,             ///< its steps are longer than the target's
    throwing,         ///< in a step
    throwing_restart  ///< when it is told what to go on from
};
inline const std::vector<DraftKind> kDraftKinds{
    DraftKind::perfect,  DraftKind::mutated,         DraftKind::random,  DraftKind::empty,
    DraftKind::shifted,  DraftKind::repeating,       DraftKind::endless, DraftKind::slow,
    DraftKind::throwing, DraftKind::throwing_restart};

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
    /// Steps that the drafter made before the request, which are said again at no cost (PreDrafted);
    /// fewer at its end of text. Empty: it begins with the request.
    std::optional<int> said;
};

/// Token ids: words and bytes of ScriptedEncoder, then end, start, no_speech, language, task.
TargetRules rules_of(const Scenario& scenario);

/// Where a run is cancelled: within a call of the target (0: prefill) or a step of the drafter.
struct CancelAt {
    int call = -1;
    int step = -1;
};

/// A scenario of one kind of drafts; everything else random.
Scenario random_scenario(Random& random, DraftKind kind);

/// Draft pieces of a text, cut anywhere, each with a cost in [low, high].
std::vector<ScriptedPiece> pieces_of(const std::string& text, Random& random, int low, int high);

/// What happened.
struct Outcome {
    DecodeResult result;
    std::vector<bool> shares;         ///< what the target was told of the cores, at each change
    std::vector<bool> shared_calls;   ///< whether they were shared, in prefill and each call
    std::vector<std::string> broken;  ///< promises of the event stream that were not kept
    int warnings = 0;
    std::vector<CheckingSink::Entry> published;
    std::vector<CheckingSink::Call> calls;  ///< those of the guard included
    std::vector<CheckingSink::Step> drafts;
    int calls_after_cancel = 0;
    int steps_after_cancel = 0;
};

/// Decodes with a method by name; a method that drafts gets the scenario's drafter.
Outcome run(const Scenario& scenario, std::string_view method, const CancelAt& cancel_at = {});

/// What the scenario's drafter publishes by itself, with nobody to listen.
std::vector<CheckingSink::Entry> published_alone(const Scenario& scenario);

}  // namespace as2d::test
