#include "engine_mnn/whisper_target.hpp"

#include "core/errors.hpp"

#include <algorithm>

namespace as2d::mnn {

std::vector<std::vector<Nanos>> WhisperTarget::measure_calls(std::span<const int> widths, int context,
                                                             int threads, int repeats, const Clock& clock) {
    if (threads != this->threads() && threads != shared_threads()) {
        throw RequestError("the target was loaded for " + std::to_string(this->threads()) + " and " +
                           std::to_string(shared_threads()) + " threads, not for " + std::to_string(threads));
    }
    // The time of a call does not depend on what is said: silence will do.
    const std::vector<float> silence(static_cast<std::size_t>(manifest_->window_seconds) * sample_rate, 0.0F);
    const auto audio = alone_->project(alone_->encode(silence), static_cast<int>(silence.size()));
    bind(audio);
    share_cores(threads != this->threads());
    const std::vector<Token> filler(widest_call, manifest_->no_timestamps);
    while (length() < context) {
        const auto count = std::min<std::size_t>(widest_call, static_cast<std::size_t>(context - length()));
        forward(std::span(filler).first(count), {}, {});
    }
    const std::vector<RowQuery> queries(widest_call);
    std::vector<Row> rows(widest_call);
    std::vector<std::vector<Nanos>> times(widths.size());
    for (int repeat = -1; repeat < repeats; ++repeat) {  // -1 warms up: MNN lays out its memory then
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const auto width = static_cast<std::size_t>(widths[i]);
            const auto start = clock.now();
            forward(std::span(filler).first(width), std::span(queries).first(width),
                    std::span(rows).first(width));
            if (repeat >= 0) times[i].push_back(clock.now() - start);
            truncate(context);
        }
    }
    share_cores(false);
    unbind();
    return times;
}

}  // namespace as2d::mnn
