// Tokens grouped into words with their times.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_encoder.hpp"
#include "core/types.hpp"
#include "words/alignment.hpp"

namespace as2d {

struct Word {
    std::string text;     ///< with its leading space and the punctuation that belongs to it
    double start = 0.0;   ///< seconds from the window's start
    double end = 0.0;
    int first_token = 0;  ///< index into the text tokens
    int tokens = 0;
};

/// Text tokens grouped into words, without times. Whole UTF-8 characters; words by spaces, or single
/// characters in languages that write none between words; punctuation goes to the word it belongs to.
std::vector<Word> split_words(std::span<const Token> tokens, const TextEncoder& text, std::string_view language);

/// Words with times from the attention of `prompt` + `tokens` run in one pass.
/// @param prompt_length rows before the first text token; the last of them is the row that predicts it
std::vector<Word> timed_words(std::span<const Token> tokens, const TextEncoder& text, std::string_view language,
                              const AttentionWeights& weights, int prompt_length);

}  // namespace as2d
