#include "engine_mnn/placement.hpp"

#include "core/errors.hpp"

#include <backend/cpu/CPURuntime.hpp>
#include <backend/cpu/ThreadPool.hpp>

#include <algorithm>

namespace as2d::mnn {

namespace {

constexpr unsigned long common_mask = 0;  // MNN's pools are known by the CPUs that were asked for

}  // namespace

bool has_own_pool(std::span<const int> cpus) {
    const auto& clusters = MNNGetCPUInfo()->groups;  // by rising clock
    if (cpus.empty() || clusters.empty()) return false;
    const auto holds = [](const CPUGroup& cluster) {
        return [&cluster](int cpu) { return std::ranges::count(cluster.ids, cpu) > 0; };
    };
    const auto known = [&](int cpu) {
        return std::ranges::any_of(clusters, [&](const CPUGroup& cluster) { return holds(cluster)(cpu); });
    };
    if (!std::ranges::all_of(cpus, known)) return false;
    const auto slowest = std::ranges::count_if(cpus, holds(clusters.front()));
    return slowest == 0 || slowest == std::ssize(cpus);
}

void on_common_pool(int threads, const std::function<void()>& task) {
    if (threads < 2) return;
    MNN::ThreadPool* pool = nullptr;
    MNN::ThreadPool::init(threads, common_mask, pool);
    const int slot = pool->acquireWorkIndex();
    if (slot < 0) throw EngineError("MNN's threads are busy with two models already");
    pool->active();
    MNN::ThreadPool::TASK each{[&task](int index) {
                                   if (index > 0) task();  // 0 is the calling thread
                               },
                               pool->numberThread()};
    pool->enqueue(&each, slot);
    pool->deactive();
    pool->releaseWorkIndex(slot);
}

}  // namespace as2d::mnn
