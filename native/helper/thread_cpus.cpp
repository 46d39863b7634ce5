#include "helper/thread_cpus.hpp"

#include <cstddef>

#include <sched.h>

namespace as2d::helper {

std::vector<int> cpus_of_thread(pid_t thread) {
    std::vector<int> cpus;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(thread, sizeof(set), &set) != 0) return cpus;
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
}

bool bind_thread(pid_t thread, std::span<const int> cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) {
        if (cpu < 0 || cpu >= CPU_SETSIZE) return false;
        CPU_SET(static_cast<std::size_t>(cpu), &set);
    }
    return ::sched_setaffinity(thread, sizeof(set), &set) == 0;
}

}  // namespace as2d::helper
