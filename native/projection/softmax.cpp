#include "projection/softmax.hpp"

#include "core/errors.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace as2d::projection {

namespace {

constexpr std::size_t lanes = 16;  // two AVX2 or four NEON registers: the compiler keeps them all busy
constexpr float lowest = -std::numeric_limits<float>::infinity();

}  // namespace

float log_sum_exp(std::span<const float> logits, std::span<const float> bias) {
    float largest = lowest;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const float value = logits[i] + bias[i];
        largest = value > largest ? value : largest;
    }
    std::array<float, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= logits.size(); i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += exp_nonpositive(logits[i + lane] + bias[i + lane] - largest);
    }
    for (; i < logits.size(); ++i)
        sums[0] += exp_nonpositive(logits[i] + bias[i] - largest);
    double sum = 0.0;
    for (const float part : sums)
        sum += static_cast<double>(part);
    const float out = largest + static_cast<float>(std::log(sum));
    if (!std::isfinite(out)) throw EngineError("the model produced a logit that is not a finite number");
    return out;
}

std::vector<float> forbid(int vocab, std::span<const std::int32_t> ids) {
    std::vector<float> bias(static_cast<std::size_t>(vocab), 0.0F);
    for (const auto id : ids)
        bias[static_cast<std::size_t>(id)] = lowest;
    return bias;
}

}  // namespace as2d::projection
