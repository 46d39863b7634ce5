#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace as2d::telemetry {

/// One reading of the device's sensors. A probe that can't be read is missing with the reason.
struct Sample {
    std::uint64_t rss_bytes = 0;                       ///< memory of this process, resident
    std::optional<std::vector<std::int64_t>> cpu_khz;  ///< current clock of each processor
    std::map<std::string, std::string> missing;        ///< probe -> why
};

/// Reads all probes now. Takes well under a millisecond.
Sample take_sample();

}  // namespace as2d::telemetry
