#include <doctest/doctest.h>

#include <string>

#include "core/utf8.hpp"
#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

std::string whole(std::string_view bytes) {
    Utf8Assembler assembler;
    const std::string text = assembler.push(bytes);
    return text + assembler.flush();
}

}  // namespace

TEST_CASE("bytes that are no UTF-8 become one replacement for each maximal part (Unicode 3.9, table 3-8)") {
    CHECK(whole("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64") ==
          "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
    CHECK(whole("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") ==
          "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA");
    CHECK(whole("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");            // a surrogate
    CHECK(whole("\xF4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
    CHECK(whole("\xF4\x8F\xBF\xBF") == "\U0010FFFF");
    CHECK(whole("\xE6\x88") == "\uFFFD");
}

TEST_CASE("pieces cut anywhere give the same text, always whole characters") {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        Random random(seed);
        std::string bytes;
        for (int i = random.number(0, 30); i > 0; --i) {
            bytes += random.of<std::string>(
                {"a", "\u00e9", "\u6211", "\U0001F642", "\xFF", "\xE6", "\x88", "\xF0\x9F"});
        }
        Utf8Assembler assembler;
        std::string text;
        for (std::size_t at = 0; at < bytes.size();) {
            const auto length = static_cast<std::size_t>(random.number(1, 4));
            text += assembler.push(std::string_view(bytes).substr(at, length));
            CHECK(utf8_complete_prefix(text) == text.size());
            at += length;
        }
        CHECK(text + assembler.flush() == whole(bytes));
    }
}

TEST_CASE("an incomplete character at the end is not part of the complete prefix") {
    CHECK(utf8_complete_prefix("") == 0);
    CHECK(utf8_complete_prefix("ab") == 2);
    CHECK(utf8_complete_prefix("a\xE6\x88") == 1);
    CHECK(utf8_complete_prefix("a\xF0\x9F\x99") == 1);
    CHECK(utf8_complete_prefix("a\u6211") == 4);
    CHECK(utf8_complete_prefix("a\x88\x88\x88\x88") == 5);  // never a character
    CHECK(utf8_complete_prefix("\xFF") == 1);
}
