#include "rig.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/decode.hpp"
#include "core/registry.hpp"
#include "core/utf8.hpp"
#include "scripted/scripted_target.hpp"

namespace as2d::test {
namespace {

Json table(int threads, std::pair<double, double> cost, double context) {
    Json rows = Json::array();
    for (const int at : {0, 100}) {
        for (const int k : {1, 2, 4}) {
            rows.push_back({{"threads", threads},
                            {"context", at},
                            {"k", k},
                            {"ms_mean", 0.0},
                            {"ms_median", cost.first + cost.second * (k - 1) + context * at},
                            {"ms_deviation", 0.0}});
        }
    }
    return rows;
}

Json both(Json a, const Json& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Json plain_profile(const Costs& costs) {
    return {{"version", 1},
            {"device", "a computer"},
            {"cores", costs.cores},
            {"threads", 2},
            {"shared_threads", 1},
            {"drafter_threads", 2},
            {"drafter_shared_threads", 1},
            {"target_calls",
             both(table(2, costs.target_alone, costs.context), table(1, costs.target_shared, costs.context))},
            {"drafter_steps", both(table(2, costs.drafter_alone, costs.context),
                                   table(1, costs.drafter_shared, costs.context))},
            {"encoders", Json::array()},
            {"interference", {{"target", costs.target_beside}, {"drafter", costs.drafter_beside}, {"k", 5}}}};
}

/// A text as a trace holds it.
Json text_json(const std::string& bytes) {
    bool valid = true;
    for (std::string_view rest = bytes; !rest.empty() && valid;) {
        const Utf8Char c = utf8_front(rest);
        valid = c.status == Utf8Status::valid;
        rest.remove_prefix(c.length);
    }
    if (valid) return bytes;
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex += {kDigits[byte / 16], kDigits[byte % 16]};
    }
    return {{"hex", hex}};
}

/// A text cut anywhere into at most `most` pieces; the end of text behind it if there is room.
Json random_pieces(const std::string& text, Random& random, std::size_t most) {
    Json pieces = Json::array();
    std::size_t at = 0;
    while (at < text.size() && pieces.size() < most) {
        const std::size_t length = std::min(text.size() - at, static_cast<std::size_t>(random.number(0, 7)));
        pieces.push_back({text_json(text.substr(at, length)), random.number(0, 100) / 100.0, 1, false});
        at += length;
    }
    if (pieces.size() < most) pieces.push_back({"", 0.7, 1, true});
    return pieces;
}

std::string random_draft(const std::vector<Token>& answer, std::size_t from, Random& random) {
    const double wrong = random.of<double>({0.0, 0.0, 0.1, 0.5});
    std::string text;
    for (std::size_t i = from; i < answer.size(); ++i) {
        if (random.chance(wrong / 2)) continue;
        const Token token = random.chance(wrong) ? random.number(0, kWords - 1) : answer[i];
        text += vocabulary().bytes(token);
    }
    return text;
}

DecodeResult record(const TargetScript& script, const TargetRules& rules) {
    ScriptedTarget target(script);
    const auto method = make_method("target-only", {});
    const VirtualClock clock;
    EventSink sink;
    const std::atomic<bool> cancelled{false};
    return decode({target, rules, vocabulary(), *method, clock, sink}, {"en", "transcribe"}, cancelled);
}

}  // namespace

const ScriptedEncoder& vocabulary() {
    static const ScriptedEncoder encoder(kWords);
    return encoder;
}

Json profile_json(const Costs& costs) {
    Json profile = plain_profile(costs);
    if (!costs.turns) return profile;
    profile["version"] = 2;
    const auto [call, more] = costs.target_alone;
    profile["target_turns"] = table(2, {call + 1, more}, costs.context);
    const auto [step, further] = costs.drafter_alone;
    Json& turns = profile["drafter_turns"] = Json::array();
    for (Json row : table(2, {step + 1, further + 0.5}, costs.context)) {
        row["turn"] = 1;
        turns.push_back(row);
    }
    for (Json row : table(2, {step + 0.5, further}, costs.context)) {
        row["turn"] = 2;
        if (row["k"] == 1) turns.push_back(row);  // the later ones are measured at this width only
    }
    return profile;
}

Json piece(const std::string& text, double confidence, bool end_of_text) {
    return {text, confidence, 1, end_of_text};
}

Json words_and_end(const std::string& words) {
    Json pieces = Json::array();
    for (const char word : words)
        pieces.push_back(piece({' ', word}));
    pieces.push_back(piece("", 0.9, true));
    return pieces;
}

Json trace_json(const std::string& answer, const Json& own, const Json& continuations) {
    std::vector<Token> tokens;
    for (const char word : answer)
        tokens.push_back(word - 'a');
    tokens.push_back(end_token());
    Json pieces = own;
    if (!pieces.empty()) pieces[0][2] = 2;  // the prompt
    return {{"kind", "trace"},
            {"trace", 1},
            {"recording", "a.wav"},
            {"window", "w1"},
            {"start_s", 10.0},
            {"end_s", 20.0},
            {"prompt_tokens", 4},
            {"tokens", tokens},
            {"margins", std::vector<double>(tokens.size(), 9.0)},
            {"stop", "end_of_text"},
            {"no_speech_prob", 0.1},
            {"end_token", end_token()},
            {"token_limit", 224},
            {"logit_gap", 0.0},
            {"own", pieces},
            {"continuations", continuations},
            {"prefill_ms", 10.0},
            {"call_ms", 4.0}};
}

Json random_trace(Random& random) {
    TargetScript script;
    script.prompt_length = 1;
    const int length = random.number(0, random.chance(0.2) ? 60 : 20);
    const int words = random.of<int>({2, 6, kWords});
    for (int i = 0; i < length; ++i) {
        script.answer.push_back(random.chance(0.05) ? kWords + random.number(0, 255)
                                                    : random.number(0, words - 1));
    }
    script.end = end_token();
    script.vocabulary = end_token();
    script.seed = static_cast<std::uint64_t>(random.number(0, 1 << 30));
    script.logit_gap = random.of<float>({0.0F, 0.05F});
    script.near_tie_share = 0.2F;
    TargetRules rules;
    rules.start = 0;
    rules.end = end_token();
    rules.token_limit = random.of<int>({1, 3, 20, 224});
    const DecodeResult said = record(script, rules);

    Json line = trace_json("", Json::array());
    line["tokens"] = said.committed;
    Json margins = Json::array();
    for (const float margin : said.margins)
        margins.push_back(std::isinf(margin) ? Json() : Json(margin));
    line["margins"] = margins;
    line["stop"] = name_of(said.stop);
    line["token_limit"] = rules.token_limit;
    line["logit_gap"] = script.logit_gap;
    if (random.chance(0.05)) return line;  // a window without a drafter
    const std::vector<Token>& answer = said.committed;
    line["own"] = random_pieces(random_draft(answer, 0, random), random, 400);
    Json continuations = Json::array();
    const double missing = random.of<double>({0.0, 0.3, 1.0});
    for (std::size_t after = 1; after < answer.size(); ++after) {
        if (random.chance(missing)) continue;
        const auto most = static_cast<std::size_t>(random.of<int>({0, 3, 40}));
        continuations.push_back(
            {{"after", after}, {"pieces", random_pieces(random_draft(answer, after, random), random, most)}});
    }
    line["continuations"] = continuations;
    return line;
}

std::vector<replay::Arm> arms(const std::vector<int>& budgets) {
    std::vector<replay::Arm> out;
    for (const MethodEntry& entry : methods()) {
        for (const int budget : budgets) {
            for (const auto start :
                 {replay::StartCondition::request_start, replay::StartCondition::pre_drafted}) {
                replay::Arm arm;
                arm.name = std::string(entry.name) + ":" + std::to_string(budget);
                arm.method = entry.name;
                arm.settings.budget = budget;
                arm.settings.admission = budget % 2 == 0 ? Admission::text : Admission::root;
                arm.start_condition = start;
                out.push_back(arm);
            }
        }
    }
    return out;
}

}  // namespace as2d::test
