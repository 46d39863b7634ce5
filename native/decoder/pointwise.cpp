#include "decoder/pointwise.hpp"

#include "decoder/kernels.hpp"
#include "projection/softmax.hpp"

#include <cmath>
#include <limits>

namespace as2d::decoder {

namespace {

constexpr std::size_t lanes = panel_width;
constexpr float epsilon = 1e-5F;

float joined(const std::array<float, lanes>& sums) {
    double sum = 0.0;
    for (const float part : sums)
        sum += static_cast<double>(part);
    return static_cast<float>(sum);
}

}  // namespace

void Norm::apply(const float* x, float* out) const {
    const auto width = gamma.size();
    std::array<float, lanes> sums{};
    for (std::size_t i = 0; i < width; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += x[i + lane];
    }
    const float mean = joined(sums) / static_cast<float>(width);
    sums = {};
    for (std::size_t i = 0; i < width; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const float apart = x[i + lane] - mean;
            sums[lane] += apart * apart;
        }
    }
    const float scale = 1.0F / std::sqrt(joined(sums) / static_cast<float>(width) + epsilon);
    for (std::size_t i = 0; i < width; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            out[i + lane] = (x[i + lane] - mean) * scale * gamma[i + lane] + beta[i + lane];
    }
}

void apply_gelu(const Gelu& gelu, float* x, std::size_t count) {
    for (std::size_t begin = 0; begin < count; begin += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const float value = x[begin + lane];
            const float s = value * value * 0.0625F;
            float g = gelu.higher[0] * s;
            g = (g + gelu.higher[1]) * s;
            g = (g + gelu.higher[2]) * s;
            g = (g + gelu.higher[3]) * s;
            const float slope = (g + gelu.lowest[0] + gelu.lowest[1]) * value;
            const float power = projection::exp_nonpositive(-std::abs(slope));
            x[begin + lane] = value * (slope < 0.0F ? power : 1.0F) / (1.0F + power);
        }
    }
}

void softmax(float* x, std::size_t count) {
    const auto padded = (count + lanes - 1) / lanes * lanes;
    for (std::size_t i = count; i < padded; ++i)
        x[i] = -std::numeric_limits<float>::infinity();
    std::array<float, lanes> largest;
    largest.fill(-std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < padded; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            largest[lane] = x[i + lane] > largest[lane] ? x[i + lane] : largest[lane];
    }
    float top = largest[0];
    for (const float value : largest)
        top = value > top ? value : top;
    std::array<float, lanes> sums{};
    for (std::size_t i = 0; i < padded; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const float away = x[i + lane] - top;
            const float power = away < -87.0F ? 0.0F : projection::exp_nonpositive(away);
            x[i + lane] = power;
            sums[lane] += power;
        }
    }
    const float scale = 1.0F / joined(sums);
    for (std::size_t i = 0; i < padded; ++i)
        x[i] *= scale;
}

}  // namespace as2d::decoder
