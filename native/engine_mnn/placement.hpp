#pragma once

#include <functional>
#include <span>
#include <vector>

namespace as2d::mnn {

/// Whether MNN gives threads on these CPUs a pool of their own. It knows CPUs by their cpufreq policies and
/// takes only sets that are all of the slowest cluster or have none of it; other sets share the common pool.
bool has_own_pool(std::span<const int> cpus);

/// Runs `task` once on each worker of MNN's common pool: the threads that compute, beside the calling one,
/// for every model that was loaded without CPUs of its own. There are none before a model with more than one
/// thread is loaded.
void on_common_pool(int threads, const std::function<void()>& task);

}  // namespace as2d::mnn
