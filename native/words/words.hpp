// Tokens grouped into words with their times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/text_encoder.hpp"
#include "core/types.hpp"
#include "words/alignment.hpp"

namespace as2d {

struct Word {
    std::string text;     ///< whole UTF-8, with its leading space and the punctuation that belongs to it
    double start = 0.0;   ///< seconds from the window's start
    double end = 0.0;     ///< >= start
    int first_token = 0;  ///< index into the text tokens
    int tokens = 0;
};

/// Text tokens grouped into words, without times. Every token belongs to one word. Scripts that write spaces
/// are split at them; Chinese, Japanese, Thai, Lao, Burmese and Khmer after each token of whole characters.
/// Punctuation goes to the word it belongs to.
std::vector<Word> split_words(std::span<const Token> tokens, const TextEncoder& text);

/// Words with times from the attention of prompt + `tokens` + one more token (the end) run in one pass.
/// @param prompt_length rows before the first text token; the last of them is the row that predicts it
std::vector<Word> timed_words(std::span<const Token> tokens, const TextEncoder& text,
                              const AttentionWeights& weights, int prompt_length);

/// Shortens words that a pause has stretched: one that ends or begins a sentence lasts no longer than twice
/// the median word (openai/whisper, `timing.py`). Any word lasts at most three times the median
/// of its neighbours, or 1.4 s if that is longer; in scripts without spaces a character counts as a word, and
/// 0.6 s are always allowed.
void shorten_at_pauses(std::vector<Word>& words);

}  // namespace as2d
