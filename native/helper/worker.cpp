#include "helper/worker.hpp"

#include <future>

#include <sys/syscall.h>
#include <unistd.h>

namespace as2d::helper {

Worker::Worker() {
    std::promise<pid_t> id;
    auto known = id.get_future();
    thread_ = std::thread([this, id = std::move(id)]() mutable {
        id.set_value(static_cast<pid_t>(::syscall(SYS_gettid)));
        run();
    });
    thread_id_ = known.get();
}

Worker::~Worker() { stop(); }

void Worker::post(Job job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    ready_.notify_one();
}

void Worker::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        jobs_.clear();
    }
    ready_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void Worker::run() {
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            ready_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
        job();
    }
}

}  // namespace as2d::helper
