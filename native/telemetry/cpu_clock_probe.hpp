#pragma once

#include "telemetry/sample.hpp"
#include "telemetry/text_file.hpp"

#include <string>
#include <vector>

namespace as2d::telemetry {

/// The current clock of every processor, from /sys/devices/system/cpu.
class CpuClockProbe {
  public:
    /// Finds the processors. @param root stands in front of every path
    explicit CpuClockProbe(const std::string& root);

    /// A processor that is offline has no clock; when none has one the probe is missing.
    void read(Sample& sample);

  private:
    std::vector<TextFile> clocks_;
    std::string why_;
};

}  // namespace as2d::telemetry
