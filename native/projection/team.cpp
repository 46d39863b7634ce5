#include "projection/team.hpp"

#include <cstddef>
#include <utility>

#include <sched.h>

namespace as2d::projection {

namespace {

constexpr std::uint64_t end_bit = std::uint64_t{1} << 63;
constexpr int spins = 4000;
// Workers are about as fast as the caller: one that takes longer waits for a processor, perhaps for this one.
constexpr int spins_for_workers = 1000;

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

void keep_on(const std::vector<int>& cpus) {
    if (cpus.empty()) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) {
        if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
    }
    ::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

Team::Team(int size, std::vector<int> cpus) : cpus_(std::move(cpus)) {
    for (int index = 1; index < size; ++index)
        workers_.emplace_back([this, index] { work(index); });
}

Team::~Team() {
    {
        const std::lock_guard lock(mutex_);
        round_.fetch_or(end_bit, std::memory_order_release);
    }
    wake_.notify_all();
    for (auto& worker : workers_)
        worker.join();
}

void Team::run(const std::function<void(int)>& task) {
    if (workers_.empty()) return task(0);
    const std::lock_guard turn(turn_);
    task_ = &task;
    left_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    {
        // Under the lock, so that no worker falls asleep between its look and the signal.
        const std::lock_guard lock(mutex_);
        round_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    task(0);
    for (int spin = 0; left_.load(std::memory_order_acquire) > 0; ++spin) {
        if (spin < spins_for_workers)
            relax();
        else
            std::this_thread::yield();
    }
}

void Team::work(int index) {
    keep_on(cpus_);
    std::uint64_t seen = 0;
    while (true) {
        auto now = round_.load(std::memory_order_acquire);
        for (int spin = 0; now == seen && spin < spins; ++spin) {
            relax();
            now = round_.load(std::memory_order_acquire);
        }
        if (now == seen) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return round_.load(std::memory_order_acquire) != seen; });
            now = round_.load(std::memory_order_acquire);
        }
        if ((now & end_bit) != 0) return;
        seen = now;
        (*task_)(index);
        left_.fetch_sub(1, std::memory_order_acq_rel);
    }
}

}  // namespace as2d::projection
