#include "telemetry/sampler.hpp"

#include "telemetry/clocks.hpp"
#include "telemetry/pace.hpp"
#include "telemetry/sampling_thread.hpp"

#include "file_tree.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <ctime>
#include <future>
#include <string>
#include <thread>

#include <unistd.h>

using namespace as2d::telemetry;

namespace {

void memory(const FileTree& tree) {
    tree.write("/proc/self", {{"statm", "9830 2400 1211 3 0 512 0"}});
    tree.write("/proc", {{"meminfo",
                          "MemTotal:       11534000 kB\nMemFree:          812000 kB\n"
                          "MemAvailable:    5120000 kB"}});
}

}  // namespace

TEST_CASE("a sample of this computer holds each probe or says why it is missing") {
    Sampler sampler;
    const auto sample = sampler.take();
    CHECK(sample.rss_bytes > 100'000);
    CHECK(sample.memory_available_bytes);
    CHECK((sample.cpu_khz || sample.missing.contains("cpu_khz")));
    CHECK((!sample.thermal.empty() || sample.missing.contains("thermal")));
    CHECK((sample.battery || sample.missing.contains("battery")));
    CHECK((sample.gpu || sample.missing.contains("gpu")));
    for (const auto& [probe, why] : sample.missing)
        CHECK_MESSAGE(why.find(": ") != std::string::npos, probe);
}

TEST_CASE("memory is counted in bytes") {
    const FileTree tree;
    memory(tree);
    Sampler sampler(tree.root());
    const auto sample = sampler.take();
    CHECK(sample.rss_bytes == 2400U * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
    CHECK(sample.memory_available_bytes == 5'120'000ULL * 1024);
}

TEST_CASE("a phone that denies everything gives short reasons, the same in every sample") {
    const FileTree tree;
    for (const char* path : {"/sys/class/thermal", "/sys/class/power_supply", "/sys/class/kgsl",
                             "/sys/devices/system/cpu", "/proc/meminfo", "/proc/self/statm"})
        tree.deny(path);
    Sampler sampler(tree.root());
    const auto first = sampler.take();
    CHECK(first.missing.size() == 6);
    for (const auto& [probe, why] : first.missing) {
        CHECK_MESSAGE(why.ends_with(denied), probe);
        CHECK(why.size() < 200);
    }
    CHECK(sampler.take().missing == first.missing);
}

TEST_CASE("a file that was replaced is noticed") {
    const FileTree tree;
    tree.write("/a", {{"value", "1"}});
    TextFile file(tree.root() + "/a/value");
    CHECK(file.number() == 1);
    tree.write("/b", {{"value", "2"}});
    std::filesystem::rename(tree.root() + "/b/value", tree.root() + "/a/value");
    for (int reading = 0; reading < 16; ++reading)
        file.number();
    CHECK(file.number() == 2);
}

TEST_CASE("a costly probe is left out until it has taken a fiftieth of the time") {
    constexpr std::int64_t ms = 1'000'000;
    Pace pace;
    CHECK(pace.due(0));
    pace.took(1 * ms, 20 * ms);
    CHECK(pace.cost() == 20 * ms);
    CHECK(!pace.due(1001 * ms - 1));
    CHECK(pace.due(1001 * ms));
    // One that takes less than a millisecond is never left out.
    pace.took(1001 * ms, ms - 1);
    CHECK(pace.due(1002 * ms));
}

TEST_CASE("the time asleep lies between nothing and the time since the start") {
    timespec boot{};
    const auto slept = suspended_ns();
    REQUIRE(::clock_gettime(CLOCK_BOOTTIME, &boot) == 0);
    CHECK(slept >= 0);
    CHECK(slept <= static_cast<std::int64_t>(boot.tv_sec + 1) * 1'000'000'000);
}

TEST_CASE("samples come from their own thread until it ends") {
    const FileTree tree;
    memory(tree);
    std::promise<std::thread::id> seen;
    int samples = 0;
    {
        const SamplingThread thread(
            std::chrono::milliseconds(1),
            [&](const Sample& sample) {
                CHECK(sample.memory_available_bytes == 5'120'000ULL * 1024);
                if (++samples == 3) seen.set_value(std::this_thread::get_id());
            },
            tree.root());
        CHECK(seen.get_future().get() != std::this_thread::get_id());
    }
    CHECK(samples >= 3);
}
