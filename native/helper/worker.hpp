#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include <sys/types.h>

namespace as2d::helper {

/// A thread that runs jobs in the order they were posted.
class Worker {
  public:
    using Job = std::function<void()>;

    Worker();
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// The system's id of the thread.
    pid_t thread_id() const { return thread_id_; }

    /// Jobs must not throw.
    void post(Job job);

    /// Drops the jobs that have not begun and waits for the one that has.
    void stop();

  private:
    void run();

    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Job> jobs_;
    bool stopping_ = false;
    pid_t thread_id_ = 0;
    std::thread thread_;
};

}  // namespace as2d::helper
