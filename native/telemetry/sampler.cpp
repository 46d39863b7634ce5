#include "telemetry/sampler.hpp"

#include "telemetry/clocks.hpp"

#include <cstdint>

namespace as2d::telemetry {

Sampler::Sampler(const std::string& root)
    : memory_(root), cpu_clocks_(root), thermal_(root), battery_(root), gpu_(root) {}

Sample Sampler::take() {
    Sample sample;
    const auto start = monotonic_ns();
    memory_.read(sample);
    read(battery_, battery_pace_, "battery", sample);
    read(cpu_clocks_, cpu_pace_, "cpu_khz", sample);
    read(gpu_, gpu_pace_, "gpu", sample);
    read(thermal_, thermal_pace_, "thermal", sample);
    sample.suspended_ns = suspended_ns();
    sample.took_ns = monotonic_ns() - start;
    return sample;
}

template <typename Probe>
void Sampler::read(Probe& probe, Pace& pace, const char* name, Sample& sample) {
    const auto start = monotonic_ns();
    if (!pace.due(start)) {
        constexpr std::int64_t microsecond = 1000;
        sample.missing[name] = "left out of this sample: a reading takes " +
                               std::to_string(pace.cost() / microsecond) + " microseconds of a core";
        return;
    }
    const auto before = thread_cpu_ns();
    probe.read(sample);
    pace.took(start, thread_cpu_ns() - before);
}

}  // namespace as2d::telemetry
