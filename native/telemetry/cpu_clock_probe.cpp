#include "telemetry/cpu_clock_probe.hpp"

#include "telemetry/folder.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace as2d::telemetry {

CpuClockProbe::CpuClockProbe(const std::string& root) {
    const auto base = root + "/sys/devices/system/cpu";
    const auto folder = list_numbered(base, "cpu");
    why_ = folder.why;
    for (const auto& name : folder.names)
        clocks_.emplace_back(base + "/" + name + "/cpufreq/scaling_cur_freq");
}

void CpuClockProbe::read(Sample& sample) {
    std::vector<std::optional<std::int64_t>> found;
    std::string first = why_;
    std::string denied;
    for (auto& clock : clocks_) {
        found.push_back(clock.number());
        if (found.back()) continue;
        if (first.empty()) first = clock.why();
        if (denied.empty() && !clock.absent()) denied = clock.why();
    }
    if (std::ranges::any_of(found, [](const auto& clock) { return clock.has_value(); })) {
        sample.cpu_khz = std::move(found);
        // Offline processors are no fault; those that may not be read are.
        if (!denied.empty()) sample.missing["cpu_khz"] = denied;
    } else {
        sample.missing["cpu_khz"] = denied.empty() ? first : denied;
    }
}

}  // namespace as2d::telemetry
