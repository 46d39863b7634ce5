#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "core/rules.hpp"
#include "scripted/scripted_target.hpp"

using namespace as2d;

namespace {

TargetRules multilingual() {
    TargetRules rules;
    rules.start = 100;
    rules.end = 99;
    rules.transcribe = 103;
    rules.translate = 104;
    rules.no_timestamps = 105;
    rules.languages = {{"en", 101}, {"zh", 102}};
    return rules;
}

/// Index of the token after which it stops, -1 for never.
int stop_of(const std::vector<Token>& tokens) {
    RepetitionStop stop;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (stop.push(std::span(tokens).first(i), tokens[i])) return static_cast<int>(i);
    }
    return -1;
}

std::vector<Token> periodic(int period, int count) {
    std::vector<Token> tokens;
    for (int i = 0; i < count; ++i)
        tokens.push_back(i % period);
    return tokens;
}

}  // namespace

TEST_CASE("the prompt names language and task of a multilingual model") {
    const TargetRules rules = multilingual();
    CHECK(rules.prompt("zh", "transcribe") == std::vector<Token>{100, 102, 103, 105});
    CHECK(rules.prompt("en", "translate") == std::vector<Token>{100, 101, 104, 105});
    CHECK_THROWS_AS(rules.prompt("xx", "transcribe"), RequestError);
    CHECK_THROWS_AS(rules.prompt("en", "summarise"), RequestError);
    CHECK_THROWS_AS(rules.prompt("", "transcribe"), RequestError);
}

TEST_CASE("an English-only model takes English transcription alone") {
    TargetRules rules = multilingual();
    rules.languages.clear();
    CHECK(rules.prompt("en", "transcribe") == std::vector<Token>{100, 105});
    CHECK_THROWS_AS(rules.prompt("en", "translate"), RequestError);
    CHECK_THROWS_AS(rules.prompt("zh", "transcribe"), RequestError);
}

TEST_CASE("the language is the target's best language token, and the cache is left empty") {
    TargetScript script;
    script.language = 102;
    script.log_prob = std::log(0.75F);
    ScriptedTarget target(script);
    const DetectedLanguage detected = detect_language(target, multilingual());
    CHECK(detected.language == "zh");
    CHECK(detected.token == 102);
    CHECK(detected.probability == doctest::Approx(0.75F));
    CHECK(target.length() == 0);
    CHECK(target.calls() == 1);
    script.language = 55;
    ScriptedTarget strange(script);
    CHECK_THROWS_AS(detect_language(strange, multilingual()), EngineError);
}

TEST_CASE("repetition stops after 24 tokens and four periods") {
    CHECK(stop_of(periodic(1, 100)) == 23);
    CHECK(stop_of(periodic(2, 100)) == 23);
    CHECK(stop_of(periodic(6, 100)) == 23);
    CHECK(stop_of(periodic(7, 100)) == 27);
    CHECK(stop_of(periodic(16, 100)) == 63);
    CHECK(stop_of(periodic(17, 224)) == -1);
    CHECK(stop_of(periodic(1, 23)) == -1);
    // Text before the loop does not count, a break in it starts anew.
    std::vector<Token> tokens{50, 51, 52};
    for (const Token token : periodic(3, 20))
        tokens.push_back(token);
    tokens.push_back(77);
    CHECK(stop_of(tokens) == -1);
    for (const Token token : periodic(3, 24))
        tokens.push_back(token);
    CHECK(stop_of(tokens) == static_cast<int>(tokens.size()) - 1);
}

TEST_CASE("methods are found by name") {
    CHECK(find_method("as2d").drafting == Drafting::decoupled);
    CHECK(find_method("target-only").drafting == Drafting::none);
    for (const MethodEntry& entry : methods())
        CHECK(make_method(entry.name, {4, Admission::text}) != nullptr);
    try {
        make_method("sdd", {});
        FAIL("an unknown method was made");
    } catch (const RequestError& error) {
        CHECK(std::string(error.what()) ==
              "The method 'sdd' is unknown; known methods: target-only, sd, specasr, as2d, without-td, "
              "as2d-serial, lookahead, as2d-resync.");
    }
    CHECK_THROWS_AS(make_method("as2d", {-1, Admission::root}), RequestError);
}
