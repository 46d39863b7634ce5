#include "decoder/pointwise.hpp"

#include "decoder/kernels.hpp"
#include "projection/softmax.hpp"

#include <algorithm>
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
    const auto [h, l] = gelu;  // a copy: what x points to can't change it
    for (std::size_t i = 0; i < count; ++i) {
        const float value = x[i];
        const float s = value * value * 0.0625F;
        const float g = (((h[0] * s + h[1]) * s + h[2]) * s + h[3]) * s + l[0] + l[1];
        const float slope = g * value;
        const float power = projection::exp_nonpositive(-std::abs(slope));
        x[i] = value * (slope < 0.0F ? power : 1.0F) / (1.0F + power);
    }
}

void softmax(float* x, std::size_t count) {
    const auto padded = (count + lanes - 1) / lanes * lanes;
    std::fill(x + count, x + padded, -std::numeric_limits<float>::infinity());
    std::array<float, lanes> largest;
    largest.fill(-std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i < padded; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            largest[lane] = x[i + lane] > largest[lane] ? x[i + lane] : largest[lane];
    }
    float top = largest[0];
    for (const float value : largest)
        top = value > top ? value : top;
    for (std::size_t i = 0; i < padded; ++i)
        x[i] = projection::exp_nonpositive(x[i] - top);
    std::fill(x + count, x + padded, 0.0F);
    std::array<float, lanes> sums{};
    for (std::size_t i = 0; i < padded; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += x[i + lane];
    }
    const float scale = 1.0F / joined(sums);
    for (std::size_t i = 0; i < padded; ++i)
        x[i] *= scale;
}

}  // namespace as2d::decoder
