// Commands that need no model: what is refused, answered and forgotten.
#include "helper/server.hpp"

#include "scripted/virtual_clock.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string>

#include <unistd.h>

using namespace as2d;
using namespace as2d::helper;
using protocol::Json;

namespace {

/// A server whose lines go through a pipe.
class Talk {
  public:
    ~Talk() {
        server_.stop();
        writer_.finish();
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

    bool say(const std::string& line) { return server_.handle(line); }
    void stop() { server_.stop(); }
    void finish() { server_.finish(); }

    /// The next line that the server writes.
    Json heard() {
        std::string line;
        for (char letter = 0; ::read(ends_[0], &letter, 1) == 1 && letter != '\n';)
            line.push_back(letter);
        return Json::parse(line);
    }

  private:
    static std::array<int, 2> open_pipe() {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        return ends;
    }

    std::array<int, 2> ends_ = open_pipe();
    VirtualClock clock_;
    protocol::EventWriter writer_{ends_[1], clock_, [] {}};
    Server server_{writer_, clock_};
};

const std::string prepare =
    R"({"op":"prepare","id":1,"window":"w","target":"t","drafter":null,"audio":null,"language":"en",)"
    R"("start_condition":"request-start","task":"transcribe"})";

std::string append(int id, const std::string& pcm, bool last) {
    return R"({"op":"append","id":)" + std::to_string(id) + R"(,"window":"w","pcm":")" + pcm +
           R"(","last":)" + (last ? "true" : "false") + "}";
}

}  // namespace

TEST_CASE("a window released while its audio arrives ends its preparation with an error") {
    Talk talk;
    talk.say(prepare);
    talk.say(append(2, "AEA=", false));
    talk.say(R"({"op":"release","id":3,"window":"w"})");
    const Json refused = talk.heard();
    CHECK(refused["event"] == "error");
    CHECK(refused["re"] == 1);
    CHECK(refused["code"] == "released");
    const Json released = talk.heard();
    CHECK(released["event"] == "released");
    CHECK(released["re"] == 3);
    talk.say(prepare);  // the name is free again
    talk.say(append(4, "AEA=", true));
    CHECK(talk.heard()["message"] == "no target 't' is loaded");
}

TEST_CASE("a window whose preparation is open takes no second one") {
    Talk talk;
    talk.say(prepare);
    talk.say(prepare);
    CHECK(talk.heard()["message"] == "the window 'w' is being prepared already");
}

TEST_CASE("audio that can't be used or never ends fails the preparation, and nothing of it is kept") {
    Talk talk;
    SUBCASE("no base64") {
        talk.say(prepare);
        talk.say(append(2, "****", false));
    }
    SUBCASE("more than a minute") {
        // 16,000 samples: 32,000 zero bytes.
        const std::string second = std::string(42666, 'A') + "A=";
        talk.say(prepare);
        for (int i = 0; i < 61; ++i)
            talk.say(append(2 + i, second, false));
    }
    CHECK(talk.heard()["re"] == 1);
    talk.say(append(99, "AEA=", true));
    const Json late = talk.heard();
    CHECK(late["re"] == 99);
    CHECK(late["message"] == "no audio is expected for the window 'w'");
}

TEST_CASE("a window that is prepared beside a request waits for none that is over, and its release for it") {
    Talk talk;
    const auto beside = prepare.substr(0, prepare.size() - 1) + R"(,"beside":"gone"})";
    talk.say(beside);
    talk.say(append(2, "AEA=", true));
    talk.say(R"({"op":"release","id":3,"window":"w"})");
    const Json refused = talk.heard();
    CHECK(refused["re"] == 1);
    CHECK(refused["message"] == "no target 't' is loaded");
    CHECK(talk.heard()["re"] == 3);
    talk.say(beside);  // what is left at the end holds nothing up
    talk.say(append(4, "AEA=", true));
    talk.finish();
    CHECK(talk.heard()["re"] == 1);
}

TEST_CASE("the name of a request is free when its answer is there") {
    Talk talk;
    for (int id = 1; id <= 50; ++id) {
        talk.say(R"({"op":"request","id":)" + std::to_string(id) +
                 R"(,"request":"r","window":"w","method":"as2d","budget":4,"admission":"text",)"
                 R"("task":"transcribe","language":"en","words":false,"audit":false,"producer_done":false})");
        const Json answer = talk.heard();
        CHECK(answer["re"] == id);
        CHECK(answer["message"] == "no window 'w' is prepared");
    }
}

TEST_CASE("a line that is too long is refused for its length") {
    Talk talk;
    CHECK(talk.say(std::string(protocol::longest_line + 1, ' ')));
    const Json refused = talk.heard();
    CHECK(refused["re"].is_null());
    CHECK(refused["message"] == "a command must not be longer than 1 MiB");
}

TEST_CASE("a shutdown is answered when everything has stopped") {
    Talk talk;
    CHECK_FALSE(talk.say(R"({"op":"shutdown","id":7})"));
    talk.stop();
    const Json bye = talk.heard();
    CHECK(bye["event"] == "bye");
    CHECK(bye["re"] == 7);
}
