#include "words/words.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/utf8.hpp"

namespace as2d {
namespace {

constexpr double kSecondsPerFrame = 0.02;
constexpr double kLongestMedian = 0.7;  // seconds
constexpr std::size_t kNeighbours = 5;  // on each side
constexpr double kLongestOfNeighbours = 3.0;
constexpr double kAlwaysAllowed = 0.6;  // seconds
constexpr double kAlwaysAllowedSpaced = 1.4;

constexpr std::array<std::string_view, 7> kSentenceEnds{".", "。", "!", "！", "?", "？", "…"};

// Punctuation that belongs to the word behind it ...
constexpr std::array<std::string_view, 16> kOpening{"\"", "'", "“",  "‘",  "¿",  "¡",  "(", "[",
                                                    "{",  "-", "「", "『", "《", "（", "«", "#"};
// ... and to the word before it.
constexpr std::array<std::string_view, 31> kClosing{
    "\"", "'",  ".", "。", ",",  "，", "!",  "！", "?", "？", ":", "：", "”", "’", ")", "]",
    "}",  "、", ";", "；", "」", "』", "》", "）", "%", "…",  "-", "·",  "»", "—", "–"};

// Scripts without spaces between words: Thai, Lao, Burmese, Khmer; kana and Chinese characters with their
// extensions; their punctuation and full-width forms. Korean writes spaces.
constexpr std::array<std::pair<char32_t, char32_t>, 10> kUnspaced{{{0x0E00, 0x0EFF},
                                                                   {0x1000, 0x109F},
                                                                   {0x1780, 0x17FF},
                                                                   {0x3000, 0x303F},
                                                                   {0x3040, 0x30FF},
                                                                   {0x31F0, 0x31FF},
                                                                   {0x3400, 0x4DBF},
                                                                   {0x4E00, 0x9FFF},
                                                                   {0xFF00, 0xFFEF},
                                                                   {0x20000, 0x3FFFF}}};

bool is_unspaced(char32_t code) {
    return std::ranges::any_of(kUnspaced,
                               [code](auto range) { return code >= range.first && code <= range.second; });
}

bool begins_unspaced(std::string_view text) { return !text.empty() && is_unspaced(utf8_front(text).code); }

bool ends_unspaced(std::string_view text) {
    while (text.size() > 1) {
        const std::size_t length = utf8_front(text).length;
        if (length == text.size()) break;
        text.remove_prefix(length);
    }
    return begins_unspaced(text);
}

// Whether the text is made of these marks only.
template <std::size_t N>
bool consists_of(const std::array<std::string_view, N>& marks, std::string_view text) {
    if (text.starts_with(' ')) text.remove_prefix(1);
    if (text.empty()) return false;
    while (!text.empty()) {
        const std::string_view mark = text.substr(0, utf8_front(text).length);
        if (std::ranges::find(marks, mark) == marks.end()) return false;
        text.remove_prefix(mark.size());
    }
    return true;
}

// Runs of tokens that spell whole characters.
std::vector<Word> whole_characters(std::span<const Token> tokens, const TextEncoder& text) {
    std::vector<Word> units;
    Utf8Assembler assembler;
    std::string held;  // bytes of the unit so far
    Word unit;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (unit.tokens == 0) unit.first_token = static_cast<int>(i);
        ++unit.tokens;
        held += text.bytes(tokens[i]);
        const bool last = i + 1 == tokens.size();
        if (!last && utf8_complete_prefix(held) != held.size()) continue;
        unit.text = assembler.push(held);
        unit.text += assembler.flush();
        units.push_back(std::exchange(unit, {}));
        held.clear();
    }
    return units;
}

void join(Word& word, const Word& next) {
    word.text += next.text;
    word.tokens += next.tokens;
}

bool begins_word(const Word& before, const Word& unit) {
    if (unit.text.empty()) return false;  // a special token
    if (unit.text.starts_with(' ')) return true;
    if (consists_of(kClosing, unit.text) || consists_of(kOpening, before.text)) return false;
    return begins_unspaced(unit.text) || ends_unspaced(before.text);
}

// Characters without spaces and closing punctuation; at least one.
int letters(std::string_view text) {
    int count = 0;
    while (!text.empty()) {
        const std::size_t length = utf8_front(text).length;
        const std::string_view mark = text.substr(0, length);
        if (mark != " " && std::ranges::find(kClosing, mark) == kClosing.end()) ++count;
        text.remove_prefix(length);
    }
    return std::max(count, 1);
}

// A word (of an unspaced script: a character) lasts no longer than kLongestOfNeighbours times the median of
// the words around it: the time behind that is a pause. At the very beginning the pause comes before the
// word.
void hold_to_neighbours(std::vector<Word>& words) {
    const std::vector<Word> before = words;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool unspaced = begins_unspaced(before[i].text);
        std::vector<double> around;  // seconds a character
        const std::size_t last = std::min(words.size(), i + kNeighbours + 1);
        for (std::size_t j = i - std::min(i, kNeighbours); j < last; ++j) {
            const double seconds = before[j].end - before[j].start;
            if (j != i && seconds > 0.0 && begins_unspaced(before[j].text) == unspaced)
                around.push_back(seconds / (unspaced ? letters(before[j].text) : 1));
        }
        if (around.size() < 3) continue;
        const auto middle = around.begin() + static_cast<std::ptrdiff_t>(around.size() / 2);
        std::ranges::nth_element(around, middle);
        const double longest =
            std::max(kLongestOfNeighbours * *middle * (unspaced ? letters(before[i].text) : 1),
                     unspaced ? kAlwaysAllowed : kAlwaysAllowedSpaced);
        if (words[i].end - words[i].start <= longest) continue;
        if (i == 0) {
            words[i].start = words[i].end - longest;
        } else {
            words[i].end = words[i].start + longest;
        }
    }
}

}  // namespace

std::vector<Word> split_words(std::span<const Token> tokens, const TextEncoder& text) {
    std::vector<Word> words;
    for (Word& unit : whole_characters(tokens, text)) {
        if (words.empty() || begins_word(words.back(), unit)) {
            words.push_back(std::move(unit));
        } else {
            join(words.back(), unit);
        }
    }
    return words;
}

std::vector<Word> timed_words(std::span<const Token> tokens, const TextEncoder& text,
                              const AttentionWeights& weights, int prompt_length) {
    std::vector<Word> words = split_words(tokens, text);
    if (words.empty()) return words;
    // The row of a token predicts the next one: row `prompt_length - 1` attends to the first text token, and
    // the last text token's row to what comes behind it.
    const int first = prompt_length - 1;
    const std::vector<int> frames = row_frames(weights, first, first + static_cast<int>(tokens.size()));
    for (Word& word : words) {
        const auto begin = static_cast<std::size_t>(word.first_token);
        word.start = frames[begin] * kSecondsPerFrame;
        word.end = frames[begin + static_cast<std::size_t>(word.tokens)] * kSecondsPerFrame;
    }
    shorten_at_pauses(words);
    return words;
}

void shorten_at_pauses(std::vector<Word>& words) {
    hold_to_neighbours(words);
    std::vector<double> durations;
    for (const Word& word : words) {
        if (word.end > word.start) durations.push_back(word.end - word.start);
    }
    if (durations.empty()) return;
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::ranges::nth_element(durations, middle);
    const double longest = 2.0 * std::min(*middle, kLongestMedian);
    const auto ends_sentence = [](const Word& word) {
        return std::ranges::any_of(kSentenceEnds,
                                   [&word](std::string_view end) { return word.text.ends_with(end); });
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].end - words[i].start <= longest) continue;
        if (ends_sentence(words[i]) || i + 1 == words.size()) {
            words[i].end = words[i].start + longest;
        } else if (i == 0 || ends_sentence(words[i - 1])) {
            words[i].start = words[i].end - longest;
        }
    }
}

}  // namespace as2d
