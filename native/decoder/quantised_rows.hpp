#pragma once

#include "decoder/kernels.hpp"
#include "projection/rows.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace as2d::decoder {

/// Rows of a decoder in 16 bits, as matrices of 8-bit weights multiply them.
///
/// g = x·(32639/m) to the nearest whole number, ties to even, where m is the row's largest |x|; step =
/// m/32639. 32639 = 127·256 + 127 is the largest that splits into two signed bytes. So x is at most step/2
/// off, and 2⁻²² of m for the roundings of 32639/m and of the product. A row of values below 2⁻¹⁰⁰ counts as
/// zero; one that holds a value that is not finite gets a step that is no number, and so does all that
/// follows from it.
class QuantisedRows {
  public:
    /// @param x [rows][width]
    /// @param block of the weights, divides width
    void set(const float* x, std::size_t rows, std::size_t width, std::size_t block, const Kernels& kernels);

    /// Until the next `set`.
    Integers view() const { return {values_.data(), stride_, sums_.data(), steps_.data()}; }

  private:
    std::size_t stride_ = 0;
    projection::Aligned<std::int16_t> values_;  // [rows][stride]
    std::vector<float> sums_;                   // [rows][blocks]
    std::vector<float> steps_;
};

}  // namespace as2d::decoder
