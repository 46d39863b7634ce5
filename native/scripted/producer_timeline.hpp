// Runs a producer beside a target on virtual clocks, in one thread.
#pragma once

#include "core/producer.hpp"
#include "scripted/virtual_clock.hpp"

namespace as2d {

/// The producer has its own clock, which its drafter moves. What it publishes becomes visible when the
/// target's time has come that far: exactly what two threads would show, without the threads.
class ProducerTimeline {
  public:
    /// The producer starts at its clock's time.
    ProducerTimeline(Producer& producer, const VirtualClock& clock, ProducerState& state);

    /// Everything the producer does until `time`: steps that start before it, and what is published by it.
    void run_until(Nanos time);

  private:
    Producer& producer_;
    const VirtualClock& clock_;
    ProducerState& state_;
    bool drafted_ = false;  // a step has run whose end has not come yet
};

}  // namespace as2d
