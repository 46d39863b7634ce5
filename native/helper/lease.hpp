#pragma once

#include "core/clock.hpp"
#include "core/types.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace as2d::helper {

/// When a helper that nobody may be listening to ends by itself.
class LeaseTerm {
  public:
    /// @param length nanoseconds
    /// @param mark modification time of the file that renews it, nanoseconds; empty while it is not there
    LeaseTerm(Nanos length, Nanos now, std::optional<Nanos> mark)
        : length_(length), end_(now + length), mark_(mark) {}

    /// Whether the lease has ended; a mark other than the last one renews it before that is judged.
    bool ended(Nanos now, std::optional<Nanos> mark);

  private:
    Nanos length_;
    Nanos end_;
    std::optional<Nanos> mark_;
};

/// Watches a lease from a thread of its own. The clock is BOOTTIME: time that the device slept counts.
class Lease {
  public:
    /// @param file renews the lease when its modification time changes; empty: nothing does
    /// @param on_end called once, on the lease's thread
    Lease(int seconds, std::string file, const Clock& clock, std::function<void()> on_end);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

  private:
    void run();

    std::string file_;
    const Clock& clock_;
    LeaseTerm term_;
    std::function<void()> on_end_;
    std::mutex mutex_;
    std::condition_variable ready_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace as2d::helper
