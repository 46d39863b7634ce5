#include "protocol/event_writer.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>
#include <csignal>

using namespace as2d;
using namespace as2d::protocol;

namespace {

class CountingClock final : public Clock {
  public:
    Nanos now() const override { return ++ticks_; }

  private:
    mutable std::atomic<Nanos> ticks_{0};
};

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 65536> buffer{};
    for (;;) {
        const auto count = ::read(descriptor, buffer.data(), buffer.size());
        if (count <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

}  // namespace

TEST_CASE("posting never waits for a reader, and nothing that matters is lost or reordered") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const CountingClock clock;
    EventWriter writer(ends[1], clock, [] {});
    // 20,000 lines are far more than a pipe holds, and nobody reads until all are posted.
    std::thread other([&] {
        for (int i = 0; i < 10000; ++i)
            writer.post("other", [i](Json& line) { line["i"] = i; });
    });
    for (int i = 0; i < 10000; ++i)
        writer.post("one", [i](Json& line) { line["i"] = i; });
    other.join();

    std::string text;
    std::thread reader([&] { text = read_all(ends[0]); });
    writer.finish();
    ::close(ends[1]);
    reader.join();
    ::close(ends[0]);

    int sequence = 0;
    int next_one = 0;
    int next_other = 0;
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos;
         begin = end + 1, end = text.find('\n', begin)) {
        const auto line = Json::parse(text.substr(begin, end - begin));
        CHECK(line["seq"] == sequence++);
        CHECK(line["i"] == (line["event"] == "one" ? next_one++ : next_other++));
    }
    CHECK(sequence == 20000);
}

TEST_CASE("text that is not UTF-8 still gives valid JSON") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const CountingClock clock;
    {
        EventWriter writer(ends[1], clock, [] {});
        writer.post("draft", [](Json& line) { line["text"] = std::string("\xe4\xbd"); });
    }
    ::close(ends[1]);
    CHECK(Json::parse(read_all(ends[0]))["text"] == "\xef\xbf\xbd");
    ::close(ends[0]);
}

TEST_CASE("a reader that is gone is reported once") {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    ::close(ends[0]);
    const CountingClock clock;
    std::atomic<int> broken{0};
    {
        EventWriter writer(ends[1], clock, [&] { ++broken; });
        for (int i = 0; i < 100; ++i)
            writer.post("one", [](Json&) {});
    }
    CHECK(broken == 1);
    ::close(ends[1]);
}
