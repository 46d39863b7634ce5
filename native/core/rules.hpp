// What belongs to the target's definition: prompt, limits and stops, the same for every method.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/target.hpp"
#include "core/types.hpp"

namespace as2d {

struct TargetRules {
    Token start = kNoToken;  ///< start of transcript
    Token end = kNoToken;    ///< end of text
    Token transcribe = kNoToken;
    Token translate = kNoToken;
    Token no_timestamps = kNoToken;
    Token no_speech = kNoToken;  ///< kNoToken: no no-speech rule
    /// Language code to token. Empty: an English-only model, whose prompt has no language and task.
    std::map<std::string, Token, std::less<>> languages;
    int token_limit = 224;  ///< most tokens of an answer, the end token included; >= 1

    /// No speech when p(no_speech) at the start row is above this ...
    float no_speech_probability = 0.6F;
    /// ... and the mean ln p of the answer's tokens, end included, is below this.
    float no_speech_log_prob = -1.0F;

    /// start, language, task, no_timestamps. Throws RequestError for what the model does not know.
    std::vector<Token> prompt(std::string_view language, std::string_view task) const;
};

/// The language the target hears. One call of one token at the start row; the KV cache is emptied
/// before and after. Throws RequestError for a model without languages, EngineError.
struct DetectedLanguage {
    std::string language;
    Token token = kNoToken;
    float probability = 0.0F;  ///< among the language tokens
};
DetectedLanguage detect_language(Target& target, const TargetRules& rules);

/// Stops a text that repeats itself: some period of n <= 16 tokens fills the last 24 tokens or more
/// and comes at least four times. Looks at committed tokens only, one by one.
class RepetitionStop {
  public:
    static constexpr std::size_t kMaxPeriod = 16;
    static constexpr std::size_t kMinSpan = 24;
    static constexpr std::size_t kMinPeriods = 4;

    /// Tells it the answer's newest token, given the answer before it. True: stop after this token.
    bool push(std::span<const Token> before, Token token);

  private:
    std::array<std::size_t, kMaxPeriod + 1> run_{};  ///< tokens in a row equal to the one n before
};

}  // namespace as2d
