#include "telemetry/thermal_probe.hpp"

#include "telemetry/folder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace as2d::telemetry {

namespace {

constexpr std::size_t most_named = 3;
// Temperatures are thousandths of a degree. Vendors give 0 or huge values for sensors that are off, and have
// "zones" that hold percents, degrees or milliamperes; none of these is passed on as a temperature.
constexpr std::int64_t least = 1000;
constexpr std::int64_t coldest = -60'000;
constexpr std::int64_t hottest = 200'000;

bool plausible(std::int64_t millidegrees) {
    return millidegrees >= coldest && millidegrees <= hottest &&
           (millidegrees >= least || millidegrees <= -least);
}

}  // namespace

ThermalProbe::ThermalProbe(const std::string& root) {
    const auto base = root + "/sys/class/thermal";
    const auto folder = list_numbered(base, "thermal_zone");
    why_ = folder.why;
    for (const auto& name : folder.names) {
        TextFile type(base + "/" + name + "/type");
        std::string label(type.read().value_or(name));
        if (std::ranges::any_of(zones_, [&](const Zone& zone) { return zone.name == label; }))
            label += " (" + name + ")";
        zones_.push_back({std::move(label), TextFile(base + "/" + name + "/temp")});
    }
}

void ThermalProbe::read(Sample& sample) {
    std::string why = why_;
    std::size_t failed = 0;
    const auto skip = [&](const std::string& reason) {
        if (++failed <= most_named) why += (why.empty() ? "" : "; ") + reason;
    };
    for (auto& [name, temperature] : zones_) {
        const auto value = temperature.number();
        if (!value) {
            skip(temperature.why());
        } else if (!plausible(*value)) {
            skip(temperature.path() + ": " + std::to_string(*value) + " is no temperature (" + name + ")");
        } else {
            sample.thermal.push_back({name, static_cast<double>(*value) / 1000});
        }
    }
    if (failed > most_named) why += "; and " + std::to_string(failed - most_named) + " more";
    if (!why.empty()) sample.missing["thermal"] = std::move(why);
}

}  // namespace as2d::telemetry
