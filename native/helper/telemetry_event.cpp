#include "helper/telemetry_event.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace as2d::helper {

namespace {

using protocol::Json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json clocks_json(const telemetry::Sample& sample) {
    if (!sample.cpu_khz) return nullptr;
    auto clocks = Json::array();
    for (const auto& clock : *sample.cpu_khz)
        clocks.push_back(or_null(clock));
    return clocks;
}

Json thermal_json(const telemetry::Sample& sample) {
    auto zones = Json::array();
    for (const auto& [zone, celsius] : sample.thermal)
        zones.push_back({{"zone", zone}, {"celsius", celsius}});
    return zones;
}

Json battery_json(const telemetry::Sample& sample) {
    if (!sample.battery) return nullptr;
    const auto& battery = *sample.battery;
    return {{"current_raw", or_null(battery.current_raw)},
            {"voltage_uv", or_null(battery.voltage_uv)},
            {"level", or_null(battery.level)},
            {"temperature_c", or_null(battery.temperature_c)},
            {"status", or_null(battery.status)},
            {"charge_counter_raw", or_null(battery.charge_counter_raw)},
            {"charger", or_null(battery.charger)},
            {"current_source", or_null(battery.current_source)}};
}

Json gpu_json(const telemetry::Sample& sample) {
    if (!sample.gpu) return nullptr;
    return {{"busy_percent", or_null(sample.gpu->busy_percent)}, {"khz", or_null(sample.gpu->khz)}};
}

}  // namespace

void post_sample(protocol::EventWriter& writer, const telemetry::Sample& sample) {
    writer.post(
        "telemetry",
        [sample](Json& line) {
            line["rss_bytes"] = sample.rss_bytes;
            line["memory_available_bytes"] = or_null(sample.memory_available_bytes);
            line["cpu_khz"] = clocks_json(sample);
            line["thermal"] = thermal_json(sample);
            line["battery"] = battery_json(sample);
            line["gpu"] = gpu_json(sample);
            line["suspended_ns"] = sample.suspended_ns;
            line["took_ns"] = sample.took_ns;
            line["missing"] = sample.missing;
        },
        protocol::Weight::may_drop);
}

}  // namespace as2d::helper
