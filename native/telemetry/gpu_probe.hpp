#pragma once

#include "telemetry/sample.hpp"
#include "telemetry/text_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace as2d::telemetry {

/// How a file says how busy the GPU is.
enum class BusyForm {
    percent,   ///< "12 %", or "12@600000000Hz" of devfreq's load
    counters,  ///< "busy total": the busy part of the driver's last interval, both in the same unit
};

/// Where a driver tells its GPU's load and clock.
struct GpuFile {
    std::string path;
    BusyForm form = BusyForm::percent;  ///< of a load
    std::int64_t per_khz = 1;  ///< of a clock: its unit's number in a kHz; negative: kHz in one of it
    std::size_t word = 0;      ///< of a clock: which word of the line
};

/// Load and clock of the GPU: Adreno (kgsl), MediaTek (ged), Samsung, and others through devfreq.
class GpuProbe {
  public:
    /// Finds the first driver whose files can be read. @param root stands in front of every path
    explicit GpuProbe(const std::string& root);

    void read(Sample& sample);

  private:
    struct Source {
        GpuFile how;
        TextFile file;
    };

    static std::optional<Source> first(const std::vector<GpuFile>& files, std::string& why,
                                       bool (*works)(Source&));
    static std::optional<double> busy(Source& source);
    static std::optional<std::int64_t> clock(Source& source);

    std::optional<Source> busy_;
    std::optional<Source> clock_;
    std::string why_busy_;
    std::string why_clock_;
};

}  // namespace as2d::telemetry
