// Runs a producer beside a target on virtual clocks, in one thread.
#pragma once

#include <functional>
#include <optional>

#include "core/method.hpp"
#include "core/producer.hpp"
#include "scripted/virtual_clock.hpp"

namespace as2d {

/// The producer has its own clock, which its drafter moves. What it publishes becomes visible when the
/// target's time has come that far: exactly what two threads would show, without the threads.
class ProducerTimeline {
  public:
    /// The producer starts at its clock's time.
    ProducerTimeline(Producer& producer, VirtualClock& clock, ProducerState& state);

    /// Everything the producer does until `time`: steps that start before it, and what is published by it.
    void run_until(Nanos time);

    /// The same, but a producer that comes to rest before `time` stays at the time at which it did, which is
    /// returned.
    std::optional<Nanos> run_until_rest(Nanos time);

    /// Everything the producer does until `ready()` holds, asked after each step, or it has nothing to draft.
    void run_until(const std::function<bool()>& ready);

    Nanos now() const { return clock_.now(); }

  private:
    bool start_step();
    void finish_step();

    Producer& producer_;
    VirtualClock& clock_;
    ProducerState& state_;
    bool drafted_ = false;  // a step has run whose end has not come yet
};

/// Lets the target's virtual time pass until the producer is ready.
class TimelineLink final : public ProducerLink {
  public:
    TimelineLink(ProducerTimeline& timeline, VirtualClock& target_clock)
        : timeline_(timeline), target_clock_(target_clock) {}

    void wait(const std::function<bool()>& ready) override {
        if (ready()) return;
        timeline_.run_until(ready);
        target_clock_.advance_to(timeline_.now());
    }

  private:
    ProducerTimeline& timeline_;
    VirtualClock& target_clock_;
};

}  // namespace as2d
