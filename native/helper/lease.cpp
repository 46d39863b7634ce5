#include "helper/lease.hpp"

#include <chrono>
#include <utility>

#include <sys/stat.h>

namespace as2d::helper {

namespace {

// A timer of the C++ library stands still while the device sleeps, so the clock is asked again and again.
constexpr auto looks_every = std::chrono::milliseconds(250);
constexpr Nanos second = 1'000'000'000;

std::optional<Nanos> modified(const std::string& file) {
    struct stat found = {};
    if (file.empty() || ::stat(file.c_str(), &found) != 0) return std::nullopt;
    return static_cast<Nanos>(found.st_mtim.tv_sec) * second + static_cast<Nanos>(found.st_mtim.tv_nsec);
}

}  // namespace

bool LeaseTerm::ended(Nanos now, std::optional<Nanos> mark) {
    if (mark && mark != mark_) end_ = now + length_;
    mark_ = mark;
    return now >= end_;
}

Lease::Lease(int seconds, std::string file, const Clock& clock, std::function<void()> on_end)
    : file_(std::move(file)),
      clock_(clock),
      term_(seconds * second, clock.now(), modified(file_)),
      on_end_(std::move(on_end)),
      thread_([this] { run(); }) {}

Lease::~Lease() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    ready_.notify_one();
    thread_.join();
}

void Lease::run() {
    std::unique_lock lock(mutex_);
    while (!ready_.wait_for(lock, looks_every, [this] { return over_; })) {
        if (!term_.ended(clock_.now(), modified(file_))) continue;
        lock.unlock();
        on_end_();
        return;
    }
}

}  // namespace as2d::helper
