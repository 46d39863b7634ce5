#include "words/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/utf8.hpp"

namespace as2d {
namespace {

constexpr double seconds_a_frame = 0.02;

/// Languages whose script puts no space between words (the list of openai/whisper's tokenizer).
constexpr std::array<std::string_view, 6> unspaced = {"zh", "ja", "th", "lo", "my", "yue"};

/// Punctuation that belongs to the word behind it, and to the word before it.
constexpr std::array<std::string_view, 9> opening = {"\"", "'", "“", "¿", "(", "[", "{", "-", "「"};
constexpr std::array<std::string_view, 23> closing = {"\"", "'", ".", "。", ",", "，", "!",  "！", "?", "？", ":", "：",
                                                      "”",  ")", "]", "}",  "、", ";",  "；", "」", "%", "…",  "-"};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

template <typename List>
bool is_one_of(const List& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// Runs of tokens that spell whole characters.
std::vector<Word> whole_characters(std::span<const Token> tokens, const TextEncoder& text) {
    std::vector<Word> units;
    Word unit;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (unit.tokens == 0) unit.first_token = static_cast<int>(i);
        unit.text += text.bytes(tokens[i]);
        ++unit.tokens;
        if (utf8_complete_prefix(unit.text) == unit.text.size() || i + 1 == tokens.size()) units.push_back(std::exchange(unit, {}));
    }
    return units;
}

void join(Word& word, const Word& next) {
    word.text += next.text;
    word.tokens += next.tokens;
}

std::vector<Word> by_spaces(const std::vector<Word>& units) {
    std::vector<Word> words;
    for (const auto& unit : units) {
        const bool begins = unit.text.starts_with(' ') || words.empty() || is_one_of(closing, trimmed(unit.text)) ||
                            is_one_of(opening, trimmed(unit.text));
        if (begins) {
            words.push_back(unit);
        } else {
            join(words.back(), unit);
        }
    }
    return words;
}

/// Gives opening punctuation to the word behind it and closing punctuation to the word before it.
std::vector<Word> with_punctuation(const std::vector<Word>& words) {
    std::vector<Word> out;
    bool opens = false;  // the last word of `out` is opening punctuation alone
    for (const auto& word : words) {
        const bool after_space = word.text.starts_with(' ');
        const bool closes = !out.empty() && !after_space && is_one_of(closing, trimmed(word.text));
        if (!out.empty() && (closes || (opens && !after_space))) {
            join(out.back(), word);
            opens = opens && !closes;
            if (!closes) opens = false;
            continue;
        }
        out.push_back(word);
        opens = (after_space || out.size() == 1) && is_one_of(opening, trimmed(word.text));
    }
    return out;
}

}  // namespace

std::vector<Word> split_words(std::span<const Token> tokens, const TextEncoder& text, std::string_view language) {
    auto units = whole_characters(tokens, text);
    return with_punctuation(is_one_of(unspaced, language) ? units : by_spaces(units));
}

std::vector<Word> timed_words(std::span<const Token> tokens, const TextEncoder& text, std::string_view language,
                              const AttentionWeights& weights, int prompt_length) {
    auto words = split_words(tokens, text, language);
    if (words.empty()) return words;
    // The row of a token predicts the next one: row `prompt_length - 1` attends to the first text token.
    const int first = prompt_length - 1;
    const auto frames = row_frames(weights, first, first + static_cast<int>(tokens.size()));
    for (auto& word : words) {
        const auto begin = static_cast<std::size_t>(word.first_token);
        word.start = frames[begin] * seconds_a_frame;
        word.end = frames[begin + static_cast<std::size_t>(word.tokens)] * seconds_a_frame;
    }
    return words;
}

}  // namespace as2d
