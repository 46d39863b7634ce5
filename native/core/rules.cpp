#include "core/rules.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace as2d {

std::vector<Token> TargetRules::prompt(std::string_view language, std::string_view task) const {
    if (task != "transcribe" && task != "translate") {
        throw RequestError("The task '" + std::string(task) + "' is unknown; use transcribe or translate.");
    }
    std::vector<Token> tokens{start};
    if (languages.empty()) {
        if (language != "en" || task != "transcribe") {
            throw RequestError("This target only transcribes English.");
        }
    } else {
        const auto found = languages.find(language);
        if (found == languages.end()) {
            throw RequestError("The target does not know the language '" + std::string(language) + "'.");
        }
        const Token task_token = task == "translate" ? translate : transcribe;
        if (task_token == kNoToken) {
            throw RequestError("The target cannot do the task '" + std::string(task) + "'.");
        }
        tokens.push_back(found->second);
        tokens.push_back(task_token);
    }
    if (no_timestamps != kNoToken) tokens.push_back(no_timestamps);
    return tokens;
}

DetectedLanguage detect_language(Target& target, const TargetRules& rules) {
    if (rules.languages.empty()) throw RequestError("This target knows one language only; name it.");
    target.truncate(0);
    const std::array<Token, 1> tokens{rules.start};
    const std::array<RowQuery, 1> queries{RowQuery{RowMask::language, true, kNoToken}};
    std::array<Row, 1> rows{};
    target.forward(tokens, queries, rows);
    target.truncate(0);
    for (const auto& [code, token] : rules.languages) {
        if (token == rows[0].best) return {code, token, std::exp(rows[0].log_prob)};
    }
    throw EngineError("The target answered the language question with a token that is no language.");
}

bool RepetitionStop::push(std::span<const Token> before, Token token) {
    bool stop = false;
    for (std::size_t period = 1; period <= kMaxPeriod && period <= before.size(); ++period) {
        run_[period] = before[before.size() - period] == token ? run_[period] + 1 : 0;
        const std::size_t span = run_[period] + period;
        if (run_[period] > 0 && span >= std::max(kMinSpan, kMinPeriods * period)) stop = true;
    }
    return stop;
}

}  // namespace as2d
