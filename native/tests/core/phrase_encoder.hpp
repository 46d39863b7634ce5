// Words, punctuation and Chinese characters as tokens; the vocabulary grows as texts are seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_encoder.hpp"
#include "core/utf8.hpp"

namespace as2d::test {

class PhraseEncoder final : public TextEncoder {
  public:
    std::vector<Token> encode(std::string_view text) const override {
        std::vector<Token> tokens;
        while (!text.empty()) {
            std::size_t length = utf8_front(text).length;
            if (length == 1 && !is_punctuation(text[0])) {
                while (length < text.size() && is_letter(text[length]))
                    ++length;
            }
            tokens.push_back(id_of(std::string(text.substr(0, length))));
            text.remove_prefix(length);
        }
        return tokens;
    }
    std::string_view bytes(Token token) const override { return *words_.at(static_cast<std::size_t>(token)); }
    std::size_t stable_prefix(std::string_view utf8) const override {
        const std::size_t space = utf8.rfind(' ');
        return space == std::string_view::npos ? 0 : space;
    }

  private:
    static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
    static bool is_punctuation(char c) { return !is_letter(c) && c != ' '; }
    Token id_of(const std::string& word) const {
        const auto [at, added] = ids_.emplace(word, static_cast<Token>(words_.size()));
        if (added) words_.push_back(&at->first);
        return at->second;
    }
    mutable std::map<std::string, Token> ids_;
    mutable std::vector<const std::string*> words_;
};

}  // namespace as2d::test
