#include "engine_mnn/row_scan.hpp"

#include "core/errors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace as2d::mnn {

namespace {

constexpr std::size_t lanes = 16;    // two AVX2 or four NEON registers: the compiler keeps them all busy
constexpr std::size_t block = 1024;  // small enough to rescan for an index, large enough for few blocks
constexpr float lowest = -std::numeric_limits<float>::infinity();

/// Largest biased logit of a block; `poison` becomes NaN when a logit is not finite.
float block_maximum(const float* logits, const float* bias, std::size_t count,
                    std::array<float, lanes>& poison) {
    std::array<float, lanes> largest;
    largest.fill(lowest);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const float value = logits[i + lane] + bias[i + lane];
            largest[lane] = value > largest[lane] ? value : largest[lane];
            poison[lane] += logits[i + lane] * 0.0F;
        }
    }
    for (; i < count; ++i) {
        const float value = logits[i] + bias[i];
        largest[0] = value > largest[0] ? value : largest[0];
        poison[0] += logits[i] * 0.0F;
    }
    return *std::max_element(largest.begin(), largest.end());
}

/// exp(x) for x <= 0 by range reduction and the Cephes single precision polynomial (Moshier, `expf`).
inline float exp_nonpositive(float x) {
    x = x < -87.0F ? -87.0F : x;
    const float scaled = x * 1.44269504088896341F;
    const auto whole = static_cast<std::int32_t>(scaled - 0.5F);
    const auto power = static_cast<float>(whole);
    const float r = x - power * 0.693359375F + power * 2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    return p * std::bit_cast<float>((whole + 127) << 23);
}

}  // namespace

BestTwo best_two(std::span<const float> logits, std::span<const float> bias) {
    std::array<float, lanes> poison{};
    std::vector<float> maxima;
    maxima.reserve(logits.size() / block + 1);
    for (std::size_t begin = 0; begin < logits.size(); begin += block) {
        const auto count = std::min(block, logits.size() - begin);
        maxima.push_back(block_maximum(logits.data() + begin, bias.data() + begin, count, poison));
    }
    if (std::any_of(poison.begin(), poison.end(), [](float value) { return std::isnan(value); })) {
        throw EngineError("the model produced a logit that is not a finite number");
    }
    BestTwo out;
    out.best_logit = out.second_logit = lowest;
    const auto rescan = [&](std::size_t index) {
        const auto begin = index * block;
        const auto end = std::min(begin + block, logits.size());
        for (auto i = begin; i < end; ++i) {
            const float value = logits[i] + bias[i];
            if (value > out.best_logit) {
                out.second = out.best;
                out.second_logit = out.best_logit;
                out.best = static_cast<std::int32_t>(i);
                out.best_logit = value;
            } else if (value > out.second_logit) {
                out.second = static_cast<std::int32_t>(i);
                out.second_logit = value;
            }
        }
    };
    for (std::size_t index = 0; index < maxima.size(); ++index) {
        if (maxima[index] > out.second_logit) rescan(index);
    }
    if (out.best < 0) throw EngineError("the model's suppress list leaves no token that may win");
    return out;
}

BestTwo best_two_of(std::span<const float> logits, std::span<const std::int32_t> ids) {
    BestTwo out;
    out.best_logit = out.second_logit = lowest;
    for (const auto id : ids) {
        const float value = logits[static_cast<std::size_t>(id)];
        if (!std::isfinite(value))
            throw EngineError("the model produced a logit that is not a finite number");
        if (value > out.best_logit) {
            out.second = out.best;
            out.second_logit = out.best_logit;
            out.best = id;
            out.best_logit = value;
        } else if (value > out.second_logit) {
            out.second = id;
            out.second_logit = value;
        }
    }
    return out;
}

float log_sum_exp(std::span<const float> logits, std::span<const float> bias) {
    const auto best = best_two(logits, bias);
    std::array<float, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= logits.size(); i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += exp_nonpositive(logits[i + lane] + bias[i + lane] - best.best_logit);
        }
    }
    for (; i < logits.size(); ++i)
        sums[0] += exp_nonpositive(logits[i] + bias[i] - best.best_logit);
    double sum = 0.0;
    for (const float part : sums)
        sum += static_cast<double>(part);
    return best.best_logit + static_cast<float>(std::log(sum));
}

std::vector<float> forbid(int vocab, std::span<const std::int32_t> ids) {
    std::vector<float> bias(static_cast<std::size_t>(vocab), 0.0F);
    for (const auto id : ids)
        bias[static_cast<std::size_t>(id)] = lowest;
    return bias;
}

}  // namespace as2d::mnn
