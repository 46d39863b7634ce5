#include "core/assignments.hpp"

#include "core/producer.hpp"

namespace as2d {

std::uint32_t Assignments::post(Assignment assignment, ProducerState& state) {
    std::uint32_t epoch = 0;
    {
        const std::lock_guard lock(mutex_);
        epoch = ++posted_;
        assignment.epoch = epoch;
        newest_ = std::move(assignment);
        if (!closed_) state.running.store(true, std::memory_order_release);
    }
    state.work.fetch_add(1, std::memory_order_release);
    state.work.notify_all();
    return epoch;
}

std::optional<Assignment> Assignments::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(newest_, std::nullopt);
}

bool Assignments::rest(ProducerState& state) {
    const std::lock_guard lock(mutex_);
    if (newest_) return false;
    state.running.store(false, std::memory_order_release);
    return true;
}

void Assignments::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
}

}  // namespace as2d
