// Basic types of the scheduler core. The core knows no MNN, no JSON and no real time.
#pragma once

#include <cstdint>

namespace as2d {

/// A token id of the target's vocabulary.
using Token = std::int32_t;

/// Nanoseconds of the clock in use: CLOCK_BOOTTIME live, a virtual clock in replay and tests.
using Nanos = std::int64_t;

/// "No token", where a token is optional.
inline constexpr Token kNoToken = -1;

}  // namespace as2d
