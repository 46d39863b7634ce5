#include "helper/placement.hpp"

#include "engine_mnn/placement.hpp"
#include "helper/thread_cpus.hpp"

#include <algorithm>
#include <mutex>
#include <set>

namespace as2d::helper {

namespace {

std::string listed(const std::vector<int>& cpus) {
    std::string text;
    for (const int cpu : cpus)
        text += (text.empty() ? "" : ", ") + std::to_string(cpu);
    return text.empty() ? "unknown" : text;
}

std::vector<int> sorted(std::span<const int> cpus) {
    const std::set<int> unique(cpus.begin(), cpus.end());
    return {unique.begin(), unique.end()};
}

/// Compares what the system says with what was asked for.
Placed judge(const std::set<int>& seen, const std::vector<int>& wanted, bool asked, const char* whose) {
    Placed placed{{seen.begin(), seen.end()}, std::nullopt};
    if (asked && placed.cpus != wanted) {
        placed.warning = std::string("The threads of the ") + whose + " were to run on the CPUs " +
                         listed(wanted) + ", but the system lets them run on " + listed(placed.cpus) + ".";
    }
    return placed;
}

}  // namespace

Placement::Placement(pid_t producer_thread) : all_(cpus_of_thread()), producer_thread_(producer_thread) {}

Placed Placement::target(std::span<const int> cpus, int threads, const std::function<void()>& load) {
    const auto wanted = cpus.empty() ? all_ : sorted(cpus);
    {
        // A pool that is made now inherits these CPUs.
        const OnCpus meanwhile(wanted);
        load();
    }
    bind_thread(0, wanted);
    target_ = wanted;
    std::mutex mutex;
    std::set<int> seen;
    const auto look = [&] {
        const auto now = cpus_of_thread();
        const std::lock_guard lock(mutex);
        seen.insert(now.begin(), now.end());
    };
    look();
    mnn::on_common_pool(threads, [&] {
        bind_thread(0, wanted);
        look();
    });
    return judge(seen, wanted, !cpus.empty(), "target");
}

Placed Placement::drafter(std::span<const int> cpus, int shared_threads, const std::function<void()>& load) {
    const auto wanted = cpus.empty() ? all_ : sorted(cpus);
    {
        // MNN puts whoever runs such a model on its CPUs; this thread is the target's.
        const OnCpus meanwhile({});
        load();
    }
    bind_thread(producer_thread_, wanted);
    const auto now = cpus_of_thread(producer_thread_);
    std::set<int> seen(now.begin(), now.end());
    if (shared_threads > 1 && !mnn::has_own_pool(cpus)) {
        const auto& pool = target_.empty() ? all_ : target_;
        seen.insert(pool.begin(), pool.end());
    }
    return judge(seen, wanted, !cpus.empty(), "drafter");
}

}  // namespace as2d::helper
