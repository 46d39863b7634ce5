#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace as2d::telemetry {

/// The temperature of one of the device's thermal zones.
struct ZoneTemperature {
    std::string zone;  ///< its name, the vendor's own
    double celsius = 0;
};

/// The battery as the kernel tells it. The current stays raw: its unit and sign differ between phones.
struct BatteryReading {
    std::optional<std::int64_t> current_raw;
    std::optional<std::int64_t> voltage_uv;
    std::optional<std::int64_t> level;  ///< percent
    std::optional<double> temperature_c;
    std::optional<std::string> status;  ///< the kernel's word, such as "Discharging"
    std::optional<std::int64_t> charge_counter_raw;
    std::optional<bool> charger;                ///< a charger or a USB port feeds the device
    std::optional<std::string> current_source;  ///< the file that the current comes from
};

/// How busy the GPU is and how fast it runs.
struct GpuReading {
    std::optional<double> busy_percent;
    std::optional<std::int64_t> khz;
};

/// One reading of the device's sensors. A probe that can't be read is missing with the reason.
struct Sample {
    std::uint64_t rss_bytes = 0;  ///< memory of this process, resident
    std::optional<std::uint64_t> memory_available_bytes;
    std::optional<std::vector<std::optional<std::int64_t>>> cpu_khz;  ///< by processor; null: it is offline
    std::vector<ZoneTemperature> thermal;
    std::optional<BatteryReading> battery;
    std::optional<GpuReading> gpu;
    std::int64_t suspended_ns = 0;               ///< how long the device slept since it started
    std::int64_t took_ns = 0;                    ///< how long this reading took
    std::map<std::string, std::string> missing;  ///< probe -> why
};

}  // namespace as2d::telemetry
