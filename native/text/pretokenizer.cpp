#include "text/pretokenizer.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/utf8.hpp"

namespace as2d {
namespace {

struct Scanned {
    std::size_t length;
    CharClass kind;
    bool complete;  // false: the text ends inside this character
};

Scanned front(std::string_view text) {
    const Utf8Char c = utf8_front(text);
    if (c.status == Utf8Status::valid) return {c.length, char_class(c.code), true};
    return {c.length, CharClass::other, c.status == Utf8Status::invalid};
}

// Length of the contraction at the front, 0 for none; nothing when more text decides.
std::optional<std::size_t> contraction(std::string_view text) {
    static constexpr std::array<std::string_view, 7> kEndings{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (const std::string_view ending : kEndings) {
        if (text.starts_with(ending)) return ending.size();
    }
    for (const std::string_view ending : kEndings) {
        if (ending.starts_with(text)) return std::nullopt;
    }
    return 0;
}

}  // namespace

PreToken front_pretoken(std::string_view text) {
    bool settled = true;
    if (text.front() == '\'') {
        const std::optional<std::size_t> length = contraction(text);
        if (length && *length > 0) return {*length, true, CharClass::other};
        settled = length.has_value();
    }
    std::size_t at = 0;
    Scanned c = front(text);
    if (text.front() == ' ' && text.size() > 1) {
        const Scanned next = front(text.substr(1));
        if (next.kind != CharClass::space) {
            at = 1;
            c = next;
        }
    }
    // The run of one class.
    const CharClass kind = c.kind;
    std::size_t last = at;  // where its last character begins
    std::size_t count = 0;
    while (true) {
        settled = settled && c.complete;
        last = at;
        at += c.length;
        ++count;
        if (at == text.size()) return {at, false, kind};
        c = front(text.substr(at));
        if (c.kind != kind) break;
    }
    settled = settled && c.complete;
    // A run of spaces before something else leaves its last one to what follows.
    if (kind == CharClass::space && count > 1) at = last;
    return {at, settled, kind};
}

}  // namespace as2d
