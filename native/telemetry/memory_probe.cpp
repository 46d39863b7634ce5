#include "telemetry/memory_probe.hpp"

#include <cstdint>
#include <string_view>

#include <unistd.h>

namespace as2d::telemetry {

namespace {

/// The number behind the first space that follows `from`.
std::optional<std::uint64_t> number_behind(std::string_view text, std::size_t from) {
    const auto space = text.find(' ', from);
    const auto digit = text.find_first_not_of(' ', space);
    if (space == std::string_view::npos || digit == std::string_view::npos) return std::nullopt;
    const auto value = leading_number(text.substr(digit));
    if (!value || *value < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

}  // namespace

MemoryProbe::MemoryProbe(const std::string& root)
    : process_(root + "/proc/self/statm"), device_(root + "/proc/meminfo", 1024) {}

void MemoryProbe::read(Sample& sample) {
    const auto process = process_.read();
    const auto pages = process ? number_behind(*process, 0) : std::nullopt;
    if (pages) {
        sample.rss_bytes = *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    } else {
        sample.missing["rss_bytes"] = process ? process_.path() + ": not understood" : process_.why();
    }
    const auto device = device_.read();
    constexpr std::string_view name = "MemAvailable:";
    const auto at = device ? device->find(name) : std::string_view::npos;
    const auto kib = at == std::string_view::npos ? std::nullopt : number_behind(*device, at);
    if (kib) {
        sample.memory_available_bytes = *kib * 1024;
    } else {
        sample.missing["memory_available_bytes"] =
            device ? device_.path() + ": no MemAvailable" : device_.why();
    }
}

}  // namespace as2d::telemetry
