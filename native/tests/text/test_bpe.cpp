#include <doctest/doctest.h>

#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "text/bpe.hpp"

using namespace as2d;

namespace {

/// 256 byte tokens, then the merges given as pairs of texts, in order of rank; one special token at the end.
BpeData data_of(const std::vector<std::pair<std::string, std::string>>& merges) {
    BpeData data;
    for (int byte = 0; byte < 256; ++byte)
        data.tokens.emplace_back(1, static_cast<char>(byte));
    const auto id_of = [&data](const std::string& bytes) {
        for (std::size_t i = 0; i < data.tokens.size(); ++i) {
            if (data.tokens[i] == bytes) return static_cast<Token>(i);
        }
        return kNoToken;
    };
    for (const auto& [left, right] : merges) {
        if (id_of(left + right) == kNoToken) data.tokens.push_back(left + right);
        data.merges.push_back({id_of(left), id_of(right), id_of(left + right)});
    }
    data.tokens.emplace_back();
    return data;
}

std::vector<std::string> pieces(const ByteLevelBpe& bpe, std::string_view text) {
    std::vector<std::string> out;
    for (const Token token : bpe.encode(text))
        out.emplace_back(bpe.bytes(token));
    return out;
}

using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("merges apply by rank, then from the left") {
    const ByteLevelBpe bpe(data_of({{"a", "b"}, {"b", "c"}, {"ab", "c"}, {"a", "a"}}));
    CHECK(pieces(bpe, "abc") == Pieces{"abc"});
    CHECK(pieces(bpe, "bc") == Pieces{"bc"});
    CHECK(pieces(bpe, "aaa") == Pieces{"aa", "a"});
    CHECK(pieces(bpe, "aab") == Pieces{"a", "ab"});
    CHECK(pieces(bpe, "abcbc abc") == Pieces{"abc", "bc", " ", "abc"});
    CHECK(bpe.encode("").empty());
}

TEST_CASE("merges do not cross pre-tokens") {
    const ByteLevelBpe bpe(data_of({{"a", " "}, {" ", "a"}, {"a", "1"}}));
    CHECK(pieces(bpe, "a a1") == Pieces{"a", " a", "1"});
}

TEST_CASE("decoding gives the text back, special tokens nothing, broken bytes a replacement") {
    const ByteLevelBpe bpe(data_of({{"\xE6", "\x88"}}));
    CHECK(bpe.decode(bpe.encode("na\u00efve \u6211!")) == "na\u00efve \u6211!");
    const auto special = static_cast<Token>(bpe.size() - 1);
    const std::vector<Token> tokens{'a', special, 0xE6, 'b', -1, 1 << 30};
    CHECK(bpe.bytes(special).empty());
    CHECK(bpe.bytes(-1).empty());
    CHECK(bpe.bytes(1 << 30).empty());
    CHECK(bpe.decode(tokens) == "a\uFFFDb");
}

TEST_CASE("data that is no byte-level BPE is refused") {
    BpeData missing = data_of({});
    missing.tokens['x'].clear();
    CHECK_THROWS_AS(ByteLevelBpe{missing}, std::invalid_argument);
    BpeData unknown = data_of({{"a", "b"}});
    unknown.merges.front().left = 100000;
    CHECK_THROWS_AS(ByteLevelBpe{unknown}, std::invalid_argument);
    BpeData wrong = data_of({{"a", "b"}});
    wrong.merges.front().result = 'c';
    CHECK_THROWS_AS(ByteLevelBpe{wrong}, std::invalid_argument);
    CHECK_THROWS_AS(ByteLevelBpe{BpeData{}}, std::invalid_argument);
}

TEST_CASE("stable prefixes hold for random vocabularies, texts and continuations") {
    std::mt19937 random(3);
    const auto number = [&random](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    const std::vector<std::string> alphabet{"a", "b",      "r",      "e",  "s", "'",   " ",
                                            "1", "\u6211", "\u4eec", "\n", "!", "\xFF"};
    std::size_t inside = 0;
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> known(alphabet.begin(), alphabet.end());
        known.insert(known.end(), {"\xE6", "\x88", "\x91", "\xE4", "\xBB", "\xAC"});
        std::erase_if(known, [](const std::string& s) { return s.size() > 1; });
        std::vector<std::pair<std::string, std::string>> merges;
        for (int i = number(0, 40); i > 0; --i) {
            const std::string left =
                known[static_cast<std::size_t>(number(0, static_cast<int>(known.size()) - 1))];
            const std::string right =
                known[static_cast<std::size_t>(number(0, static_cast<int>(known.size()) - 1))];
            merges.emplace_back(left, right);
            known.push_back(left + right);
        }
        const ByteLevelBpe bpe(data_of(merges));
        for (int t = 0; t < 150; ++t) {
            std::string text;
            for (int i = number(0, 14); i > 0; --i) {
                text += alphabet[static_cast<std::size_t>(number(0, static_cast<int>(alphabet.size()) - 1))];
            }
            const auto cut = static_cast<std::size_t>(number(0, static_cast<int>(text.size())));
            const std::size_t stable = bpe.stable_prefix(std::string_view(text).substr(0, cut));
            REQUIRE(stable <= cut);
            std::vector<Token> tokens = bpe.encode(std::string_view(text).substr(0, stable));
            const std::vector<Token> rest = bpe.encode(std::string_view(text).substr(stable));
            tokens.insert(tokens.end(), rest.begin(), rest.end());
            CHECK(tokens == bpe.encode(text));
            inside += stable > 0 && stable < cut ? 1 : 0;
        }
    }
    CHECK(inside > 2000);
}

TEST_CASE("a very long word takes no quadratic time") {
    const ByteLevelBpe bpe(data_of({{"a", "a"}, {"aa", "aa"}}));
    const std::string text(300'000, 'a');
    CHECK(bpe.encode(text).size() == 75'000);
}
