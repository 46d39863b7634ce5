// Writes JSON lines of known shape, fast.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace as2d::replay {

/// Builds one object after the other at the end of a buffer. Keys and plain texts are written as they are:
/// they hold nothing that JSON would escape.
class LineWriter {
  public:
    explicit LineWriter(std::string& buffer) : buffer_(buffer) {}

    /// Begins a line: {"kind":"...".
    void begin(std::string_view kind) {
        buffer_ += "{\"kind\":\"";
        buffer_ += kind;
        buffer_ += '"';
    }
    void end() { buffer_ += "}\n"; }

    /// ,"key": and then a value by one of the functions below.
    void key(std::string_view key) {
        buffer_ += ",\"";
        buffer_ += key;
        buffer_ += "\":";
    }
    void raw(std::string_view json) { buffer_ += json; }
    void text(std::string_view plain) {
        buffer_ += '"';
        buffer_ += plain;
        buffer_ += '"';
    }
    void number(std::integral auto value) {
        std::array<char, 24> digits{};
        const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
        buffer_.append(digits.data(), end);
    }
    /// Every element by `write(element)`.
    template <typename Range, typename Write>
    void list(const Range& range, Write write) {
        buffer_ += '[';
        bool first = true;
        for (const auto& element : range) {
            if (!first) buffer_ += ',';
            first = false;
            write(element);
        }
        buffer_ += ']';
    }

    void field(std::string_view name, std::integral auto value) {
        key(name);
        number(value);
    }

  private:
    std::string& buffer_;
};

}  // namespace as2d::replay
