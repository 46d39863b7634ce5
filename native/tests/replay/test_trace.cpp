// Trace lines: what is read, and what is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "replay/trace.hpp"
#include "rig.hpp"

using namespace as2d;
using namespace as2d::replay;
using namespace as2d::test;

namespace {

Json continuations() {
    return Json::array({{{"after", 2}, {"pieces", words_and_end("c")}},
                        {{"after", 1}, {"pieces", Json::array({piece(" b")})}}});
}

std::string refusal(const std::function<void(Json&)>& change) {
    Json line = trace_json("abc", words_and_end("abx"), continuations());
    change(line);
    try {
        const Trace trace(line, vocabulary());
    } catch (const BadInput& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a trace line gives the answer, its bytes and the continuations in order") {
    Json line = trace_json("abc", words_and_end("abx"), continuations());
    line["margins"][1] = nullptr;
    line["own"][1][0] = {{"hex", "20e4b8"}};
    const Trace trace(line, vocabulary());
    CHECK(trace.window() == "\"w1\"");
    CHECK(trace.tokens() == std::vector<Token>{0, 1, 2, end_token()});
    CHECK(std::isinf(trace.margins()[1]));
    CHECK(trace.answer() == " a b c");
    CHECK(trace.text_end(0) == 0);
    CHECK(trace.text_end(2) == 4);
    CHECK(trace.text_end(4) == 6);
    CHECK(trace.prefill() == 10 * kMs);
    REQUIRE(trace.drafted());
    REQUIRE(trace.continuations().size() == 3);
    CHECK(trace.continuations()[0].after == 0);
    CHECK(trace.continuations()[1].after == 1);
    CHECK(trace.continuations()[1].text_begin == 2);
    CHECK(trace.pieces(trace.continuations()[1]).size() == 1);
    const auto own = trace.pieces(trace.continuations()[0]);
    REQUIRE(own.size() == 4);
    CHECK(own[0].width == 2);
    CHECK(trace.text_of(own[1]) == " \xE4\xB8");
    CHECK(trace.text_of(own[2]) == " x");
    CHECK(own[3].end_of_text);
}

TEST_CASE("a window whose request had no drafter has no drafts") {
    CHECK_FALSE(Trace(trace_json("ab", Json::array()), vocabulary()).drafted());
}

TEST_CASE("a trace that cannot be used is refused with one sentence") {
    CHECK(refusal([](Json&) {}).empty());
    CHECK(refusal([](Json& t) { t = 3; }) == "The trace must be a JSON object.");
    CHECK(refusal([](Json& t) { t["trace"] = 2; }) ==
          "The field 'trace' of the trace is version 2, and only 1 can be replayed.");
    CHECK(refusal([](Json& t) { t["window"] = 7; }) == "The field 'window' of the trace must be a text.");
    CHECK(refusal([](Json& t) { t["tokens"] = Json::array(); }) ==
          "The field 'tokens' of the trace must not be empty.");
    CHECK(refusal([](Json& t) { t["tokens"][0] = -1; }) ==
          "The field 'tokens' of the trace must hold token ids.");
    CHECK(refusal([](Json& t) { t["tokens"][1] = t["end_token"]; }) ==
          "The field 'tokens' of the trace goes on behind its end token.");
    CHECK(refusal([](Json& t) { t["tokens"][3] = 1; }) ==
          "The field 'tokens' of the trace must end with the end token.");
    CHECK(refusal([](Json& t) { t["token_limit"] = 3; }) ==
          "The field 'tokens' of the trace has more than 3 entries.");
    CHECK(refusal([](Json& t) { t["margins"].erase(0); }) ==
          "The field 'margins' of the trace must have one entry for each token.");
    CHECK(refusal([](Json& t) { t["margins"][0] = -0.5; }) ==
          "The field 'margins' of the trace must hold numbers from 0 on.");
    CHECK(refusal([](Json& t) { t["stop"] = "cancelled"; }) ==
          "The field 'stop' of the trace must be end_of_text, length_limit, repetition or no_speech.");
    CHECK(refusal([](Json& t) { t["own"] = Json::array(); }) ==
          "The field 'continuations' of the trace needs what the drafter says on its 'own'.");
    CHECK(refusal([](Json& t) { t["continuations"][0]["after"] = 1; }) ==
          "The field 'continuations' of the trace has the place 1 twice.");
    CHECK(refusal([](Json& t) { t["continuations"][0]["after"] = 5; }) ==
          "The field 'after' of the trace's continuations must be a whole number from 1 to 4.");
    CHECK(refusal([](Json& t) { t["own"][0][3] = true; }) ==
          "The trace has draft pieces behind an end of text.");
    const std::string shape =
        "A draft piece of the trace must be [text, confidence from 0 to 1, width, end of text].";
    CHECK(refusal([](Json& t) { t["own"][0] = "a"; }) == shape);
    CHECK(refusal([](Json& t) { t["own"][0][1] = 1.5; }) == shape);
    CHECK(refusal([](Json& t) { t["own"][0][2] = -1; }) == shape);
    for (const char* hex : {"e4b", "E4", "zz"}) {
        CHECK(refusal([&](Json& t) { t["own"][0][0] = {{"hex", hex}}; }) ==
              "The text of a draft piece of the trace must be a text or {\"hex\": lower-case digits}.");
    }
}
