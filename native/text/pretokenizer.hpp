// The pre-tokenizer of byte-level BPE, scanned from left to right:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// (GPT-2's expression, the one of the ByteLevel pre-tokenizer of `tokenizers`.)
#pragma once

#include <cstddef>
#include <string_view>

#include "text/unicode_tables.hpp"

namespace as2d {

struct PreToken {
    std::size_t length = 0;             ///< bytes, >= 1
    bool settled = false;               ///< more text cannot change its end
    CharClass kind = CharClass::other;  ///< its run, behind one optional space; contractions: other
};

/// The pre-token at the front of a text that is not empty. Bytes that are no UTF-8 count as `other`.
PreToken front_pretoken(std::string_view text);

}  // namespace as2d
