#include "scripted/producer_timeline.hpp"

namespace as2d {

ProducerTimeline::ProducerTimeline(Producer& producer, const VirtualClock& clock, ProducerState& state)
    : producer_(producer), clock_(clock), state_(state) {
    state_.running.store(true);
}

void ProducerTimeline::run_until(Nanos time) {
    while (true) {
        if (drafted_) {
            if (clock_.now() > time) return;
            producer_.publish();
            drafted_ = false;
        }
        if (producer_.done() || state_.cancelled.load()) {
            state_.running.store(false);
            return;
        }
        if (clock_.now() >= time) return;
        producer_.draft();
        drafted_ = true;
    }
}

}  // namespace as2d
