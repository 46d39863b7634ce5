#pragma once

#include "decoder/kernels.hpp"
#include "projection/rows.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace as2d::decoder {

/// A linear layer's weights as a file has them in 8 bits: w[n][i] = scale[n][b]·q[n][i] + offset[n][b], b
/// being the block of `block` inputs that i lies in.
struct ByteWeights {
    std::vector<std::int8_t> values;   ///< q, [outputs][inputs]
    std::vector<float> scale, offset;  ///< [outputs][inputs / block]
    int block = 0;
};

/// Rows that matrices multiply: as they are for weights in floating point, quantised for weights in 8 bits.
struct Input {
    const float* values;  ///< [rows][inputs]
    Integers integers;
};

/// A linear layer's weights in panels: binary16 where that loses nothing, as for models that were trained or
/// published in it, else binary32; or in 8 bits.
class Matrix {
  public:
    /// @param weights [outputs][inputs]
    /// @param bias [outputs]
    /// @throws EngineError when outputs is no multiple of `panel_width`, or a size does not fit
    Matrix(std::span<const float> weights, std::span<const float> bias, int outputs, int inputs);
    /// @throws EngineError likewise, or when a block is no multiple of 16, too large or no part of the
    /// inputs, or a scale or an offset is not finite
    Matrix(const ByteWeights& weights, std::span<const float> bias, int outputs, int inputs);

    std::size_t outputs() const { return bias_.size(); }
    std::size_t inputs() const { return inputs_; }
    std::size_t panels() const { return bias_.size() / panel_width; }
    bool in_halves() const { return !halves_.empty(); }
    /// Inputs of a block of 8-bit weights; 0 for weights in floating point.
    std::size_t block() const { return block_; }

    /// out = W·x + b for `count` panels of outputs from `first` on.
    /// @param out [rows][out_stride], begins with the first panel's
    void apply(const Kernels& kernels, std::size_t first, std::size_t count, const Input& x, std::size_t rows,
               float* out, std::size_t out_stride) const;

  private:
    Matrix(std::span<const float> bias, std::size_t weights, int outputs, int inputs);

    std::size_t inputs_;
    std::size_t block_ = 0;
    projection::Aligned<std::uint16_t> halves_;  // [panel][input][panel_width]
    projection::Aligned<float> floats_;          // likewise
    projection::Aligned<std::int8_t> bytes_;     // as in `Bytes`; two of the three are empty
    std::vector<float> bias_;
};

}  // namespace as2d::decoder
