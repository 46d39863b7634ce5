// The margin guard: which positions it decides, and what that costs.
#include <doctest/doctest.h>

#include <vector>

#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

/// Rows by position: margins as given, no noise.
class FixedTarget final : public Target {
  public:
    explicit FixedTarget(std::vector<float> margins, float gap, int width = 1)
        : margins_(std::move(margins)), gap_(gap), width_(width) {}
    int length() const override { return length_; }
    void truncate(int length) override { length_ = length; }
    void forward(std::span<const Token> tokens, std::span<const RowQuery> queries,
                 std::span<Row> rows) override {
        widths.push_back(static_cast<int>(tokens.size()));
        from.push_back(length_);
        length_ += static_cast<int>(tokens.size());
        for (std::size_t i = 0; i < queries.size(); ++i) {
            // The row at history position p says answer token p - prompt + 1.
            const int said = length_ - static_cast<int>(queries.size() - i) - 3 + 1;
            rows[i].best = said + 1 < static_cast<int>(margins_.size()) ? said * 2 + 1 : 1256;
            rows[i].second = 0;
            rows[i].margin = margins_[static_cast<std::size_t>(said)];
        }
    }
    void share_cores(bool /*producer_running*/) override {}
    float logit_gap() const override { return gap_; }
    int reference_width() const override { return width_; }

    std::vector<int> widths, from;  // of every call

  private:
    std::vector<float> margins_;
    float gap_;
    int width_;
    int length_ = 0;
};

struct GuardRun {
    DecodeResult result;
    std::vector<int> widths, from;
};

/// Decodes an answer with these margins behind a perfect draft with budget 3.
GuardRun guard_run(const std::vector<float>& margins, float gap, int width = 1, bool drafts = true) {
    Scenario scenario;
    scenario.words = 1000;
    const ScriptedEncoder encoder(scenario.words);
    TargetRules rules = rules_of(scenario);
    FixedTarget target(margins, gap, width);
    DraftStream stream;
    for (int i = 0; i + 1 < static_cast<int>(margins.size()); ++i) {
        DraftEntry entry;
        entry.token = i * 2 + 1;
        stream.append(entry, encoder.bytes(entry.token));
    }
    stream.publish(0);
    const auto method = make_method(drafts ? "as2d" : "target-only", {3, Admission::text});
    const VirtualClock clock;
    EventSink sink;
    const std::atomic<bool> cancelled{false};
    GuardRun run;
    run.result =
        decode({target, rules, encoder, *method, clock, sink, &stream}, {"en", "transcribe"}, cancelled);
    run.widths = target.widths;
    run.from = target.from;
    return run;
}

}  // namespace

TEST_CASE("a wide margin needs no guard") {
    const GuardRun run = guard_run(std::vector<float>(9, 1.0F), 0.1F);
    CHECK(run.result.counters.guard_calls == 0);
    CHECK(run.widths == std::vector{3, 4, 4});
}

TEST_CASE("the threshold is 2 g 4") {
    std::vector<float> margins(9, 1.0F);
    margins[2] = 0.8F;
    CHECK(guard_run(margins, 0.1F).result.counters.guard_calls == 0);
    margins[2] = 0.79F;
    CHECK(guard_run(margins, 0.1F).result.counters.guard_calls == 2);
    CHECK(guard_run(margins, 0.0F).result.counters.guard_calls == 0);
}

TEST_CASE("an undecided position is decided on a cache written again at the reference width") {
    std::vector<float> margins(9, 1.0F);
    margins[2] = 0.1F;  // the token after root and first candidate of the first call
    const GuardRun run = guard_run(margins, 0.1F);
    // Prefill 3, verify 4 from 3; the guard writes root (3) and candidate (4) again, one by one; then on.
    CHECK(run.widths == std::vector{3, 4, 1, 1, 4, 2});
    CHECK(run.from == std::vector{0, 3, 3, 4, 5, 9});
    CHECK(run.result.origins[2] == Origin::guard);
    CHECK(run.result.counters.accepted_by_position == std::vector{3, 1, 1});
    CHECK(run.result.counters.broken() == "");
}

TEST_CASE("the guard rewrites from the last reference point only") {
    std::vector<float> margins(14, 1.0F);
    margins[2] = 0.1F;
    margins[4] = 0.1F;
    const GuardRun run = guard_run(margins, 0.1F);
    // After the first decision the cache of 5 is the reference's: the second one starts there.
    CHECK(run.from == std::vector{0, 3, 3, 4, 5, 5, 6, 7, 11, 15});
}

TEST_CASE("a reference width of two rewrites two tokens a call") {
    std::vector<float> margins(9, 1.0F);
    margins[4] = 0.1F;
    const GuardRun run = guard_run(margins, 0.1F, 2);
    CHECK(run.widths == std::vector{3, 4, 2, 2, 4});
}

TEST_CASE("target-only never needs the guard, however close the margins are") {
    const GuardRun run = guard_run(std::vector<float>(9, 0.0F), 0.1F, 1, false);
    CHECK(run.result.counters.guard_calls == 0);
    CHECK(run.result.counters.calls == 8);
}
