#include "telemetry/gpu_probe.hpp"

#include "telemetry/folder.hpp"

#include <algorithm>
#include <utility>

namespace as2d::telemetry {

namespace {

constexpr std::int64_t hertz = 1000;
constexpr std::int64_t kilohertz = 1;
constexpr std::int64_t megahertz = -1000;

/// Folders of devfreq that are a GPU's; those called gpubw are the bandwidth of its memory bus.
std::vector<std::string> gpu_folders(const std::string& root) {
    const auto base = root + "/sys/class/devfreq";
    std::vector<std::string> found;
    for (const auto& name : list_folder(base).names) {
        if (name.find("kgsl") != std::string::npos || name.find("mali") != std::string::npos ||
            name.ends_with(".gpu"))
            found.push_back(base + "/" + name);
    }
    return found;
}

std::string_view word_of(std::string_view line, std::size_t index) {
    for (;;) {
        const auto first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos) return {};
        line.remove_prefix(first);
        const auto end = std::min(line.find_first_of(" \t"), line.size());
        if (index-- == 0) return line.substr(0, end);
        line.remove_prefix(end);
    }
}

}  // namespace

GpuProbe::GpuProbe(const std::string& root) {
    const auto kgsl = root + "/sys/class/kgsl/kgsl-3d0/";
    const auto samsung = root + "/sys/kernel/gpu/";
    std::vector<GpuFile> loads = {
        {.path = kgsl + "gpu_busy_percentage"},
        {.path = kgsl + "gpubusy", .form = BusyForm::counters},
        {.path = root + "/sys/module/ged/parameters/gpu_loading"},
        {.path = root + "/sys/class/misc/mali0/device/utilization"},
        {.path = samsung + "gpu_busy"},
    };
    std::vector<GpuFile> clocks = {
        {.path = kgsl + "gpuclk", .per_khz = hertz},
        {.path = kgsl + "devfreq/cur_freq", .per_khz = hertz},
        {.path = kgsl + "clock_mhz", .per_khz = megahertz},
        {.path = root + "/sys/kernel/ged/hal/current_freqency", .per_khz = kilohertz, .word = 1},
        {.path = samsung + "gpu_clock", .per_khz = megahertz},
    };
    for (const auto& folder : gpu_folders(root)) {
        loads.push_back({.path = folder + "/load"});
        clocks.push_back({.path = folder + "/cur_freq", .per_khz = hertz});
    }
    busy_ = first(loads, why_busy_, [](Source& source) { return busy(source).has_value(); });
    clock_ = first(clocks, why_clock_, [](Source& source) { return clock(source).has_value(); });
}

std::optional<GpuProbe::Source> GpuProbe::first(const std::vector<GpuFile>& files, std::string& why,
                                                bool (*works)(Source&)) {
    bool denied = false;
    for (const auto& how : files) {
        Source source{how, TextFile(how.path)};
        if (works(source)) return source;
        // A file that is there and can't be read says more than one that is not there.
        if (why.empty() || (!denied && !source.file.absent())) why = source.file.why();
        denied = denied || !source.file.absent();
    }
    return std::nullopt;
}

void GpuProbe::read(Sample& sample) {
    GpuReading reading;
    if (busy_) reading.busy_percent = busy(*busy_);
    if (clock_) reading.khz = clock(*clock_);
    const auto& no_load = busy_ ? busy_->file.why() : why_busy_;
    const auto& no_clock = clock_ ? clock_->file.why() : why_clock_;
    if (!reading.busy_percent && !reading.khz) {
        sample.missing["gpu"] = no_load;
        return;
    }
    if (!reading.busy_percent) sample.missing["gpu.busy_percent"] = no_load;
    if (!reading.khz) sample.missing["gpu.khz"] = no_clock;
    sample.gpu = reading;
}

std::optional<double> GpuProbe::busy(Source& source) {
    const auto busy = source.file.number();
    if (!busy) return std::nullopt;
    if (source.how.form == BusyForm::percent) return static_cast<double>(*busy);
    const auto line = source.file.read();
    const auto total = line ? leading_number(word_of(*line, 1)) : std::nullopt;
    if (!total) return std::nullopt;
    // The driver says "0 0" while the GPU sleeps.
    return *total > 0 ? 100.0 * static_cast<double>(*busy) / static_cast<double>(*total) : 0.0;
}

std::optional<std::int64_t> GpuProbe::clock(Source& source) {
    const auto line = source.file.read();
    const auto value = line ? leading_number(word_of(*line, source.how.word)) : std::nullopt;
    if (!value) return std::nullopt;
    return source.how.per_khz > 0 ? *value / source.how.per_khz : *value * -source.how.per_khz;
}

}  // namespace as2d::telemetry
