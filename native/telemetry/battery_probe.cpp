#include "telemetry/battery_probe.hpp"

#include "telemetry/folder.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace as2d::telemetry {

namespace {

// Folders by which vendors call the phone's own battery and its fuel gauge; they are tried even where the
// folder above can't be listed.
constexpr std::array<std::string_view, 4> known_batteries = {"battery", "Battery", "bms", "MainBattery"};
// The kernel's unit is µV; some phones say mV, and no battery has less than 20 mV or more than 20 kV.
constexpr std::int64_t largest_millivolts = 20'000;
constexpr double coldest = -60;
constexpr double hottest = 150;

std::string content(const std::string& path) {
    TextFile file(path);
    return std::string(file.read().value_or(""));
}

bool feeds(std::string_view type) { return type.starts_with("USB") || type == "Mains" || type == "Wireless"; }

}  // namespace

BatteryProbe::BatteryProbe(const std::string& root) : base_(root + "/sys/class/power_supply") {
    for (const auto name : known_batteries)
        batteries_.emplace_back(name);
    const auto folder = list_folder(base_);
    why_ = folder.why;
    no_charger_ = folder.why.empty() ? base_ + ": no charger is listed" : folder.why;
    for (const auto& name : folder.names) {
        const auto place = base_ + "/" + name;
        const auto type = content(place + "/type");
        // The battery of a mouse or a pen is none of this device.
        if (type == "Battery" && content(place + "/scope") != "Device" &&
            std::ranges::find(batteries_, name) == batteries_.end())
            batteries_.push_back(name);
        if (feeds(type)) chargers_.emplace_back(place + "/online");
    }
    current_ = find("current_now");
    voltage_ = find("voltage_now");
    level_ = find("capacity");
    temperature_ = find("temp");
    status_ = find("status", true);
    charge_counter_ = find("charge_counter");
    if (!charge_counter_.file) {
        auto remaining = find("charge_now");
        if (remaining.file) charge_counter_ = std::move(remaining);
    }
}

BatteryProbe::Value BatteryProbe::find(std::string_view attribute, bool text) const {
    Value value;
    bool denied = false;
    for (const auto& battery : batteries_) {
        TextFile file(base_ + "/" + battery + "/" + std::string(attribute));
        if (text ? file.read().has_value() : file.number().has_value()) {
            value.file = std::move(file);
            return value;
        }
        // A file that is there and can't be read says more than one that is not there.
        if (value.why.empty() || (!denied && !file.absent())) value.why = file.why();
        denied = denied || !file.absent();
    }
    if (!denied && !why_.empty()) value.why = why_;
    return value;
}

void BatteryProbe::read(Sample& sample) {
    BatteryReading reading;
    auto absent = sample.missing;
    reading.current_raw = number(current_, "battery.current_raw", sample);
    reading.voltage_uv = number(voltage_, "battery.voltage_uv", sample);
    if (reading.voltage_uv && *reading.voltage_uv > 0 && *reading.voltage_uv < largest_millivolts)
        *reading.voltage_uv *= 1000;
    reading.level = number(level_, "battery.level", sample);
    if (const auto tenths = number(temperature_, "battery.temperature_c", sample)) {
        const auto celsius = static_cast<double>(*tenths) / 10;
        if (celsius > coldest && celsius < hottest && *tenths != 0) {
            reading.temperature_c = celsius;
        } else {
            sample.missing["battery.temperature_c"] =
                temperature_.file->path() + ": " + std::to_string(*tenths) + " is no temperature";
        }
    }
    reading.status = word(status_, "battery.status", sample);
    reading.charge_counter_raw = number(charge_counter_, "battery.charge_counter_raw", sample);
    if (reading.current_raw) reading.current_source = current_.file->path();
    if (reading.current_raw || reading.voltage_uv || reading.level || reading.temperature_c ||
        reading.status || reading.charge_counter_raw) {
        reading.charger = charger(sample);
        sample.battery = std::move(reading);
    } else {
        // One reason for all.
        sample.missing = std::move(absent);
        sample.missing["battery"] = current_.file ? current_.file->why() : current_.why;
    }
}

std::optional<std::int64_t> BatteryProbe::number(Value& value, const char* name, Sample& sample) {
    if (value.file) {
        if (auto found = value.file->number()) return found;
    }
    sample.missing[name] = value.file ? value.file->why() : value.why;
    return std::nullopt;
}

std::optional<std::string> BatteryProbe::word(Value& value, const char* name, Sample& sample) {
    if (value.file) {
        if (const auto found = value.file->read()) return std::string(*found);
    }
    sample.missing[name] = value.file ? value.file->why() : value.why;
    return std::nullopt;
}

std::optional<bool> BatteryProbe::charger(Sample& sample) {
    std::string why;
    bool known = false;
    for (auto& online : chargers_) {
        const auto value = online.number();
        if (value && *value > 0) return true;
        known = known || value.has_value();
        if (!value && !online.absent()) why = online.why();
    }
    if (known && why.empty()) return false;
    sample.missing["battery.charger"] = why.empty() ? no_charger_ : why;
    return std::nullopt;
}

}  // namespace as2d::telemetry
