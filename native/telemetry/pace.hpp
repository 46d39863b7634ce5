#pragma once

#include <cstdint>

namespace as2d::telemetry {

/// Keeps a probe from taking more than a fiftieth of a core: one that was costly is left out for a while.
/// Some sensors need milliseconds a reading, since their driver waits for a bus. Times in ns.
class Pace {
  public:
    /// @param now of a steady clock
    [[nodiscard]] bool due(std::int64_t now) const { return now >= next_; }

    /// @param start when the reading began, of the same clock
    /// @param cost processor time that it took: a thread that lost its core is not a costly probe
    void took(std::int64_t start, std::int64_t cost) {
        cost_ = cost;
        next_ = cost < cheap ? start : start + cost * share;
    }

    /// What the last reading took.
    [[nodiscard]] std::int64_t cost() const { return cost_; }

  private:
    static constexpr std::int64_t share = 50;
    static constexpr std::int64_t cheap = 1'000'000;

    std::int64_t cost_ = 0;
    std::int64_t next_ = INT64_MIN;
};

}  // namespace as2d::telemetry
