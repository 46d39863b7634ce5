#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "text/pretokenizer.hpp"
#include "text/unicode_tables.hpp"

using namespace as2d;

namespace {

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> pieces;
    while (!text.empty()) {
        const std::size_t length = front_pretoken(text).length;
        pieces.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return pieces;
}

bool settled(std::string_view text) { return front_pretoken(text).settled; }

using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("words, numbers, marks and spaces come apart as GPT-2's expression says") {
    CHECK(split(" the quick42 fox's 3.5% (so)!") ==
          Pieces{" the", " quick", "42", " fox", "'s", " 3", ".", "5", "%", " (", "so", ")!"});
    CHECK(split("we'll don't I'M 're'") ==
          Pieces{"we", "'ll", " don", "'t", " I", "'", "M", " '", "re", "'"});
    CHECK(split("a  b\t\tc \n") == Pieces{"a", " ", " b", "\t", "\t", "c", " \n"});
    CHECK(split("\u00a0x\u3000 y") == Pieces{"\u00a0", "x", "\u3000", " y"});
    CHECK(split("\u6211\u4eec\uff0cok") == Pieces{"\u6211\u4eec", "\uff0c", "ok"});
    CHECK(split("caf\u00e9 \u00bd\u2167") == Pieces{"caf\u00e9", " \u00bd\u2167"});
    CHECK(split("\xFF\xFE\xE6\x88 a") == Pieces{"\xFF\xFE\xE6\x88", " a"});
}

TEST_CASE("a pre-token is settled when more text cannot change its end") {
    CHECK_FALSE(settled(" the"));
    CHECK(settled(" the "));
    CHECK(settled(" the."));
    CHECK_FALSE(settled(" the\xE6\x88"));  // may become a letter
    CHECK_FALSE(settled(" "));
    CHECK_FALSE(settled("  "));
    CHECK(settled("  a"));
    CHECK(settled("'s"));
    CHECK_FALSE(settled("'"));
    CHECK_FALSE(settled("'r"));
    CHECK(settled("'re"));
    CHECK(settled("'ra"));
    CHECK(settled("'x"));
    CHECK_FALSE(settled("!'"));
    CHECK(settled("!'s"));
}

TEST_CASE("the character table is in order, without overlap") {
    char32_t next = 0;
    for (const CharRange& range : char_ranges()) {
        CHECK(range.first >= next);
        CHECK(range.last >= range.first);
        next = range.last + 1;
    }
    CHECK(char_class('a') == CharClass::letter);
    CHECK(char_class('7') == CharClass::number);
    CHECK(char_class(0x2028) == CharClass::space);
    CHECK(char_class('_') == CharClass::other);
    CHECK(char_class(0x10FFFF) == CharClass::other);
}
