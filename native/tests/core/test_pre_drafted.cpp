// What was said before the request is said again at no cost, and nothing else changes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/pre_drafted.hpp"
#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

/// Speaks from a script; knows when it is asked for more behind its end of text, and what it is told.
class StrictDrafter final : public Drafter {
  public:
    explicit StrictDrafter(DrafterScript script) : script_(std::move(script)) {}
    bool can(std::string_view task, std::string_view /*language*/) const override {
        return task == "transcribe";
    }
    DraftPiece step() override {
        CHECK_FALSE(ended_);
        ++steps;
        DraftPiece piece = script_.step();
        ended_ = piece.end_of_text;
        return piece;
    }
    void restart(std::string_view text) override {
        restarts.emplace_back(text);
        ended_ = false;
        script_.restart(text);
    }
    void share_cores(bool target_running) override { shared.push_back(target_running); }

    int steps = 0;
    std::vector<std::string> restarts;
    std::vector<bool> shared;

  private:
    ScriptedDrafter script_;
    bool ended_ = false;
};

std::vector<DraftPiece> say(Drafter& drafter, int count) {
    std::vector<DraftPiece> said;
    while (static_cast<int>(said.size()) < count && (said.empty() || !said.back().end_of_text))
        said.push_back(drafter.step());
    return said;
}

DrafterScript script_of(const std::vector<std::string>& texts) {
    DrafterScript script;
    for (const std::string& text : texts)
        script.pieces.push_back({text, 0.5F});
    return script;
}

std::string rest_of(Drafter& drafter) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
        const DraftPiece piece = drafter.step();
        text += piece.text;
        if (piece.end_of_text) return text;
    }
    return text + "...";
}

}  // namespace

TEST_CASE("said pieces cost nothing, then the drafter goes on where it stands") {
    StrictDrafter inner(script_of({" a", " b", " c"}));
    PreDrafted drafter(say(inner, 2), inner);
    CHECK(inner.steps == 2);
    CHECK(drafter.says_again());
    const DraftPiece first = drafter.step();
    CHECK(first.text == " a");
    CHECK(first.confidence == doctest::Approx(0.5F));
    CHECK(first.width == 0);
    CHECK(first.drafter_tokens == 0);
    CHECK(drafter.step().text == " b");
    CHECK(inner.steps == 2);
    CHECK_FALSE(drafter.says_again());
    const DraftPiece third = drafter.step();
    CHECK(third.text == " c");
    CHECK(third.width == 1);
    CHECK(inner.steps == 3);
    CHECK(inner.restarts.empty());
    CHECK(drafter.can("transcribe", "en"));
    CHECK_FALSE(drafter.can("translate", "en"));
    drafter.share_cores(false);
    CHECK(inner.shared == std::vector{false});
}

TEST_CASE("a text that ends where a piece ends costs nothing; one inside a piece or another text does") {
    StrictDrafter inner(script_of({" a", "", " bcd", " e"}));
    PreDrafted drafter(say(inner, 100), inner);
    const int steps = inner.steps;
    SUBCASE("at a boundary") {
        drafter.restart(" a");
        CHECK(rest_of(drafter) == " bcd e");
        drafter.restart(" a bcd");
        CHECK(drafter.says_again());
        CHECK(rest_of(drafter) == " e");
        drafter.restart("");
        CHECK(rest_of(drafter) == " a bcd e");
        drafter.restart(" a bcd e");
        CHECK(rest_of(drafter) == "");
        CHECK(inner.steps == steps);
        CHECK(inner.restarts.empty());
    }
    SUBCASE("inside a piece") {
        drafter.restart(" a bc");
        CHECK_FALSE(drafter.says_again());
        CHECK(rest_of(drafter) == "d e");
        CHECK(inner.restarts == std::vector<std::string>{" a bc"});
    }
    SUBCASE("another text, then back to a boundary") {
        drafter.restart(" a x");
        CHECK(drafter.step().text == "cd");
        drafter.restart(" a");
        CHECK(rest_of(drafter) == " bcd e");
        CHECK(inner.restarts == std::vector<std::string>{" a x"});
    }
    SUBCASE("longer than what was said") {
        drafter.restart(" a bcd e f");
        CHECK(rest_of(drafter) == "");
        CHECK(inner.restarts == std::vector<std::string>{" a bcd e f"});
    }
}

TEST_CASE("behind said pieces that were cut short, a drafter that was elsewhere is told where to go on") {
    StrictDrafter inner(script_of({" a", " b", " c", " d"}));
    PreDrafted drafter(say(inner, 2), inner);
    drafter.restart(" a b c");
    CHECK(drafter.step().text == " d");
    drafter.restart(" a");
    CHECK(drafter.step().text == " b");
    CHECK(drafter.step().text == " c");
    CHECK(inner.restarts == std::vector<std::string>{" a b c", " a b"});
}

TEST_CASE("an end of text that came with words is said again, not asked for") {
    StrictDrafter inner(script_of({" a", " b"}));
    std::vector<DraftPiece> said = say(inner, 2);
    said.back().end_of_text = true;
    PreDrafted drafter(said, inner);
    CHECK(rest_of(drafter) == " a b");
    drafter.restart(" a b");
    const DraftPiece end = drafter.step();
    CHECK(end.end_of_text);
    CHECK(end.text == "");
    CHECK(end.width == 0);
    CHECK(inner.steps == 2);
}

TEST_CASE("random: it says what the drafter alone would say, and never costs more steps") {
    long cases = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        DrafterScript script;
        std::string text;
        bool empty_pieces = false;
        for (int i = random.number(0, 12); i > 0; --i) {
            script.pieces.push_back({random.of<std::string>({"", " a", "b", " abc", "\u6211", "\xE6"})});
            text += script.pieces.back().text;
            empty_pieces = empty_pieces || script.pieces.back().text.empty();
        }
        StrictDrafter inner(script);
        PreDrafted drafter(say(inner, random.number(0, 15)), inner);
        StrictDrafter alone(script);
        const int before = inner.steps;
        for (int round = random.number(1, 6); round > 0; --round) {
            if (random.chance(0.8)) {
                std::string from = text.substr(0, static_cast<std::size_t>(random.number(0, 20)));
                if (random.chance(0.3)) from += random.of<std::string>({"x", " a", "\u6211"});
                if (!from.empty() && random.chance(0.2)) from.front() = '?';
                drafter.restart(from);
                alone.restart(from);
            }
            // Empty pieces at the place it goes on from may be said or not.
            std::string said, wanted;
            bool said_end = false, wanted_end = false;
            const auto length = static_cast<std::size_t>(random.number(0, 10));
            for (int i = 0; i < 40 && said.size() < length && !said_end; ++i) {
                const DraftPiece piece = drafter.step();
                said += piece.text;
                said_end = piece.end_of_text;
            }
            for (int i = 0; i < 40 && wanted.size() < length && !wanted_end; ++i) {
                const DraftPiece piece = alone.step();
                wanted += piece.text;
                wanted_end = piece.end_of_text;
            }
            CHECK(said == wanted);
            CHECK(said_end == wanted_end);
            if (said_end) break;
            ++cases;
        }
        if (!empty_pieces) CHECK(inner.steps - before <= alone.steps);
    }
    CHECK(cases > 2000);
}
