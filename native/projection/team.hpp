// A few threads that work on one thing at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace as2d::projection {

/// Runs a task on its own threads and the calling one. Who calls while it works for another waits for its
/// turn. A worker that finds nothing to do spins for some tens of microseconds before it sleeps: calls come
/// in quick succession.
class Team {
  public:
    /// @param size threads that work, the calling one included; 1 makes none
    /// @param cpus that its own threads are kept on, as far as the system allows; empty: those of the calling
    /// one
    explicit Team(int size, std::vector<int> cpus = {});
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return static_cast<int>(workers_.size()) + 1; }

    /// Calls `task(index)` once for each index below `size()`, at the same time, and returns when all are
    /// done. The task must not throw.
    void run(const std::function<void(int)>& task);

  private:
    void work(int index);

    std::vector<int> cpus_;
    std::vector<std::thread> workers_;
    std::mutex turn_;
    std::mutex mutex_;
    std::condition_variable wake_;
    const std::function<void(int)>* task_ = nullptr;
    std::atomic<std::uint64_t> round_ = 0;  // rises with each task; its highest bit ends the workers
    std::atomic<int> left_ = 0;
};

}  // namespace as2d::projection
