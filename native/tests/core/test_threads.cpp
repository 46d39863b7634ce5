// A producer and a target in two threads, as they run live; the thread sanitizer watches.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/decode.hpp"
#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr long kSteps = 400'000;
#else
constexpr long kSteps = 100'000;
#endif

constexpr long kWindows = 500;

class SteadyClock final : public Clock {
  public:
    Nanos now() const override {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
};

/// Counts from both threads.
class CountingSink final : public EventSink {
  public:
    void on_draft(const DraftEvent& /*event*/) override { steps.fetch_add(1, std::memory_order_relaxed); }
    void on_call(const CallEvent& event) override {
        steps.fetch_add(1, std::memory_order_relaxed);
        hits.fetch_add(event.candidates.empty() ? 0 : 1, std::memory_order_relaxed);
    }
    std::atomic<long> steps{0};
    std::atomic<long> hits{0};
};

}  // namespace

TEST_CASE("two threads: the same answers, with the stream as the only thing they share") {
    const SteadyClock clock;
    CountingSink sink;
    long windows = 0;
    for (std::uint64_t seed = 0; sink.steps.load() < kSteps || windows < kWindows; ++seed, ++windows) {
        CAPTURE(seed);
        Random random(seed);
        Scenario scenario = random_scenario(random, random.of(kDraftKinds));
        const Outcome alone = run(scenario, "target-only");
        const ScriptedEncoder encoder(scenario.words);
        const TargetRules rules = rules_of(scenario);
        ScriptedTarget target(scenario.target);
        scenario.drafter.endless = random.chance(0.2);
        ScriptedDrafter drafter(scenario.drafter);
        DraftStream stream;
        Producer producer(drafter, encoder, stream, rules.end, clock, sink);
        ProducerState state;
        state.running = true;
        std::thread thread([&] { run_producer(producer, state); });
        if (random.chance(0.5)) {
            // Half of the runs start when something is published, so that candidates are met.
            while (state.running.load() && stream.published() == 0)
                std::this_thread::yield();
        }
        const auto method = make_method("as2d", scenario.settings);
        const std::atomic<bool> cancelled{false};
        const DecodeResult result = decode({target, rules, encoder, *method, clock, sink, &stream, &state},
                                           {"en", "transcribe"}, cancelled);
        state.cancel();
        thread.join();
        CHECK_FALSE(state.running.load());
        REQUIRE(result.committed == alone.result.committed);
        REQUIRE(result.counters.broken() == "");
    }
    CHECK(sink.hits.load() > kWindows);
}
