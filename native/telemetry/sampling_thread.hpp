#pragma once

#include "telemetry/sampler.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace as2d::telemetry {

/// Takes samples at a steady pace on a thread of its own until it is destroyed.
class SamplingThread {
  public:
    /// @param take called on the sampling thread with every sample
    /// @param root of the sensors' files, as for `Sampler`
    SamplingThread(std::chrono::milliseconds period, std::function<void(const Sample&)> take,
                   std::string root = "");
    ~SamplingThread();
    SamplingThread(const SamplingThread&) = delete;
    SamplingThread& operator=(const SamplingThread&) = delete;

  private:
    void run();

    std::chrono::milliseconds period_;
    std::function<void(const Sample&)> take_;
    std::string root_;
    std::mutex mutex_;
    std::condition_variable ending_changed_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace as2d::telemetry
