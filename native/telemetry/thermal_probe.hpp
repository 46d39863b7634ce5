#pragma once

#include "telemetry/sample.hpp"
#include "telemetry/text_file.hpp"

#include <string>
#include <vector>

namespace as2d::telemetry {

/// Temperatures of the thermal zones in /sys/class/thermal.
class ThermalProbe {
  public:
    /// Finds the zones. @param root stands in front of every path
    explicit ThermalProbe(const std::string& root);

    /// Adds the zones' temperatures. Zones without one are told together in one reason.
    void read(Sample& sample);

  private:
    struct Zone {
        std::string name;
        TextFile temperature;
    };

    std::vector<Zone> zones_;
    std::string why_;
};

}  // namespace as2d::telemetry
