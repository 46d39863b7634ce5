// A memo says what the encoder says.
#include <doctest/doctest.h>

#include <string>

#include "replay/memo_encoder.hpp"
#include "rig.hpp"

using namespace as2d;
using namespace as2d::replay;
using namespace as2d::test;

TEST_CASE("the memo encodes like its encoder, again and again, long texts too") {
    const MemoEncoder memo(vocabulary());
    Random random(5);
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        const int words = i % 100 == 0 ? 200 : random.number(0, 3);
        for (int word = 0; word < words; ++word)
            text += std::string(vocabulary().bytes(random.number(0, kWords + 255)));
        CHECK(memo.encode(text) == vocabulary().encode(text));
        CHECK(memo.stable_prefix(text) == vocabulary().stable_prefix(text));
    }
    CHECK(memo.bytes(3) == " d");
}
