// A clock that only its owner moves.
#pragma once

#include "core/clock.hpp"

namespace as2d {

class VirtualClock final : public Clock {
  public:
    explicit VirtualClock(Nanos start = 0) : now_(start) {}
    Nanos now() const override { return now_; }
    /// Moves on by `span` >= 0.
    void advance(Nanos span) { now_ += span; }
    /// Moves on to `time`; an earlier time changes nothing.
    void advance_to(Nanos time) { now_ = time > now_ ? time : now_; }

  private:
    Nanos now_;
};

}  // namespace as2d
