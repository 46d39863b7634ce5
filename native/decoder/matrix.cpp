#include "decoder/matrix.hpp"

#include "core/errors.hpp"
#include "projection/half.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace as2d::decoder {

namespace {

constexpr int block_unit = 16;

/// The binary16 number with this value, if there is one.
std::optional<std::uint16_t> as_half(float value) {
    const auto half = projection::float_to_half(value);
    const bool same =
        std::bit_cast<std::uint32_t>(projection::half_to_float(half)) == std::bit_cast<std::uint32_t>(value);
    return same ? std::optional(half) : std::nullopt;
}

}  // namespace

Matrix::Matrix(std::span<const float> bias, std::size_t weights, int outputs, int inputs)
    : inputs_(static_cast<std::size_t>(inputs)), bias_(bias.begin(), bias.end()) {
    const auto rows = static_cast<std::size_t>(outputs);
    if (bias.size() != rows || weights != rows * inputs_)
        throw EngineError("a layer of the decoder does not have the size that the manifest tells");
    if (rows % panel_width != 0) throw EngineError("the decoder's layers must be a multiple of 16 wide");
}

Matrix::Matrix(std::span<const float> weights, std::span<const float> bias, int outputs, int inputs)
    : Matrix(bias, weights.size(), outputs, inputs) {
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

Matrix::Matrix(const ByteWeights& weights, std::span<const float> bias, int outputs, int inputs)
    : Matrix(bias, weights.values.size(), outputs, inputs) {
    block_ = static_cast<std::size_t>(weights.block);
    if (weights.block < block_unit || weights.block % block_unit != 0 || block_ > largest_block ||
        inputs_ % block_ != 0)
        throw EngineError("the blocks of the decoder's 8-bit weights have a size that is not known");
    const Bytes shape{nullptr, inputs_ / block_, block_};
    if (weights.scale.size() != bias_.size() * shape.blocks || weights.offset.size() != weights.scale.size())
        throw EngineError("a layer of the decoder does not have the size that the manifest tells");
    const auto finite = [](float value) { return std::isfinite(value); };
    if (!std::ranges::all_of(weights.scale, finite) || !std::ranges::all_of(weights.offset, finite))
        throw EngineError("a layer of the decoder holds a number that is not finite");
    bytes_.resize(panels() * shape.stride());
    for (std::size_t n = 0; n < bias_.size(); ++n) {
        const auto lane = n % panel_width;
        for (std::size_t b = 0; b < shape.blocks; ++b) {
            auto* to = bytes_.data() + n / panel_width * shape.stride() + b * shape.block_size();
            const auto* from = weights.values.data() + n * inputs_ + b * block_;
            for (std::size_t i = 0; i < block_; ++i)
                to[(i / byte_group * panel_width + lane) * byte_group + i % byte_group] = from[i];
            auto* factors = to + block_ * panel_width;
            const auto factor = n * shape.blocks + b;
            std::memcpy(factors + lane * sizeof(float), &weights.scale[factor], sizeof(float));
            std::memcpy(factors + (panel_width + lane) * sizeof(float), &weights.offset[factor],
                        sizeof(float));
        }
    }
}

void Matrix::apply(const Kernels& kernels, std::size_t first, std::size_t count, const Input& x,
                   std::size_t rows, float* out, std::size_t out_stride) const {
    const auto panel_stride = inputs_ * panel_width;
    if (block_ != 0) {
        Bytes bytes{bytes_.data(), inputs_ / block_, block_};
        bytes.panels += first * bytes.stride();
        kernels.bytes(bytes, count, x.integers, rows, out, out_stride);
    } else if (in_halves()) {
        kernels.halves(halves_.data() + first * panel_stride, panel_stride, count, inputs_, x.values, inputs_,
                       rows, out, out_stride);
    } else {
        kernels.floats(floats_.data() + first * panel_stride, panel_stride, count, inputs_, x.values, inputs_,
                       rows, out, out_stride);
    }
    const auto* bias = bias_.data() + first * panel_width;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t n = 0; n < count * panel_width; ++n)
            out[row * out_stride + n] += bias[n];
    }
}

}  // namespace as2d::decoder
