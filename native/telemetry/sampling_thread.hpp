#pragma once

#include "telemetry/sampler.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace as2d::telemetry {

/// Takes samples at a steady pace on a thread of its own until it is destroyed.
class SamplingThread {
  public:
    /// @param take called on the sampling thread with every sample
    SamplingThread(std::chrono::milliseconds period, std::function<void(const Sample&)> take);
    ~SamplingThread();
    SamplingThread(const SamplingThread&) = delete;
    SamplingThread& operator=(const SamplingThread&) = delete;

  private:
    void run();

    std::chrono::milliseconds period_;
    std::function<void(const Sample&)> take_;
    std::mutex mutex_;
    std::condition_variable ending_changed_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace as2d::telemetry
