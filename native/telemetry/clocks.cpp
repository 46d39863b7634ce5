#include "telemetry/clocks.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

namespace as2d::telemetry {

namespace {

std::int64_t read_clock(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t monotonic_ns() { return read_clock(CLOCK_MONOTONIC); }

std::int64_t thread_cpu_ns() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

std::int64_t suspended_ns() {
    // The thread may lose its core between two readings of clocks: the closest of some counts.
    constexpr int tries = 3;
    std::int64_t closest = std::numeric_limits<std::int64_t>::max();
    std::int64_t slept = 0;
    for (int i = 0; i < tries; ++i) {
        const auto before = monotonic_ns();
        const auto boot = read_clock(CLOCK_BOOTTIME);
        const auto after = monotonic_ns();
        if (after - before >= closest) continue;
        closest = after - before;
        slept = boot - before - closest / 2;
    }
    return std::max<std::int64_t>(slept, 0);
}

}  // namespace as2d::telemetry
