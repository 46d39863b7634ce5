#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace as2d::helper {

/// Where the threads of a model run.
struct Placed {
    std::vector<int> cpus;               ///< what the system says: CPUs that its threads may run on
    std::optional<std::string> warning;  ///< why that is not what was asked for
};

/// Keeps the target's threads on one set of CPUs and the producer's on another.
///
/// The target computes on its own thread and on MNN's common pool, which are bound from outside, whatever the
/// CPUs are. The producer's thread is bound too; its further threads come from a pool of MNN's that has its
/// own CPUs, where MNN allows that, and else from the common pool. Called on the target's thread.
class Placement {
  public:
    /// @param producer_thread system id of the producer's thread
    explicit Placement(pid_t producer_thread);

    /// Loads a target, whose pool then inherits its CPUs, and binds the threads that there are already.
    /// @param cpus empty: all that this process may use
    Placed target(std::span<const int> cpus, int threads, const std::function<void()>& load);

    /// Loads a drafter.
    /// @param shared_threads of the producer, beside the target
    Placed drafter(std::span<const int> cpus, int shared_threads, const std::function<void()>& load);

  private:
    std::vector<int> all_;
    pid_t producer_thread_;
    std::vector<int> target_;  // what the common pool is kept on
};

}  // namespace as2d::helper
