#pragma once

#include "core/clock.hpp"

#include <ctime>

namespace as2d::helper {

/// CLOCK_BOOTTIME: goes on while a phone sleeps, and Perfetto uses it too.
class BoottimeClock final : public Clock {
  public:
    Nanos now() const override {
        timespec time{};
        ::clock_gettime(CLOCK_BOOTTIME, &time);
        return static_cast<Nanos>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    }
};

}  // namespace as2d::helper
