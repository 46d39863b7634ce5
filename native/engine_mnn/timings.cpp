#include "engine_mnn/timings.hpp"

#include "core/errors.hpp"
#include "engine_mnn/row_scan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace as2d::mnn {

namespace {

// The first round warms up: MNN lays out its memory then.
template <typename Call>
std::vector<std::vector<Nanos>> in_turn(std::span<const int> widths, int repeats, const Clock& clock,
                                        Call call) {
    std::vector<std::vector<Nanos>> times(widths.size());
    for (int repeat = -1; repeat < repeats; ++repeat) {
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const auto start = clock.now();
            call(static_cast<std::size_t>(widths[i]));
            if (repeat >= 0) times[i].push_back(clock.now() - start);
        }
    }
    return times;
}

std::vector<Token> filler(const WhisperNetwork& network) {
    return std::vector<Token>(widest_call, network.manifest().no_timestamps);
}

std::vector<float> silent_samples(float seconds) {
    return std::vector<float>(static_cast<std::size_t>(std::lround(seconds * sample_rate)), 0.0F);
}

}  // namespace

AudioState silence(WhisperNetwork& network) {
    return silence(network, static_cast<float>(network.manifest().window_seconds));
}

AudioState silence(WhisperNetwork& network, float seconds) {
    const auto samples = silent_samples(seconds);
    return network.project(network.encode(samples), static_cast<int>(samples.size()));
}

std::vector<std::vector<Nanos>> measure_target(WhisperTarget& target, std::span<const int> widths,
                                               int context, int repeats, const Clock& clock) {
    const auto tokens = filler(target.network(false));
    target.truncate(0);
    while (target.length() < context) {
        const auto count =
            std::min<std::size_t>(widest_call, static_cast<std::size_t>(context - target.length()));
        target.forward(std::span(tokens).first(count), {}, {});
    }
    const std::vector<RowQuery> queries(widest_call);
    std::vector<Row> rows(widest_call);
    return in_turn(widths, repeats, clock, [&](std::size_t width) {
        target.forward(std::span(tokens).first(width), std::span(queries).first(width),
                       std::span(rows).first(width));
        target.truncate(context);
    });
}

DrafterTimer::DrafterTimer(WhisperDrafterModel& model, WhisperNetwork& network, AudioState audio, int context)
    : model_(model),
      network_(network),
      audio_(std::move(audio)),
      cache_(model.manifest()),
      context_(context) {
    const auto tokens = filler(network_);
    while (cache_.length() < context_) {
        const auto count =
            std::min<std::size_t>(widest_call, static_cast<std::size_t>(context_ - cache_.length()));
        network_.decode(std::span(tokens).first(count), audio_, cache_);
    }
}

std::vector<std::vector<Nanos>> DrafterTimer::measure(std::span<const int> widths, int repeats,
                                                      const Clock& clock) {
    const auto tokens = filler(network_);
    const auto vocab = static_cast<std::size_t>(model_.manifest().vocab);
    float sum = 0.0F;
    auto times = in_turn(widths, repeats, clock, [&](std::size_t width) {
        const auto row = network_.decode(std::span(tokens).first(width), audio_, cache_).last(vocab);
        const auto& allowed = model_.allowed(false);
        sum += best_two(row, allowed).best_logit - log_sum_exp(row, allowed);
        cache_.truncate(context_);
    });
    // Without a use of what was computed the compiler might leave it out.
    if (!std::isfinite(sum)) throw EngineError("the drafter computed something that is no number");
    return times;
}

EncoderTimings measure_encoder(WhisperNetwork& network, float seconds, int repeats, const Clock& clock) {
    const auto samples = silent_samples(seconds);
    EncoderTimings times;
    for (int repeat = -1; repeat < repeats; ++repeat) {
        const auto start = clock.now();
        const auto states = network.encode(samples);
        const auto encoded = clock.now();
        network.project(states, static_cast<int>(samples.size()));
        if (repeat < 0) continue;
        times.encoder.push_back(encoded - start);
        times.cross.push_back(clock.now() - encoded);
    }
    return times;
}

}  // namespace as2d::mnn
