#include "telemetry/gpu_probe.hpp"

#include "file_tree.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace as2d::telemetry;

namespace {

const std::string kgsl = "/sys/class/kgsl/kgsl-3d0";

Sample sample_of(const FileTree& tree) {
    Sample sample;
    GpuProbe(tree.root()).read(sample);
    return sample;
}

}  // namespace

TEST_CASE("an Adreno tells its load in percent and its clock in Hz") {
    const FileTree tree;
    tree.write(kgsl, {{"gpu_busy_percentage", "37 %"}, {"gpubusy", " 12 100"}, {"gpuclk", "680000000"}});
    const auto sample = sample_of(tree);
    CHECK(sample.gpu->busy_percent == 37);
    CHECK(sample.gpu->khz == 680000);
    CHECK(sample.missing.empty());
}

TEST_CASE("an Adreno that tells counters only") {
    const FileTree tree;
    tree.write(kgsl, {{"gpubusy", "  281250  1000000"}});
    tree.write(kgsl + "/devfreq", {{"cur_freq", "305000000"}});
    CHECK(*sample_of(tree).gpu->busy_percent == doctest::Approx(28.125));
    CHECK(sample_of(tree).gpu->khz == 305000);
    tree.write(kgsl, {{"gpubusy", "      0       0"}});
    CHECK(sample_of(tree).gpu->busy_percent == 0);
}

TEST_CASE("MediaTek's ged") {
    const FileTree tree;
    tree.write("/sys/module/ged/parameters", {{"gpu_loading", "63"}});
    tree.write("/sys/kernel/ged/hal", {{"current_freqency", "11 390000"}});
    CHECK(sample_of(tree).gpu->busy_percent == 63);
    CHECK(sample_of(tree).gpu->khz == 390000);
}

TEST_CASE("a Mali through devfreq, whose memory bus is none") {
    const FileTree tree;
    tree.write("/sys/class/devfreq/13000000.mali", {{"cur_freq", "848000000"}, {"load", "55@848000000Hz"}});
    CHECK(sample_of(tree).gpu->busy_percent == 55);
    CHECK(sample_of(tree).gpu->khz == 848000);
    const FileTree bus;
    bus.write("/sys/class/devfreq/soc:qcom,gpubw", {{"cur_freq", "7980"}});
    CHECK(!sample_of(bus).gpu);
}

TEST_CASE("Samsung's own folder") {
    const FileTree tree;
    tree.write("/sys/kernel/gpu", {{"gpu_busy", "8%"}, {"gpu_clock", "500"}});
    CHECK(sample_of(tree).gpu->busy_percent == 8);
    CHECK(sample_of(tree).gpu->khz == 500000);
}

TEST_CASE("half a GPU says what the other half lacks") {
    const FileTree tree;
    tree.write(kgsl, {{"gpuclk", "680000000"}});
    tree.deny(kgsl + "/gpu_busy_percentage");
    const auto sample = sample_of(tree);
    CHECK(sample.gpu->khz == 680000);
    CHECK(!sample.gpu->busy_percent);
    CHECK(sample.missing.at("gpu.busy_percent") == tree.root() + kgsl + "/gpu_busy_percentage: " + denied);
}

TEST_CASE("no GPU at all is one reason") {
    const FileTree tree;
    const auto sample = sample_of(tree);
    CHECK(!sample.gpu);
    REQUIRE(sample.missing.size() == 1);
    CHECK(sample.missing.at("gpu").ends_with("gpu_busy_percentage: No such file or directory"));
}
