#include "engine_mnn/timings.hpp"

#include "core/errors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace as2d::mnn {

namespace {

// The first round warms up.
constexpr int warm_up = -1;

template <typename Call>
WidthTimes over_widths(std::span<const int> widths, int repeats, Call call) {
    WidthTimes times(widths.size());
    for (int repeat = warm_up; repeat < repeats; ++repeat) {
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const Nanos taken = call(static_cast<std::size_t>(widths[i]));
            if (repeat != warm_up) times[i].push_back(taken);
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

TargetTimer::TargetTimer(WhisperTarget& target, int context)
    : target_(target),
      tokens_(filler(target.network(false))),
      queries_(widest_call),
      rows_(widest_call),
      context_(context) {
    target_.truncate(0);
    while (target_.length() < context_) {
        const auto count =
            std::min<std::size_t>(widest_call, static_cast<std::size_t>(context_ - target_.length()));
        target_.forward(std::span(tokens_).first(count), {}, {});
    }
}

Nanos TargetTimer::call(std::size_t width, const Clock& clock) {
    const auto start = clock.now();
    target_.forward(std::span(tokens_).first(width), std::span(queries_).first(width),
                    std::span(rows_).first(width));
    const auto end = clock.now();
    target_.truncate(context_);
    return end - start;
}

WidthTimes TargetTimer::measure(std::span<const int> widths, int repeats, const Clock& clock) {
    return over_widths(widths, repeats, [&](std::size_t width) { return call(width, clock); });
}

DrafterTimer::DrafterTimer(WhisperDrafterModel& model, WhisperNetwork& network, AudioState audio, int context)
    : model_(model),
      network_(network),
      audio_(std::move(audio)),
      cache_(model.manifest()),
      tokens_(filler(network)),
      context_(context) {
    while (cache_.length() < context_) {
        const auto count =
            std::min<std::size_t>(widest_call, static_cast<std::size_t>(context_ - cache_.length()));
        network_.decode(std::span(tokens_).first(count), audio_, cache_);
    }
}

Nanos DrafterTimer::step(std::size_t width, const Clock& clock) {
    const auto start = clock.now();
    const auto states = network_.decode(std::span(tokens_).first(width), audio_, cache_);
    const float confidence = probability(model_.best_two(network_, states, false));
    const auto end = clock.now();
    // Without a use of what was computed the compiler might leave it out.
    if (!std::isfinite(confidence)) throw EngineError("the drafter computed something that is no number");
    return end - start;
}

WidthTimes DrafterTimer::measure(std::span<const int> widths, int repeats, const Clock& clock) {
    return over_widths(widths, repeats, [&](std::size_t width) {
        const auto taken = step(width, clock);
        rewind();
        return taken;
    });
}

void measure_turns(TargetTimer& target, DrafterTimer& drafter, std::span<Turn> turns, int repeats,
                   const Clock& clock) {
    for (int repeat = warm_up; repeat < repeats; ++repeat) {
        const auto keep = [repeat](std::vector<Nanos>& kept, Nanos taken) {
            if (repeat != warm_up) kept.push_back(taken);
        };
        for (auto& turn : turns) {
            keep(turn.call, target.call(static_cast<std::size_t>(turn.k), clock));
            for (std::size_t n = 0; n < turn.steps.size(); ++n) {
                const int width = n == 0 ? turn.width : 1;
                keep(turn.steps[n], drafter.step(static_cast<std::size_t>(width), clock));
            }
            drafter.rewind();
        }
    }
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
