// Replay jobs as JSON lines: answers, refusals, and lines that nobody should send.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "replay/command.hpp"
#include "replay/session.hpp"
#include "rig.hpp"

using namespace as2d;
using namespace as2d::replay;
using namespace as2d::test;

namespace {

std::string utf8(unsigned code) {
    if (code < 0x80) return {static_cast<char>(code)};
    return {static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 0x3FU))};
}

/// A tokenizer.json whose tokens are the bytes and " a" to " z", from 256 on; the end token is behind them.
class Tokenizer {
  public:
    Tokenizer() {
        Json vocabulary = Json::object();
        Json merges = Json::array();
        unsigned shifted = 256;
        for (unsigned byte = 0; byte < 256; ++byte) {
            const bool visible =
                (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
            vocabulary[utf8(visible ? byte : shifted++)] = byte;
        }
        for (char letter = 'a'; letter <= 'z'; ++letter) {
            vocabulary[std::string("\u0120") + letter] = 256 + (letter - 'a');
            merges.push_back(std::string("\u0120 ") + letter);
        }
        const Json json = {{"pre_tokenizer", {{"type", "ByteLevel"}, {"use_regex", true}}},
                           {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}}};
        std::ofstream(path_) << json.dump();
    }
    ~Tokenizer() { std::filesystem::remove(path_); }
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;
    std::string path() const { return path_; }

  private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("as2d-replay-test-" + std::to_string(::getpid()) + ".json");
};

Json setup(const Tokenizer& tokenizer) {
    return {{"kind", "setup"}, {"tokenizer", tokenizer.path()}, {"profile", profile_json({})}};
}

Json trace_line(const std::string& answer, const std::string& drafted) {
    Json line = trace_json(answer, words_and_end(drafted));
    for (Json& token : line["tokens"])
        token = token.get<int>() + 256;
    line["end_token"] = end_token() + 256;
    return line;
}

Json arm_line(const std::string& method) {
    return {{"kind", "arm"}, {"name", method},      {"method", method},
            {"budget", 4},   {"admission", "text"}, {"start_condition", "pre-drafted"}};
}

Json run_line(bool detail) { return {{"kind", "run"}, {"detail", detail}}; }

struct Talk {
    Session session{[this](std::string_view text) {
        said += text;
        return true;
    }};
    std::string said;
    void tell(const Json& line) { CHECK(session.handle(line.dump())); }
    std::string refusal(const std::string& line) {
        try {
            session.handle(line);
        } catch (const BadInput& error) {
            return error.what();
        }
        return "";
    }
    std::string refusal(const Json& line) { return refusal(line.dump()); }
    std::vector<Json> answers() const {
        std::vector<Json> out;
        for (std::size_t at = 0; at < said.size();) {
            const std::size_t end = said.find('\n', at);
            out.push_back(Json::parse(said.substr(at, end - at)));
            at = end + 1;
        }
        return out;
    }
};

/// What the command answers to an input, and its exit status.
std::pair<std::string, int> answer_to(const std::string& input) {
    int in[2];
    int out[2];
    REQUIRE(::pipe(in) == 0);
    REQUIRE(::pipe(out) == 0);
    REQUIRE(::write(in[1], input.data(), input.size()) == static_cast<ssize_t>(input.size()));
    ::close(in[1]);
    const int status = replay::run(in[0], out[1]);
    ::close(out[1]);
    std::string text(1 << 16, '\0');
    const auto count = ::read(out[0], text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    ::close(in[0]);
    ::close(out[0]);
    return {text, status};
}

}  // namespace

TEST_CASE("a job is answered window by window, arm by arm, and can be run again") {
    const Tokenizer tokenizer;
    Talk talk;
    talk.tell(setup(tokenizer));
    talk.tell(trace_line("abcdefghi", "abcdefghi"));
    Json other = trace_line("ab", "ab");
    other["window"] = "\"w\"\n2";
    talk.tell(other);
    talk.tell(arm_line("target-only"));
    talk.tell(arm_line("as2d"));
    talk.tell(run_line(false));
    auto answers = talk.answers();
    REQUIRE(answers.size() == 5);
    CHECK(answers[0]["arm"] == "target-only");
    CHECK(answers[1]["window"] == "\"w\"\n2");
    CHECK(answers[2] == Json{{"kind", "window"},
                             {"arm", "as2d"},
                             {"window", "w1"},
                             {"tokens", 10},
                             {"decode_ns", 16 * kMs},
                             {"response_ns", 26 * kMs},
                             {"first_token_ns", 10 * kMs},
                             {"draft_ns", 0},
                             {"draft_steps", 0},
                             {"differing", 0},
                             {"counters",
                              {{"tokens", 10},
                               {"calls", 2},
                               {"guard_calls", 0},
                               {"proposed", 8},
                               {"accepted", 8},
                               {"accepted_by_position", {2, 2, 2, 2}},
                               {"proposed_by_position", {2, 2, 2, 2}},
                               {"hits", 2},
                               {"end_accepted", true}}}});
    CHECK(answers[4]["kind"] == "done");
    CHECK(answers[4]["replays"] == 4);
    CHECK(answers[4]["seconds"].get<double>() > 0.0);

    talk.said.clear();
    talk.tell(run_line(true));
    answers = talk.answers();
    REQUIRE(answers.size() == 9);
    CHECK(answers[5]["kind"] == "timeline");
    CHECK(answers[5]["arm"] == "as2d");
    CHECK(answers[5]["calls"] == Json::array({{10 * kMs, 18 * kMs, 5, 4, "candidates", 10, 1},
                                              {18 * kMs, 26 * kMs, 5, 4, "candidates", 10, 6}}));
    CHECK(answers[5]["drafts"] == Json::array());
    CHECK(answers[1]["calls"][0] == Json::array({10 * kMs, 14 * kMs, 1, 0, "producer-none", 0, nullptr}));

    talk.said.clear();
    talk.tell(setup(tokenizer));  // begins anew
    talk.tell(run_line(false));
    CHECK(talk.answers().at(0)["replays"] == 0);
}

TEST_CASE("a reader that is gone ends a run") {
    const Tokenizer tokenizer;
    Session session([](std::string_view) { return false; });
    CHECK(session.handle(setup(tokenizer).dump()));
    CHECK(session.handle(trace_line("ab", "ab").dump()));
    CHECK(session.handle(arm_line("as2d").dump()));
    CHECK_FALSE(session.handle(run_line(false).dump()));
}

TEST_CASE("lines that cannot be used are refused, and what was there stays") {
    const Tokenizer tokenizer;
    Talk talk;
    CHECK(talk.refusal(std::string("{")) == "A line is not valid JSON.");
    CHECK(talk.refusal(Json::array()) == "The line must be a JSON object.");
    CHECK(talk.refusal(Json{{"kind", "stop"}}) ==
          "The field 'kind' of the line must be setup, trace, arm or run.");
    CHECK(talk.refusal(trace_line("ab", "ab")) == "A trace needs a setup before it.");
    CHECK(talk.refusal(arm_line("as2d")) == "An arm needs a setup before it.");
    CHECK(talk.refusal(run_line(false)) == "A run needs a setup before it.");
    Json line = setup(tokenizer);
    line["tokenizer"] = "/nowhere/tokenizer.json";
    CHECK(talk.refusal(line) ==
          "The tokenizer file cannot be used: '/nowhere/tokenizer.json' cannot be read.");
    talk.tell(setup(tokenizer));
    talk.tell(trace_line("ab", "ab"));
    talk.tell(arm_line("as2d"));
    CHECK(talk.refusal(arm_line("magic")).starts_with("The method 'magic' is unknown; known methods: "));
    line = arm_line("as2d");
    line["budget"] = -1;
    CHECK(talk.refusal(line) == "The field 'budget' of the arm must be a whole number from 0 to 1024.");
    line = arm_line("as2d");
    line["admission"] = "both";
    CHECK(talk.refusal(line) == "The field 'admission' of the arm must be root or text.");
    line = arm_line("as2d");
    line["start_condition"] = "now";
    CHECK(talk.refusal(line) ==
          "The field 'start_condition' of the arm must be request-start or pre-drafted.");
    line = arm_line("specasr");
    line["confidence"] = 2;
    CHECK(talk.refusal(line) == "The field 'confidence' of the arm must be a number from 0 to 1.");
    CHECK(talk.refusal(Json{{"kind", "run"}, {"detail", 1}}) ==
          "The field 'detail' of the run must be true or false.");
    talk.tell(run_line(false));
    CHECK(talk.answers().at(1)["replays"] == 1);
}

TEST_CASE("the command answers until the end of its input, and ends with status 2 at a bad line") {
    const Tokenizer tokenizer;
    const std::string job = setup(tokenizer).dump() + "\n" + trace_line("ab", "ab").dump() + "\n\n" +
                            arm_line("as2d").dump() + "\n";
    const auto [answers, status] = answer_to(job + R"({"kind":"run","detail":false})");
    CHECK(status == 0);
    CHECK(answers.starts_with(R"({"kind":"window","arm":"as2d","window":"w1",)"));
    const auto [error, bad_status] = answer_to(job + "what?\n" + run_line(false).dump() + "\n");
    CHECK(bad_status == 2);
    CHECK(error == "{\"kind\":\"error\",\"message\":\"Line 5: A line is not valid JSON.\"}\n");
    CHECK(answer_to("") == std::pair<std::string, int>{"", 0});
}

TEST_CASE("whatever a line says, it is refused in a sentence or replayed") {
    const Tokenizer tokenizer;
    const std::vector<Json> values{nullptr,
                                   true,
                                   -1,
                                   0,
                                   1,
                                   2,
                                   3,
                                   300,
                                   1e300,
                                   -0.5,
                                   0.5,
                                   "",
                                   "x",
                                   "hex",
                                   4096,
                                   4097,
                                   100000,
                                   1e5,
                                   Json::array(),
                                   Json::object(),
                                   Json{{"hex", "e4"}},
                                   18446744073709551615ULL};
    int refused = 0;
    int replayed = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        std::vector<Json> lines{setup(tokenizer), trace_line("abcabd", "abcxbd"), arm_line("as2d")};
        lines[1]["continuations"] = Json::array({{{"after", 2}, {"pieces", words_and_end("ca")}},
                                                 {{"after", 4}, {"pieces", words_and_end("b")}}});
        lines[2]["method"] = random.of<std::string>({"target-only", "sd", "specasr", "as2d", "without-td",
                                                     "as2d-serial", "lookahead", "as2d-resync"});
        lines[2]["start_condition"] = random.of<std::string>({"request-start", "pre-drafted"});
        const auto which = static_cast<std::size_t>(random.number(0, 2));
        // One value of a line becomes another, or its text is damaged.
        const Json flat = lines[which].flatten();
        const auto victim = std::next(flat.begin(), random.number(0, static_cast<int>(flat.size()) - 1));
        Json::json_pointer at(victim.key());
        for (int up = random.of<int>({0, 0, 0, 1, 2}); up > 0 && at.parent_pointer() != Json::json_pointer();
             --up)
            at = at.parent_pointer();
        if (victim.key() == "/tokenizer" || victim.key() == "/kind") continue;
        lines[which][at] = random.of(values);
        Talk talk;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            std::string text = lines[i].dump();
            if (i == which && random.chance(0.3)) {
                text[static_cast<std::size_t>(random.number(0, static_cast<int>(text.size()) - 1))] =
                    static_cast<char>(random.number(-128, 127));
            }
            const std::string refusal = talk.refusal(text);
            if (refusal.empty()) continue;
            ++refused;
            CHECK(refusal.ends_with("."));
        }
        if (!talk.refusal(run_line(true)).empty()) continue;
        for (const Json& answer : talk.answers())
            replayed += answer["kind"] == "window" ? 1 : 0;
    }
    CHECK(refused > 500);
    CHECK(replayed > 300);
}
