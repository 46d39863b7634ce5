#include "helper/telemetry_event.hpp"

#include "helper/boottime_clock.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

using namespace as2d;
using nlohmann::json;

namespace {

telemetry::Sample everything() {
    telemetry::Sample sample;
    sample.rss_bytes = 412876800;
    sample.memory_available_bytes = 5242880000;
    sample.cpu_khz = {1804800, std::nullopt, 2841600};
    sample.thermal = {{"cpu-0-0-usr", 52.3}, {"battery", 31.2}};
    sample.battery = {.current_raw = -350000,
                      .voltage_uv = 4012000,
                      .level = 76,
                      .temperature_c = 31.2,
                      .status = "Discharging",
                      .charge_counter_raw = 3541000,
                      .charger = false,
                      .current_source = "/sys/class/power_supply/battery/current_now"};
    sample.gpu = {.busy_percent = 37.5, .khz = 680000};
    sample.suspended_ns = 1500000000;
    sample.took_ns = 412000;
    return sample;
}

telemetry::Sample little() {
    telemetry::Sample sample;
    sample.rss_bytes = 412876800;
    sample.battery.emplace().level = 76;
    sample.gpu.emplace().khz = 680000;
    sample.took_ns = 9000;
    sample.missing["battery.current_raw"] = "/sys/class/power_supply/battery/current_now: Permission denied";
    return sample;
}

telemetry::Sample nothing() {
    telemetry::Sample sample;
    sample.took_ns = 8000;
    sample.missing["battery"] = "/sys/class/power_supply: Permission denied";
    sample.missing["gpu"] = "/sys/class/kgsl/kgsl-3d0/gpu_busy_percentage: Permission denied";
    return sample;
}

std::vector<json> lines_of(std::istream& stream) {
    std::vector<json> lines;
    for (std::string line; std::getline(stream, line);) {
        auto event = json::parse(line);
        event.erase("t");
        event.erase("seq");
        lines.push_back(std::move(event));
    }
    return lines;
}

}  // namespace

// The same file is what the host's models are held to.
TEST_CASE("samples become the lines that the host knows") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const helper::BoottimeClock clock;
    {
        protocol::EventWriter writer(ends[1], clock, [] {});
        for (const auto& sample : {everything(), little(), nothing()})
            helper::post_sample(writer, sample);
        writer.finish();
    }
    ::close(ends[1]);
    std::string text(1 << 14, '\0');
    const auto count = ::read(ends[0], text.data(), text.size());
    ::close(ends[0]);
    REQUIRE(count > 0);
    std::istringstream said(text.substr(0, static_cast<std::size_t>(count)));
    std::ifstream known("tests/data/protocol/telemetry.jsonl");
    CHECK(lines_of(said) == lines_of(known));
}
