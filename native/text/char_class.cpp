#include <algorithm>
#include <array>

#include "text/unicode_tables.hpp"

namespace as2d {
namespace {

CharClass search(char32_t code) {
    const auto ranges = char_ranges();
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                        [](char32_t c, const CharRange& range) { return c < range.first; });
    if (after == ranges.begin()) return CharClass::other;
    const CharRange& range = *std::prev(after);
    return code <= range.last ? range.kind : CharClass::other;
}

}  // namespace

CharClass char_class(char32_t code) {
    static const std::array<CharClass, 128> ascii = [] {
        std::array<CharClass, 128> table{};
        for (char32_t c = 0; c < table.size(); ++c)
            table[c] = search(c);
        return table;
    }();
    return code < ascii.size() ? ascii[code] : search(code);
}

}  // namespace as2d
