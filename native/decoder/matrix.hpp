#pragma once

#include "decoder/kernels.hpp"
#include "projection/rows.hpp"

#include <cstdint>
#include <span>

namespace as2d::decoder {

/// A linear layer's weights in panels: binary16 where that loses nothing, as for models that were trained or
/// published in it, else binary32.
class Matrix {
  public:
    /// @param weights [outputs][inputs]
    /// @param bias [outputs]
    /// @throws EngineError when outputs is no multiple of `panel_width`, or a size does not fit
    Matrix(std::span<const float> weights, std::span<const float> bias, int outputs, int inputs);

    std::size_t outputs() const { return bias_.size(); }
    std::size_t inputs() const { return inputs_; }
    std::size_t panels() const { return bias_.size() / panel_width; }
    bool in_halves() const { return floats_.empty(); }

    /// out = W·x + b for `count` panels of outputs from `first` on.
    /// @param x [rows][x_stride]
    /// @param out [rows][out_stride], begins with the first panel's
    void apply(const Kernels& kernels, std::size_t first, std::size_t count, const float* x,
               std::size_t x_stride, std::size_t rows, float* out, std::size_t out_stride) const;

  private:
    std::size_t inputs_;
    projection::Aligned<std::uint16_t> halves_;  // [panel][input][panel_width]
    projection::Aligned<float> floats_;          // likewise; one of both is empty
    std::vector<float> bias_;
};

}  // namespace as2d::decoder
