// Producers and targets in two threads, as they run live; the thread sanitizer watches.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/decode.hpp"
#include "core/thread_link.hpp"
#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr long kSteps = 340'000;  // of each method, of which three run
#else
constexpr long kSteps = 60'000;
#endif

constexpr long kWindows = 400;

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
    void on_draft(const DraftEvent& event) override {
        drafts.fetch_add(1, std::memory_order_relaxed);
        epochs.fetch_add(event.epoch > 0 ? 1 : 0, std::memory_order_relaxed);
    }
    void on_call(const CallEvent& event) override {
        calls.fetch_add(1, std::memory_order_relaxed);
        hits.fetch_add(event.candidates.empty() ? 0 : 1, std::memory_order_relaxed);
    }
    long steps() const { return drafts.load() + calls.load(); }
    std::atomic<long> drafts{0}, calls{0}, hits{0};
    std::atomic<long> epochs{0};  // steps on what the target told
};

/// Does something before each step.
class HookedDrafter final : public Drafter {
  public:
    HookedDrafter(Drafter& inner, std::function<void(int step)> hook)
        : inner_(inner), hook_(std::move(hook)) {}
    bool can(std::string_view task, std::string_view language) const override {
        return inner_.can(task, language);
    }
    DraftPiece step() override {
        hook_(steps_++);
        return inner_.step();
    }
    void restart(std::string_view text) override { inner_.restart(text); }

  private:
    Drafter& inner_;
    std::function<void(int)> hook_;
    int steps_ = 0;
};

/// A decode beside a producer in its own thread.
class LiveRun {
  public:
    LiveRun(
        const Scenario& scenario, std::string_view method, EventSink& sink,
        std::function<void(int step)> before_step = [](int) {})
        : scenario_(scenario),
          method_(make_method(method, scenario.settings)),
          coupled_(find_method(method).drafting == Drafting::coupled),
          sink_(sink),
          encoder_(scenario.words),
          rules_(rules_of(scenario)),
          target_(scenario.target),
          scripted_(scenario.drafter),
          drafter_(scripted_, std::move(before_step)),
          producer_(drafter_, encoder_, stream_, rules_.end, clock_, sink, coupled_ ? &inbox_ : nullptr) {
        state_.running = true;
        thread_ = std::thread([this] { run_producer(producer_, state_); });
    }
    ~LiveRun() { end(); }

    DecodeResult decode() {
        ThreadLink link(state_, cancelled);
        DecodeContext context{target_, rules_, encoder_, *method_, clock_, sink_, &stream_, &state_};
        context.link = &link;
        if (coupled_) context.assignments = &inbox_;
        return as2d::decode(context, {"en", "transcribe"}, cancelled);
    }
    /// Cancels the producer and waits for its end.
    void end() {
        if (!thread_.joinable()) return;
        state_.cancel();
        thread_.join();
    }
    const DraftStream& stream() const { return stream_; }
    ProducerState& state() { return state_; }

    std::atomic<bool> cancelled{false};

  private:
    const Scenario& scenario_;
    std::unique_ptr<Method> method_;
    bool coupled_;
    EventSink& sink_;
    SteadyClock clock_;
    ScriptedEncoder encoder_;
    TargetRules rules_;
    ScriptedTarget target_;
    ScriptedDrafter scripted_;
    HookedDrafter drafter_;
    DraftStream stream_;
    Assignments inbox_;
    ProducerState state_;
    Producer producer_;
    std::thread thread_;
};

/// An answer of 40 words and a drafter that says them.
Scenario plain_scenario() {
    Scenario s;
    s.words = 100;
    s.target.prompt_length = 3;
    for (Token token = 0; token < 40; ++token)
        s.target.answer.push_back(token * 2);
    s.target.end = rules_of(s).end;
    s.target.vocabulary = s.words;
    const ScriptedEncoder encoder(s.words);
    for (const Token token : s.target.answer)
        s.drafter.pieces.push_back({std::string(encoder.bytes(token))});
    return s;
}

}  // namespace

TEST_CASE("two threads: the same answers, whoever is faster, and a beginning of them when cancelled") {
    for (const std::string_view method : {"as2d", "as2d-resync", "lookahead"}) {
        CAPTURE(method);
        CountingSink sink;
        long windows = 0, cut_short = 0;
        // On a busy machine the threads meet less often: it goes on until everything has happened.
        const auto everything_happened = [&] {
            return sink.steps() >= kSteps && windows >= kWindows && sink.hits.load() > kWindows &&
                   cut_short > 0 && (method == "as2d" || sink.epochs.load() > 0);
        };
        for (std::uint64_t seed = 0; !everything_happened(); ++seed, ++windows) {
            CAPTURE(seed);
            Random random(seed);
            Scenario scenario = random_scenario(random, random.of(kDraftKinds));
            // Endless ones fill the time that is left; lookahead tells them where to stop.
            scenario.drafter.endless = !scenario.drafter.pieces.empty() && random.chance(0.2);
            const Outcome alone = run(scenario, "target-only");
            std::atomic<bool>* cancelled = nullptr;
            const int cancel_in = random.chance(0.2) ? random.number(0, 60) : -1;
            const int yield_every = random.number(1, 20);
            LiveRun live(scenario, method, sink, [&cancelled, cancel_in, yield_every](int step) {
                if (step % yield_every == 0) std::this_thread::yield();
                if (step == cancel_in) {
                    while (std::atomic_ref(cancelled).load() == nullptr)
                        std::this_thread::yield();
                    cancelled->store(true);
                }
            });
            std::atomic_ref(cancelled).store(&live.cancelled);
            if (random.chance(0.5)) {
                // Half of the runs start when something is published, so that candidates are met.
                while (live.state().running.load() && live.stream().published() == 0)
                    std::this_thread::yield();
            }
            // Some are cancelled by a third thread, at any time.
            std::optional<std::thread> canceller;
            if (random.chance(0.1)) {
                canceller.emplace([&live, patience = random.number(0, 300)] {
                    for (int i = 0; i < patience; ++i)
                        std::this_thread::yield();
                    live.cancelled = true;
                });
            }
            const DecodeResult result = live.decode();
            live.end();
            if (canceller) canceller->join();
            CHECK_FALSE(live.state().running.load());
            CHECK(live.state().ended.load());
            REQUIRE(result.counters.broken() == "");
            if (result.stop != Stop::cancelled) {
                REQUIRE(result.committed == alone.result.committed);
            } else {
                ++cut_short;
                REQUIRE(result.committed.size() <= alone.result.committed.size());
                REQUIRE(std::equal(result.committed.begin(), result.committed.end(),
                                   alone.result.committed.begin()));
            }
        }
        MESSAGE(method, ": ", windows, " windows of two threads, ", sink.steps(), " steps, ",
                sink.epochs.load(), " of them on what the target told, ", cut_short, " cancelled");
    }
}

TEST_CASE("as2d and as2d-resync never wait: they end while the drafter hangs in a step") {
    for (const std::string_view method : {"as2d", "as2d-resync"}) {
        for (const int hangs_at : {0, 1, 7, 25}) {
            CAPTURE(method);
            CAPTURE(hangs_at);
            const Scenario scenario = plain_scenario();
            CountingSink sink;
            std::atomic<bool> hanging{false};
            std::atomic<bool> released{false};
            LiveRun live(scenario, method, sink, [&](int step) {
                if (step != hangs_at) return;
                hanging = true;
                hanging.notify_all();
                released.wait(false);
            });
            hanging.wait(false);
            const DecodeResult result = live.decode();
            CHECK(result.tokens == scenario.target.answer);
            CHECK(live.state().running.load());  // it hangs still
            CHECK((sink.hits.load() > 0) == (hangs_at > 2));
            released = true;
            released.notify_all();
            live.end();
        }
    }
}

TEST_CASE("lookahead waits for a hanging step, and no longer once it is cancelled and woken") {
    const Scenario scenario = plain_scenario();
    CountingSink sink;
    std::atomic<bool> hanging{false};
    std::atomic<bool> released{false};
    LiveRun live(scenario, "lookahead", sink, [&](int step) {
        if (step != 30) return;
        hanging = true;
        hanging.notify_all();
        released.wait(false);
    });
    std::thread canceller([&] {
        hanging.wait(false);
        live.cancelled = true;
        live.state().wake_target();
    });
    const DecodeResult result = live.decode();
    canceller.join();
    CHECK(live.state().running.load());  // it hangs still
    released = true;
    released.notify_all();
    live.end();
    CHECK(result.stop == Stop::cancelled);
    CHECK(result.committed.size() < 41);
}

TEST_CASE("a producer with an inbox sleeps while it rests, and hears of work and of its end") {
    const Scenario scenario = plain_scenario();
    const ScriptedEncoder encoder(scenario.words);
    const SteadyClock clock;
    CountingSink sink;
    for (int round = 0; round < 300; ++round) {
        ScriptedDrafter drafter(scenario.drafter);
        DraftStream stream;
        Assignments inbox;
        ProducerState state;
        Producer producer(drafter, encoder, stream, rules_of(scenario).end, clock, sink, &inbox);
        state.running = true;
        std::thread thread([&] { run_producer(producer, state); });
        const std::atomic<bool> cancelled{false};
        ThreadLink link(state, cancelled);
        for (int i = 0; i < 20; ++i) {
            const std::uint32_t epoch = inbox.post({" a", 1, 2}, state);
            CHECK(epoch == static_cast<std::uint32_t>(i) + 1);
            // Every third one is replaced before anybody has waited for it.
            if (i % 3 == 2) continue;
            link.wait([&] { return stream.rested(epoch); });
            REQUIRE(stream.rested(epoch));
        }
        state.cancel();
        thread.join();
        CHECK_FALSE(state.running.load());
        inbox.post({" a", 1, 2}, state);
        CHECK_FALSE(state.running.load());  // nobody is there any more
    }
}
