#pragma once

#include <cstdint>

namespace as2d::telemetry {

/// CLOCK_MONOTONIC in ns: it stands still while the device sleeps.
std::int64_t monotonic_ns();

/// Processor time of the calling thread in ns.
std::int64_t thread_cpu_ns();

/// How long the device slept since it started, in ns: CLOCK_BOOTTIME - CLOCK_MONOTONIC.
std::int64_t suspended_ns();

}  // namespace as2d::telemetry
