#include "telemetry/sampler.hpp"

#include "telemetry/sampling_thread.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

using namespace as2d::telemetry;

TEST_CASE("a sample holds each probe or says why it is missing") {
    const auto sample = take_sample();
    CHECK(sample.rss_bytes > 100'000);
    CHECK(sample.cpu_khz.has_value() != sample.missing.contains("cpu_khz"));
    if (sample.cpu_khz) {
        for (const auto clock : *sample.cpu_khz)
            CHECK(clock > 0);
    } else {
        CHECK(sample.missing.at("cpu_khz").find("scaling_cur_freq") != std::string::npos);
    }
}

TEST_CASE("samples come from their own thread until it ends") {
    std::promise<std::thread::id> seen;
    int samples = 0;
    {
        const SamplingThread thread(std::chrono::milliseconds(1), [&](const Sample&) {
            if (++samples == 3) seen.set_value(std::this_thread::get_id());
        });
        CHECK(seen.get_future().get() != std::this_thread::get_id());
    }
    CHECK(samples >= 3);
}
