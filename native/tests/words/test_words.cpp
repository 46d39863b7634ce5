#include "words/words.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace as2d;

namespace {

/// Each token is one of these pieces.
class Pieces final : public TextEncoder {
  public:
    explicit Pieces(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
    std::vector<Token> encode(std::string_view /*text*/) const override {
        std::vector<Token> all;
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            all.push_back(static_cast<Token>(i));
        return all;
    }
    std::string_view bytes(Token token) const override { return pieces_[static_cast<std::size_t>(token)]; }
    std::size_t stable_prefix(std::string_view /*utf8*/) const override { return 0; }

  private:
    std::vector<std::string> pieces_;
};

std::vector<std::string> split(const std::vector<std::string>& pieces) {
    const Pieces encoder(pieces);
    std::vector<std::string> texts;
    int next = 0;
    for (const Word& word : split_words(encoder.encode(""), encoder)) {
        CHECK(word.first_token == next);
        CHECK(word.tokens >= 1);
        next += word.tokens;
        texts.push_back(word.text);
    }
    CHECK(next == static_cast<int>(pieces.size()));
    return texts;
}

using Texts = std::vector<std::string>;

/// Weights with a bump of `width` frames around each row's centre, a head-wide habit, and noise.
std::vector<float> bumps(const std::vector<int>& centres, int heads, int frames, double noise,
                         unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, noise);
    std::vector<float> values;
    for (int head = 0; head < heads; ++head) {
        for (const int centre : centres) {
            std::vector<double> row;
            for (int frame = 0; frame < frames; ++frame) {
                const double off = (frame - centre) / 4.0;
                const double habit = frame == 10 * head ? 3.0 : 0.0;  // a frame every row looks at
                row.push_back(std::exp(-off * off) + habit + uniform(random));
            }
            double sum = 0.0;
            for (const double value : row)
                sum += value;
            for (const double value : row)
                values.push_back(static_cast<float>(value / sum));
        }
    }
    return values;
}

}  // namespace

TEST_CASE("spaced scripts are split at spaces, sub-words joined") {
    CHECK(split({" the", " craft", "s", "men", " took"}) == Texts{" the", " craftsmen", " took"});
    CHECK(split({"The", " end"}) == Texts{"The", " end"});
    CHECK(split({" na", "\xC3", "\xAF", "ve"}) == Texts{" na\u00efve"});
    CHECK(split({}).empty());
}

TEST_CASE("punctuation goes to the word it belongs to") {
    CHECK(split({" He", " said", ",", " \"", "yes", ".\"", " (", "twice", ")", "!"}) ==
          Texts{" He", " said,", " \"yes.\"", " (twice)!"});
    CHECK(split({" about", " 3", ".", "5", " per", "cent"}) == Texts{" about", " 3.5", " percent"});
    CHECK(split({" don", "'t", " wait", "..."}) == Texts{" don't", " wait..."});
    CHECK(split({" self", "-", "made"}) == Texts{" self-made"});
    CHECK(split({" \u00bf", "Qu\u00e9", "?"}) == Texts{" \u00bfQu\u00e9?"});
}

TEST_CASE("Chinese, Japanese and Thai by characters, other words in between stay whole") {
    CHECK(split({"\u4eca\u5929", "\u5929", "\u6c14", "\uff0c", "\u597d", "\u3002"}) ==
          Texts{"\u4eca\u5929", "\u5929", "\u6c14\uff0c", "\u597d\u3002"});
    CHECK(split({"\u6211", "\u7528", " Py", "thon", "\u5199"}) ==
          Texts{"\u6211", "\u7528", " Python", "\u5199"});
    CHECK(split({"\u597d", "\uff0c", "OK", "\u300c", "\u5929", "\u300d", "\u6c14"}) ==
          Texts{"\u597d\uff0c", "OK", "\u300c\u5929\u300d", "\u6c14"});
    CHECK(split({"\xE6\x88", "\x91", "\xE5", "\x96\x84"}) == Texts{"\u6211", "\u5584"});
    CHECK(split({"\u3053", "\u306b"}) == Texts{"\u3053", "\u306b"});
    CHECK(split({" \ud55c\uad6d", "\uc5b4", " \uc88b"}) == Texts{" \ud55c\uad6d\uc5b4", " \uc88b"});
}

TEST_CASE("bytes that are no UTF-8 and special tokens leave valid text and belong to a word") {
    CHECK(split({" a", "\xE6"}) == Texts{" a\uFFFD"});
    CHECK(split({" a", "", " b"}) == Texts{" a", " b"});
    CHECK(split({"\xFF", "\x88"}) == Texts{"\uFFFD\uFFFD"});
}

TEST_CASE("rows are placed where they attend, through noise and what every row attends to") {
    const std::vector<int> centres{20, 40, 70, 75, 110, 160, 180, 230, 260};
    for (unsigned seed = 0; seed < 10; ++seed) {
        const std::vector<float> values = bumps(centres, 4, 300, 0.2, seed);
        const std::vector<int> frames = row_frames({values, 4, 9, 300, 300}, 0, 8);
        REQUIRE(frames.size() == 10);
        CHECK(std::ranges::is_sorted(frames));
        CHECK(frames.front() == 0);
        CHECK(frames.back() == 300);
        for (std::size_t i = 1; i + 1 < frames.size(); ++i) {
            // A row begins between its own bump and the one before.
            CHECK(frames[i] >= centres[i - 1] - 3);
            CHECK(frames[i] <= centres[i] + 3);
        }
    }
}

TEST_CASE("weights on the padding do not count") {
    const std::vector<int> centres{20, 40, 70, 90};
    std::vector<float> values = bumps(centres, 2, 400, 0.0, 1);
    for (std::size_t row = 0; row < 8; ++row) {
        for (std::size_t frame = 100; frame < 400; ++frame)
            values[row * 400 + frame] = row == 2 ? 5.0F : 0.1F;
    }
    std::vector<float> cut;
    for (std::size_t row = 0; row < 8; ++row)
        cut.insert(cut.end(), &values[row * 400], &values[row * 400] + 100);
    CHECK(row_frames({values, 2, 4, 400, 100}, 0, 3) == row_frames({cut, 2, 4, 100, 100}, 0, 3));
}

TEST_CASE("few frames, many rows, weights of nothing: still times in order") {
    for (const int frames : {1, 2, 3, 4, 7}) {
        const std::vector<float> zeros(static_cast<std::size_t>(2 * 6 * frames), 0.0F);
        const std::vector<int> placed = row_frames({zeros, 2, 6, frames, frames}, 1, 5);
        REQUIRE(placed.size() == 6);
        CHECK(std::ranges::is_sorted(placed));
        CHECK(placed.back() == frames);
        CHECK(placed.front() >= 0);
    }
}

TEST_CASE("words take the times of their tokens; the row before a token places it") {
    const Pieces encoder({" one", " tw", "o", " three"});
    const std::vector<Token> tokens = encoder.encode("");
    // Rows: two of the prompt, four of the text, one more. Row 1 places " one", row 5 what is behind "
    // three".
    const std::vector<int> centres{1, 20, 50, 60, 90, 140, 199};
    const std::vector<float> values = bumps(centres, 3, 200, 0.0, 1);
    const std::vector<Word> words = timed_words(tokens, encoder, {values, 3, 7, 200, 200}, 2);
    REQUIRE(words.size() == 3);
    CHECK(words[0].text == " one");
    CHECK(words[1].text == " two");
    CHECK(words[1].first_token == 1);
    CHECK(words[1].tokens == 2);
    CHECK(words[1].start > 20 * 0.02);
    CHECK(words[1].start < 50 * 0.02);
    CHECK(words[1].end == doctest::Approx(words[2].start));
    CHECK(words[2].end > 90 * 0.02);
    CHECK(words[2].end <= 140 * 0.02 + 0.06);
}

TEST_CASE("a pause at a sentence's end stretches no word") {
    std::vector<Word> words{{" So", 0.0, 3.0, 0, 1},     {" it", 3.0, 3.2, 1, 1},
                            {" ends.", 3.2, 9.0, 2, 1},  {" Then", 9.0, 12.0, 3, 1},
                            {" slow", 12.0, 14.0, 4, 1}, {" on", 14.0, 14.3, 5, 1},
                            {" and", 14.3, 14.5, 6, 1},  {" off", 14.5, 20.0, 7, 1}};
    shorten_at_pauses(words);
    // The median is 3.0 s, held to 0.7 s: at most 1.4 s.
    CHECK(words[0].start == doctest::Approx(1.6));
    CHECK(words[2].end == doctest::Approx(4.6));
    CHECK(words[3].start == doctest::Approx(10.6));
    CHECK(words[4].end - words[4].start == doctest::Approx(2.0));
    CHECK(words[7].end == doctest::Approx(15.9));
    for (const Word& word : words)
        CHECK(word.end >= word.start);
}

TEST_CASE("a pause inside Chinese text stretches no character") {
    // As heard: a character held from 0.26 to 3.44 s, another from 13.7 to 17.3 s.
    std::vector<Word> words{
        {"\u4eca", 0.0, 0.26, 0, 1},  {"\u5929", 0.26, 3.44, 1, 1}, {"\u5929", 3.44, 3.64, 2, 1},
        {"\u6c14", 3.64, 3.88, 3, 1}, {"\u5f88", 3.88, 4.08, 4, 1}, {"\u597d", 4.08, 4.6, 5, 1},
        {"\u6211", 13.3, 13.5, 6, 1}, {"\u4eec", 13.5, 13.7, 7, 1}, {"\u95ee", 13.7, 17.3, 8, 1},
        {"\u4e00", 17.3, 17.5, 9, 1}, {"\u4e0b", 17.5, 17.7, 10, 1}};
    shorten_at_pauses(words);
    CHECK(words[1].start == doctest::Approx(0.26));
    CHECK(words[1].end < 1.1);
    CHECK(words[5].end == doctest::Approx(4.6));
    CHECK(words[8].start == doctest::Approx(13.7));
    CHECK(words[8].end < 14.4);
    CHECK(words[9].start == doctest::Approx(17.3));
}

TEST_CASE("a pause inside a sentence of spaced words stretches no word") {
    std::vector<Word> words{{" we", 0.0, 0.3, 0, 1},     {" waited", 0.3, 0.7, 1, 1},
                            {" and", 0.7, 5.0, 2, 1},    {" then", 5.0, 5.3, 3, 1},
                            {" slowly", 5.3, 6.5, 4, 1}, {" left", 6.5, 6.8, 5, 1}};
    shorten_at_pauses(words);
    CHECK(words[2].start == doctest::Approx(0.7));
    CHECK(words[2].end == doctest::Approx(2.1));
    CHECK(words[4].end == doctest::Approx(6.5));
}
