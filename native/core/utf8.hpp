// UTF-8 without exceptions: one character at a time, and text that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace as2d {

enum class Utf8Status {
    valid,
    invalid,     ///< `length` bytes can begin no character; U+FFFD stands for them
    incomplete,  ///< the text ends inside a character that is right so far
};

struct Utf8Char {
    char32_t code = 0xFFFD;
    std::size_t length = 0;  ///< bytes; for invalid ones the maximal subpart (Unicode 3.9), >= 1
    Utf8Status status = Utf8Status::invalid;
};

/// The character at the front of a text that is not empty.
Utf8Char utf8_front(std::string_view text);

/// Bytes of `text` without an incomplete character at its end.
std::size_t utf8_complete_prefix(std::string_view text);

/// Puts pieces together into whole characters; invalid bytes become U+FFFD.
class Utf8Assembler {
  public:
    /// Whole characters that are complete with this piece.
    std::string push(std::string_view bytes);
    /// The held back rest at the end of the text: one U+FFFD or nothing.
    std::string flush();

  private:
    std::string held_;
};

}  // namespace as2d
