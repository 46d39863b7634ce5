// Character classes of the byte-level pre-tokenizer.
#pragma once

#include <cstdint>
#include <span>

namespace as2d {

enum class CharClass : std::uint8_t {
    letter,  ///< \p{L}
    number,  ///< \p{N}
    space,   ///< \s
    other,
};

struct CharRange {
    char32_t first, last;
    CharClass kind;
};

/// Ranges in ascending order; what is in none of them is `other`. Generated.
std::span<const CharRange> char_ranges();

/// The class of a code point.
CharClass char_class(char32_t code);

}  // namespace as2d
