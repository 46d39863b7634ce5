#include "scripted/producer_timeline.hpp"

namespace as2d {

ProducerTimeline::ProducerTimeline(Producer& producer, VirtualClock& clock, ProducerState& state)
    : producer_(producer), clock_(clock), state_(state) {
    state_.running.store(true);
}

void ProducerTimeline::run_until(Nanos time) {
    if (run_until_rest(time)) clock_.advance_to(time);
}

std::optional<Nanos> ProducerTimeline::run_until_rest(Nanos time) {
    while (true) {
        if (drafted_) {
            if (clock_.now() > time) return std::nullopt;
            finish_step();
        }
        if (!state_.cancelled.load() && !producer_.done() && clock_.now() >= time) {
            // It starts nothing any more, but may come to rest right now.
            const bool rests = producer_.at_rest() && producer_.inbox()->rest(state_);
            return rests ? std::optional(clock_.now()) : std::nullopt;
        }
        if (!start_step()) return clock_.now();
    }
}

void ProducerTimeline::run_until(const std::function<bool()>& ready) {
    if (drafted_) finish_step();
    while (!ready() && start_step())
        finish_step();
}

bool ProducerTimeline::start_step() {
    if (!state_.cancelled.load() && producer_.awake()) {
        producer_.draft();
        drafted_ = true;
        return true;
    }
    if (state_.cancelled.load() || producer_.done()) state_.ended.store(true);
    state_.running.store(false);
    return false;
}

void ProducerTimeline::finish_step() {
    producer_.publish();
    drafted_ = false;
}

}  // namespace as2d
