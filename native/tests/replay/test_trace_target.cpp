// The recorded target: what it says on and off its answer, and what its calls cost.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "replay/trace_target.hpp"
#include "rig.hpp"

using namespace as2d;
using namespace as2d::replay;
using namespace as2d::test;

namespace {

/// Works from a time on until another.
class Worker final : public Companion {
  public:
    explicit Worker(Nanos end) : end_(end) {}
    bool working() const override { return passed_ < end_; }
    std::optional<Nanos> run(Nanos time) override {
        return time < end_ ? std::nullopt : std::optional(passed_ = end_);
    }
    void let_pass(Nanos time) override { passed_ = time; }

  private:
    Nanos end_;
    Nanos passed_ = 0;
};

struct Rig {
    explicit Rig(const Json& line = trace_json("abcd", words_and_end("abcd")), Companion* companion = nullptr,
                 const Costs& costs = {})
        : trace(line, vocabulary()), profile(profile_of(costs)), target(trace, profile, clock, companion) {}
    std::vector<Token> say(const std::vector<Token>& tokens) {
        const std::vector<RowQuery> queries(tokens.size());
        rows.assign(tokens.size(), {});
        target.forward(tokens, queries, rows);
        std::vector<Token> best;
        for (const Row& row : rows)
            best.push_back(row.best);
        return best;
    }
    Trace trace;
    CostProfile profile;
    VirtualClock clock;
    TraceTarget target;
    std::vector<Row> rows;
};

}  // namespace

TEST_CASE("on the recorded answer it says what was recorded, off it nothing that a candidate could equal") {
    Rig rig;
    CHECK(rig.say({50, 51}) == std::vector<Token>{kNoToken, 0});  // the prompt's last row
    CHECK(rig.rows[1].margin == 9.0F);
    CHECK(rig.say({0}) == std::vector<Token>{1});
    CHECK(rig.say({1, 2, 9, 3}) == std::vector<Token>{2, 3, kNoToken, kNoToken});
    CHECK(std::isinf(rig.rows[2].margin));
    CHECK(rig.target.length() == 7);
    rig.target.truncate(6);  // still behind the wrong token
    CHECK(rig.say({3}) == std::vector<Token>{kNoToken});
    rig.target.truncate(5);
    CHECK(rig.say({3}) == std::vector<Token>{end_token()});
    rig.target.truncate(3);
    CHECK(rig.say({1, 2, 3, end_token()}) == std::vector<Token>{2, 3, end_token(), kNoToken});
}

TEST_CASE("a call costs what the profile says at its width, context and threads; prefill what was recorded") {
    Rig rig(trace_json("abcd", words_and_end("abcd")), nullptr, {.context = 0.1});
    rig.say({50});
    CHECK(rig.clock.now() == 10 * kMs);
    rig.say({0, 1});  // on the 4 tokens of the recorded prompt, whatever this one's length
    CHECK(rig.clock.now() == 15 * kMs + 4 * kMs / 10);
    rig.target.share_cores(true);
    rig.say({2});
    CHECK(rig.clock.now() == 21 * kMs + kMs);
    rig.target.share_cores(false);
    rig.target.truncate(2);
    rig.say({1});
    CHECK(rig.clock.now() == 26 * kMs + kMs / 2);
}

TEST_CASE("only the part of a call beside a working producer is slower") {
    Worker worker(18 * kMs);
    Rig rig(trace_json("abcd", words_and_end("abcd")), &worker);
    rig.say({50});
    CHECK(rig.clock.now() == 15 * kMs);  // 10 ms of prefill, half as slow again
    rig.target.share_cores(true);
    rig.say({0});  // 3 ms beside it do 2 of 6 ms
    CHECK(rig.clock.now() == 22 * kMs);
    rig.say({1});
    CHECK(rig.clock.now() == 28 * kMs);
}
