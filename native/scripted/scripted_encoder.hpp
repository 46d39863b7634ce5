// A text encoder with a simple vocabulary: one token a word.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_encoder.hpp"

namespace as2d {

/// Token t < words is the word of t: a space and letters, "a" .. "z", "ba" ...; the next 256 tokens are
/// bytes, for what is no word. Ids behind them are special.
class ScriptedEncoder final : public TextEncoder {
  public:
    explicit ScriptedEncoder(int words);

    std::vector<Token> encode(std::string_view text) const override;
    std::string_view bytes(Token token) const override;
    std::size_t stable_prefix(std::string_view utf8) const override;

    /// Words and bytes: the first id that is special.
    Token special() const { return static_cast<Token>(tokens_.size()); }

  private:
    void encode_word(std::string_view word, std::vector<Token>& out) const;

    std::size_t words_;
    std::vector<std::string> tokens_;
};

}  // namespace as2d
