#pragma once

#include <span>
#include <vector>

#include <sys/types.h>

namespace as2d::helper {

/// CPUs that a thread of this process may run on, in rising order; 0 is the calling thread.
std::vector<int> cpus_of_thread(pid_t thread = 0);

/// Lets a thread run on these CPUs only; 0 is the calling thread.
/// @returns false when the system refuses, or has none of these CPUs
bool bind_thread(pid_t thread, std::span<const int> cpus);

/// The calling thread on other CPUs, until the end of the scope.
class OnCpus {
  public:
    /// @param cpus where it runs meanwhile; empty: where it does now. What others do to it meanwhile is
    /// undone too.
    explicit OnCpus(std::span<const int> cpus) : before_(cpus_of_thread()) {
        if (!cpus.empty()) bind_thread(0, cpus);
    }
    ~OnCpus() { bind_thread(0, before_); }
    OnCpus(const OnCpus&) = delete;
    OnCpus& operator=(const OnCpus&) = delete;

  private:
    std::vector<int> before_;
};

}  // namespace as2d::helper
