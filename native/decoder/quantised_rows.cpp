#include "decoder/quantised_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace as2d::decoder {

namespace {

constexpr std::size_t lanes = panel_width;
constexpr float largest_value = 127 * 256 + 127;
constexpr float smallest_row = 0x1p-100F;
// Added to a number below 2²² it leaves the nearest whole number in the last bits.
constexpr float whole = 0x1.8p23F;

float largest_of(const float* x, std::size_t width) {
    std::array<float, lanes> largest{};
    std::array<float, lanes> poison{};  // becomes NaN when a value is not finite
    for (std::size_t i = 0; i < width; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const float size = std::abs(x[i + lane]);
            largest[lane] = size > largest[lane] ? size : largest[lane];
            poison[lane] += x[i + lane] * 0.0F;
        }
    }
    float found = largest[0];
    float poisoned = 0.0F;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        found = largest[lane] > found ? largest[lane] : found;
        poisoned += poison[lane];
    }
    return found + poisoned;
}

void quantise(const float* x, std::size_t width, float factor, std::int16_t* to) {
    for (std::size_t i = 0; i < width; ++i) {
        const float scaled = x[i] * factor;
        const float shifted = scaled + whole;
        to[i] = static_cast<std::int16_t>(std::bit_cast<std::int32_t>(shifted) -
                                          std::bit_cast<std::int32_t>(whole));
    }
}

}  // namespace

void QuantisedRows::set(const float* x, std::size_t rows, std::size_t width, std::size_t block,
                        const Kernels& kernels) {
    const auto blocks = width / block;
    stride_ = width;
    values_.resize(rows * stride_);
    sums_.resize(rows * blocks);
    steps_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto* from = x + row * width;
        auto* to = values_.data() + row * stride_;
        const float largest = largest_of(from, width);
        const bool finite = std::isfinite(largest);
        steps_[row] = largest / largest_value;
        quantise(from, width, finite && largest >= smallest_row ? largest_value / largest : 0.0F, to);
        if (!finite) std::fill(to, to + width, std::int16_t{0});
        for (std::size_t b = 0; b < blocks; ++b) {
            std::int32_t sum = 0;
            for (std::size_t i = 0; i < block; ++i)
                sum += to[b * block + i];
            sums_[row * blocks + b] = static_cast<float>(sum);
        }
        if (kernels.arrange != nullptr) kernels.arrange(to, width);
    }
}

}  // namespace as2d::decoder
