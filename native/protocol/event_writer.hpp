#pragma once

#include "core/clock.hpp"

#include <nlohmann/json_fwd.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace as2d::protocol {

using Json = nlohmann::ordered_json;

/// How much an event matters when the host reads too slowly and memory would run out.
enum class Weight {
    must_arrive,  ///< answers, commits, results, warnings
    may_drop,     ///< telemetry and drafting detail
};

/// Writes events as JSON lines to a file descriptor from a thread of its own.
/// Posting never waits for the reader: what is posted is queued, and turned into text by the writer's thread.
class EventWriter {
  public:
    /// Fills in the event's fields; runs on the writer's thread, so it must own what it reads.
    using Fill = std::function<void(Json&)>;

    /// @param on_broken called once, on the writer's thread, with the reason in `errno` when a line can't be
    /// written
    EventWriter(int descriptor, const Clock& clock, std::function<void()> on_broken);
    ~EventWriter();
    EventWriter(const EventWriter&) = delete;
    EventWriter& operator=(const EventWriter&) = delete;

    /// Queues `{"event": name, "t": now, "seq": …}` with the fields that `fill` adds.
    void post(const char* name, Fill fill, Weight weight = Weight::must_arrive);

    /// Writes what is queued and ends the thread; any thread may call it. Called by the destructor too.
    void finish();

  private:
    struct Pending {
        const char* name;
        Nanos t;
        Fill fill;
    };

    void run();
    bool write_all(const std::string& text) const;

    int descriptor_;
    const Clock& clock_;
    std::function<void()> on_broken_;
    std::mutex finish_mutex_;
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Pending> queue_;
    std::size_t dropped_ = 0;
    bool finishing_ = false;
    std::thread thread_;
};

}  // namespace as2d::protocol
