#pragma once

#include "telemetry/battery_probe.hpp"
#include "telemetry/cpu_clock_probe.hpp"
#include "telemetry/gpu_probe.hpp"
#include "telemetry/memory_probe.hpp"
#include "telemetry/pace.hpp"
#include "telemetry/sample.hpp"
#include "telemetry/thermal_probe.hpp"

#include <string>

namespace as2d::telemetry {

/// Reads the device's sensors. Where they are is found once, when it is made. For use by one thread.
class Sampler {
  public:
    /// @param root stands in front of every path: another tree of files instead of the device's
    explicit Sampler(const std::string& root = "");

    /// Reads all probes now; a costly one is left out of some samples, see `Pace`.
    Sample take();

  private:
    template <typename Probe>
    void read(Probe& probe, Pace& pace, const char* name, Sample& sample);

    MemoryProbe memory_;
    CpuClockProbe cpu_clocks_;
    ThermalProbe thermal_;
    BatteryProbe battery_;
    GpuProbe gpu_;
    Pace cpu_pace_;
    Pace thermal_pace_;
    Pace battery_pace_;
    Pace gpu_pace_;
};

}  // namespace as2d::telemetry
