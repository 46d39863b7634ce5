// The recorded drafter: what it says on its own and after a restart, and what its steps cost.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "replay/trace_drafter.hpp"
#include "rig.hpp"

using namespace as2d;
using namespace as2d::replay;
using namespace as2d::test;

namespace {

struct Rig {
    explicit Rig(const Json& line, const Costs& costs = {})
        : trace(line, vocabulary()),
          profile(profile_of(costs)),
          drafter(trace, profile, vocabulary(), clock) {}
    /// What it says until its end, at most 50 steps; the end is a dot.
    std::string rest() {
        std::string text;
        for (int i = 0; i < 50; ++i) {
            const DraftPiece piece = drafter.step();
            text += piece.text;
            if (piece.end_of_text) return text + ".";
        }
        return text;
    }
    int width() { return drafter.step().width; }
    Trace trace;
    CostProfile profile;
    VirtualClock clock;
    TraceDrafter drafter;
};

Json after(int tokens, const Json& pieces) { return {{"after", tokens}, {"pieces", pieces}}; }

}  // namespace

TEST_CASE("it says its own history, then what was recorded behind the text that it is restarted from") {
    Rig rig(trace_json("abcde", words_and_end("axy"),
                       Json::array({after(1, words_and_end("bxe")), after(3, words_and_end("de"))})));
    CHECK(rig.rest() == " a x y.");
    rig.drafter.restart(" a");
    CHECK(rig.rest() == " b x e.");
    rig.drafter.restart(" a b");  // not recorded: what it says after " a" begins with " b"
    CHECK(rig.rest() == " x e.");
    rig.drafter.restart(" a b c");
    CHECK(rig.rest() == " d e.");
    rig.drafter.restart(" a b c d");
    CHECK(rig.rest() == " e.");
    rig.drafter.restart("");
    CHECK(rig.rest() == " a x y.");
}

TEST_CASE("a restart inside a piece says the rest of it first") {
    Rig rig(trace_json("abc", Json::array({piece(" a b"), piece(" c"), piece("", 0.5, true)})));
    rig.drafter.restart(" a");
    CHECK(rig.drafter.step().text == " b");
    CHECK(rig.rest() == " c.");
}

TEST_CASE("a text that is no part of the answer is drafted on from the nearest recorded place") {
    Rig rig(trace_json("abcde", words_and_end("abcde"),
                       Json::array({after(2, words_and_end("cd")), after(3, words_and_end("de"))})));
    rig.drafter.restart(" a b z");
    CHECK(rig.rest() == " d e.");
    rig.drafter.restart(" a b c z");  // one word of what follows " a b c" is passed
    CHECK(rig.rest() == " e.");
    rig.drafter.restart(" a b c d e f g h i");
    CHECK(rig.rest() == ".");
}

TEST_CASE("where recording stopped it goes on from the next recorded place") {
    Rig rig(trace_json("abcdef", words_and_end("x"),
                       Json::array({after(1, Json::array({piece(" b"), piece(" c"), piece(" d")})),
                                    after(2, Json::array({piece(" c"), piece(" d"), piece(" e")})),
                                    after(4, Json::array({piece(" e"), piece(" f")}))})));
    rig.drafter.restart(" a");
    CHECK(rig.rest() == " b c d e f.");
    CHECK(rig.drafter.work().steps == 6);
}

TEST_CASE("a step runs the prompt first, then one token; after a restart what is new, at least one") {
    Rig rig(trace_json("abcdef", words_and_end("abcdxy"), Json::array({after(1, words_and_end("bcdef"))})));
    CHECK(rig.width() == 2);  // " a"
    CHECK(rig.width() == 1);  // " b"
    CHECK(rig.width() == 1);  // " c", not run yet
    rig.drafter.restart(" a b c");
    CHECK(rig.width() == 1);  // " c" alone; says " d"
    rig.drafter.restart(" a b c d");
    CHECK(rig.width() == 1);
    rig.drafter.restart(" a b z");  // " z" is not a b c
    CHECK(rig.width() == 1);
    rig.drafter.restart(" a b c d e");  // " c d e"
    CHECK(rig.width() == 3);
    rig.drafter.restart(" a b");  // all of it was run: its last token again
    CHECK(rig.width() == 1);
    rig.drafter.restart("");
    CHECK(rig.width() == 1);
    Rig fresh(trace_json("abcdef", words_and_end("abcdxy")));
    fresh.drafter.restart(" a b z?");  // the prompt, two words, and a word of four bytes
    CHECK(fresh.width() == 2 + 2 + 3);
}

TEST_CASE("steps cost what the profile says, and work is counted unless it is free") {
    Rig rig(trace_json("abc", words_and_end("abc")), {.context = 1.0});
    std::vector<DraftSpan> spans;
    rig.drafter.record(&spans);
    rig.drafter.set_free(true);
    rig.drafter.step();
    rig.drafter.set_free(false);
    CHECK(rig.clock.now() == 0);
    rig.drafter.step();  // 3 ms on 2 cached tokens
    CHECK(rig.clock.now() == 5 * kMs);
    rig.drafter.share_cores(true);
    rig.drafter.step();  // 5 ms on 3 cached tokens, twice as slow beside the target
    CHECK(rig.clock.now() == 21 * kMs);
    rig.drafter.set_target_waits(true);
    rig.drafter.step();
    CHECK(rig.clock.now() == 30 * kMs);
    CHECK(rig.drafter.work().steps == 3);
    CHECK(rig.drafter.work().time == 30 * kMs);
    REQUIRE(spans.size() == 3);
    CHECK(spans[1].start == 5 * kMs);
    CHECK(spans[1].end == 21 * kMs);
    CHECK(spans[1].epoch == 0);
}
