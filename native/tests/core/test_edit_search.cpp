#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "core/edit_search.hpp"
#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

TEST_CASE("the bit-parallel search equals the plain dynamic programme") {
    EditSearch search;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Random random(seed);
        const int alphabet = random.number(1, 5);
        std::vector<std::uint8_t> pattern(static_cast<std::size_t>(random.number(1, 64)));
        std::vector<std::uint8_t> text(static_cast<std::size_t>(random.number(0, 200)));
        for (auto& byte : pattern)
            byte = static_cast<std::uint8_t>(random.number(0, alphabet) * 50);
        for (auto& byte : text)
            byte = static_cast<std::uint8_t>(random.number(0, alphabet) * 50);
        const bool anchored = random.chance(0.5);
        std::vector<int> column(pattern.size() + 1);
        for (std::size_t i = 0; i < column.size(); ++i)
            column[i] = static_cast<int>(i);
        search.begin(pattern, anchored);
        CHECK(search.distance() == column.back());
        for (std::size_t j = 0; j < text.size(); ++j) {
            int diagonal = column[0];
            column[0] = anchored ? static_cast<int>(j) + 1 : 0;
            for (std::size_t i = 1; i < column.size(); ++i) {
                const int next = std::min(
                    {diagonal + (pattern[i - 1] == text[j] ? 0 : 1), column[i] + 1, column[i - 1] + 1});
                diagonal = column[i];
                column[i] = next;
            }
            search.push(text[j]);
            REQUIRE(search.distance() == column.back());
        }
        search.end(pattern);
    }
}
