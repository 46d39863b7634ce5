#include "scripted/scripted_encoder.hpp"

#include <algorithm>

namespace as2d {
namespace {

std::string word_of(int number) {
    std::string letters;
    do {
        letters.insert(letters.begin(), static_cast<char>('a' + number % 26));
        number /= 26;
    } while (number > 0);
    return " " + letters;
}

}  // namespace

ScriptedEncoder::ScriptedEncoder(int words) : words_(static_cast<std::size_t>(words)) {
    for (int i = 0; i < words; ++i)
        tokens_.push_back(word_of(i));
    for (int byte = 0; byte < 256; ++byte)
        tokens_.emplace_back(1, static_cast<char>(byte));
}

std::vector<Token> ScriptedEncoder::encode(std::string_view text) const {
    std::vector<Token> out;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find(' ', 1), text.size());
        encode_word(text.substr(0, length), out);
        text.remove_prefix(length);
    }
    return out;
}

void ScriptedEncoder::encode_word(std::string_view word, std::vector<Token>& out) const {
    std::size_t number = 0;
    bool known =
        word.size() > 1 && word.size() < 8 && word.front() == ' ' && (word[1] != 'a' || word.size() == 2);
    for (const char c : word.substr(1)) {
        known = known && c >= 'a' && c <= 'z';
        number = number * 26 + static_cast<std::size_t>(c - 'a');
    }
    if (known && number < words_) {
        out.push_back(static_cast<Token>(number));
        return;
    }
    for (const char c : word)
        out.push_back(static_cast<Token>(words_ + static_cast<unsigned char>(c)));
}

std::string_view ScriptedEncoder::bytes(Token token) const {
    if (token < 0 || token >= special()) return {};
    return tokens_[static_cast<std::size_t>(token)];
}

std::size_t ScriptedEncoder::stable_prefix(std::string_view utf8) const {
    const std::size_t space = utf8.rfind(' ');
    return space == std::string_view::npos ? 0 : space;
}

}  // namespace as2d
