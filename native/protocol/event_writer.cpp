#include "protocol/event_writer.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace as2d::protocol {

namespace {

// About 100 MB of queued events: hours of decoding that nobody read.
constexpr std::size_t most_queued = 200'000;

}  // namespace

EventWriter::EventWriter(int descriptor, const Clock& clock, std::function<void()> on_broken)
    : descriptor_(descriptor), clock_(clock), on_broken_(std::move(on_broken)), thread_([this] { run(); }) {}

EventWriter::~EventWriter() { finish(); }

void EventWriter::post(const char* name, Fill fill, Weight weight) {
    const auto now = clock_.now();
    {
        const std::lock_guard lock(mutex_);
        if (weight == Weight::may_drop && queue_.size() >= most_queued) {
            ++dropped_;
            return;
        }
        queue_.push_back({name, now, std::move(fill)});
    }
    ready_.notify_one();
}

void EventWriter::finish() {
    {
        const std::lock_guard lock(mutex_);
        finishing_ = true;
    }
    ready_.notify_one();
    const std::lock_guard joining(finish_mutex_);
    if (thread_.joinable()) thread_.join();
}

void EventWriter::run() {
    std::int64_t sequence = 0;
    bool broken = false;
    std::deque<Pending> batch;
    std::string text;
    for (;;) {
        std::size_t dropped = 0;
        {
            std::unique_lock lock(mutex_);
            ready_.wait(lock, [this] { return finishing_ || !queue_.empty(); });
            if (queue_.empty()) return;
            batch.swap(queue_);
            dropped = std::exchange(dropped_, 0);
        }
        text.clear();
        const auto add = [&](const char* name, Nanos t, const Fill& fill) {
            Json line = {{"event", name}, {"t", t}, {"seq", sequence++}};
            fill(line);
            // A token may end inside a UTF-8 character; JSON text may not.
            text += line.dump(-1, ' ', false, Json::error_handler_t::replace);
            text += '\n';
        };
        for (const auto& event : batch)
            add(event.name, event.t, event.fill);
        if (dropped > 0) {
            add("warning", batch.back().t, [dropped](Json& line) {
                line["code"] = "events-dropped";
                line["message"] =
                    std::to_string(dropped) + " events were dropped because nobody read them in time";
            });
        }
        batch.clear();
        if (!broken && !write_all(text)) {
            broken = true;
            on_broken_();
        }
    }
}

bool EventWriter::write_all(const std::string& text) const {
    std::size_t done = 0;
    while (done < text.size()) {
        const auto written = ::write(descriptor_, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        done += static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace as2d::protocol
