#include "telemetry/sampling_thread.hpp"

#include <algorithm>
#include <utility>

namespace as2d::telemetry {

SamplingThread::SamplingThread(std::chrono::milliseconds period, std::function<void(const Sample&)> take,
                               std::string root)
    : period_(period), take_(std::move(take)), root_(std::move(root)), thread_([this] { run(); }) {}

SamplingThread::~SamplingThread() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    ending_changed_.notify_one();
    thread_.join();
}

void SamplingThread::run() {
    // The sensors are searched here: on a phone that takes longer than starting the helper should.
    Sampler sampler(root_);
    auto next = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!ending_) {
        lock.unlock();
        take_(sampler.take());
        lock.lock();
        // After a pause of the process it goes on at its pace instead of catching up.
        next = std::max(next + period_, std::chrono::steady_clock::now());
        ending_changed_.wait_until(lock, next, [this] { return ending_; });
    }
}

}  // namespace as2d::telemetry
