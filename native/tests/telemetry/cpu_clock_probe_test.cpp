#include "telemetry/cpu_clock_probe.hpp"

#include "file_tree.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace as2d::telemetry;

namespace {

using Clocks = std::vector<std::optional<std::int64_t>>;

const std::string processors = "/sys/devices/system/cpu";

void clock(const FileTree& tree, int cpu, const char* khz) {
    tree.write(processors + "/cpu" + std::to_string(cpu) + "/cpufreq", {{"scaling_cur_freq", khz}});
}

Sample sample_of(CpuClockProbe& probe) {
    Sample sample;
    probe.read(sample);
    return sample;
}

}  // namespace

TEST_CASE("clocks stand in the order of the processors, also beyond ten") {
    const FileTree tree;
    for (int cpu = 0; cpu < 12; ++cpu)
        clock(tree, cpu, std::to_string(300000 + cpu).c_str());
    tree.write(processors + "/cpufreq", {{"boost", "1"}});
    tree.write(processors + "/cpuidle", {{"current_driver", "psci"}});
    CpuClockProbe probe(tree.root());
    const auto sample = sample_of(probe);
    REQUIRE(sample.cpu_khz);
    REQUIRE(sample.cpu_khz->size() == 12);
    CHECK(sample.cpu_khz->at(2) == 300002);
    CHECK(sample.cpu_khz->at(11) == 300011);
    CHECK(sample.missing.empty());
}

TEST_CASE("a processor that is offline has no clock, and gets one when it comes back") {
    const FileTree tree;
    clock(tree, 0, "1804800");
    tree.write(processors + "/cpu1", {{"online", "0"}});
    CpuClockProbe probe(tree.root());
    CHECK(sample_of(probe).cpu_khz == Clocks{1804800, std::nullopt});
    CHECK(sample_of(probe).missing.empty());
    clock(tree, 1, "2841600");
    CHECK(sample_of(probe).cpu_khz == Clocks{1804800, 2841600});
    tree.remove(processors + "/cpu1/cpufreq");
    // The kernel tells at once that a node is gone; of a plain file it is noticed within some readings.
    for (int reading = 0; reading < 16; ++reading)
        sample_of(probe);
    CHECK(sample_of(probe).cpu_khz == Clocks{1804800, std::nullopt});
}

TEST_CASE("clocks that may not be read are told with their path") {
    const FileTree tree;
    clock(tree, 0, "1");
    clock(tree, 1, "1804800");
    const auto path = processors + "/cpu0/cpufreq/scaling_cur_freq";
    tree.deny(path);
    CpuClockProbe some(tree.root());
    const auto sample = sample_of(some);
    CHECK(sample.cpu_khz == Clocks{std::nullopt, 1804800});
    CHECK(sample.missing.at("cpu_khz") == tree.root() + path + ": " + denied);
    tree.remove(processors + "/cpu1");
    CpuClockProbe none(tree.root());
    CHECK(!sample_of(none).cpu_khz);
    CHECK(sample_of(none).missing.at("cpu_khz") == tree.root() + path + ": " + denied);
}

TEST_CASE("a computer without clocks says where they would be") {
    const FileTree tree;
    tree.write(processors + "/cpu0", {{"online", "1"}});
    CpuClockProbe probe(tree.root());
    CHECK(sample_of(probe).missing.at("cpu_khz") ==
          tree.root() + processors + "/cpu0/cpufreq/scaling_cur_freq: No such file or directory");
}
