#include "decoder/matrix.hpp"

#include "core/errors.hpp"
#include "projection/half.hpp"

#include <bit>
#include <optional>

namespace as2d::decoder {

namespace {

/// The binary16 number with this value, if there is one.
std::optional<std::uint16_t> as_half(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const int exponent = static_cast<int>((bits >> 23) & 0xFFU) - 112;
    const std::uint32_t fraction = bits & 0x7FFFFFU;
    std::uint32_t magnitude = 0;
    if (exponent > 0) {
        magnitude = (static_cast<std::uint32_t>(exponent) << 10) | (fraction >> 13);
    } else if (exponent > -11) {
        magnitude = (fraction | 0x800000U) >> (14 - exponent);  // subnormal in binary16
    }
    const auto half = static_cast<std::uint16_t>(sign | (magnitude & 0x7FFFU));
    if (std::bit_cast<std::uint32_t>(projection::half_to_float(half)) != bits) return std::nullopt;
    return half;
}

}  // namespace

Matrix::Matrix(std::span<const float> weights, std::span<const float> bias, int outputs, int inputs)
    : inputs_(static_cast<std::size_t>(inputs)), bias_(bias.begin(), bias.end()) {
    const auto rows = static_cast<std::size_t>(outputs);
    if (bias.size() != rows || weights.size() != rows * inputs_)
        throw EngineError("a layer of the decoder does not have the size that the manifest tells");
    if (rows % panel_width != 0) throw EngineError("the decoder's layers must be a multiple of 16 wide");
    const auto place = [&](std::size_t row, std::size_t i) {
        return (row / panel_width * inputs_ + i) * panel_width + row % panel_width;
    };
    halves_.resize(weights.size());
    for (std::size_t at = 0; at < weights.size(); ++at) {
        const auto half = as_half(weights[at]);
        if (!half) {
            halves_ = {};
            floats_.resize(weights.size());
            break;
        }
        halves_[place(at / inputs_, at % inputs_)] = *half;
    }
    for (std::size_t at = 0; at < floats_.size(); ++at)
        floats_[place(at / inputs_, at % inputs_)] = weights[at];
}

void Matrix::apply(const Kernels& kernels, std::size_t first, std::size_t count, const float* x,
                   std::size_t x_stride, std::size_t rows, float* out, std::size_t out_stride) const {
    const auto panel_stride = inputs_ * panel_width;
    if (in_halves()) {
        kernels.halves(halves_.data() + first * panel_stride, panel_stride, count, inputs_, x, x_stride, rows,
                       out, out_stride);
    } else {
        kernels.floats(floats_.data() + first * panel_stride, panel_stride, count, inputs_, x, x_stride, rows,
                       out, out_stride);
    }
    const auto* bias = bias_.data() + first * panel_width;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t n = 0; n < count * panel_width; ++n)
            out[row * out_stride + n] += bias[n];
    }
}

}  // namespace as2d::decoder
