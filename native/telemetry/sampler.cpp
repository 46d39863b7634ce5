#include "telemetry/sampler.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <unistd.h>

namespace as2d::telemetry {

namespace {

template <typename Value>
std::optional<Value> read_number(const std::string& path, std::string& why) {
    errno = 0;
    std::ifstream stream(path);
    Value value{};
    if (stream >> value) return value;
    why = path + ": " + (errno != 0 ? std::strerror(errno) : "not a number");
    return std::nullopt;
}

}  // namespace

Sample take_sample() {
    Sample sample;
    std::ifstream statm("/proc/self/statm");
    std::uint64_t whole = 0;
    std::uint64_t resident = 0;
    if (statm >> whole >> resident) {
        sample.rss_bytes = resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    } else {
        sample.missing["rss_bytes"] = "/proc/self/statm can't be read";
    }
    std::vector<std::int64_t> clocks;
    std::string why;
    const auto processors = ::sysconf(_SC_NPROCESSORS_CONF);
    for (long cpu = 0; cpu < processors; ++cpu) {
        const auto path = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq";
        const auto clock = read_number<std::int64_t>(path, why);
        if (!clock) break;
        clocks.push_back(*clock);
    }
    if (why.empty()) {
        sample.cpu_khz = std::move(clocks);
    } else {
        sample.missing["cpu_khz"] = why;
    }
    return sample;
}

}  // namespace as2d::telemetry
