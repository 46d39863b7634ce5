// The clock that the core stamps its events with.
#pragma once

#include "core/types.hpp"

namespace as2d {

class Clock {
  public:
    virtual ~Clock() = default;
    /// Nanoseconds since the clock's epoch; never goes back.
    virtual Nanos now() const = 0;
};

}  // namespace as2d
