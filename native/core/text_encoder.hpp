// Text to target tokens and back.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace as2d {

/// Immutable after construction; shared by threads.
class TextEncoder {
  public:
    virtual ~TextEncoder() = default;

    /// Target tokens of a text. Special tokens are never produced from text. Bytes that are not
    /// UTF-8 are kept: the bytes of the tokens are the bytes of the text.
    virtual std::vector<Token> encode(std::string_view text) const = 0;

    /// Bytes of a token, possibly a part of a UTF-8 character; empty for special or unknown tokens.
    /// The view lives as long as the encoder.
    virtual std::string_view bytes(Token token) const = 0;

    /// Length in bytes of the longest prefix, found by scanning from a boundary at byte 0, that ends
    /// at a boundary that more text cannot move: for every continuation c,
    /// encode(prefix) is a prefix of encode(text + c), and encoding may go on from the boundary alone.
    virtual std::size_t stable_prefix(std::string_view utf8) const = 0;
};

}  // namespace as2d
