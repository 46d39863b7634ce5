// Products of a few rows with many, whose sums do not depend on what is computed beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace as2d::decoder {

inline constexpr std::size_t panel_width = 16;  ///< outputs whose weights lie beside each other

/// s[r][n] = Σ w[n][i]·x[r][i] in binary32: i rises, each step is one fused multiplication and addition, the
/// first onto 0. So a sum is the same in every call, on any number of threads and on every processor.
/// Weights come in panels of `panel_width` outputs, [panel][i][output in the panel].
/// @param panel_stride values from one panel to the next
/// @param depth values of i
/// @param x [rows][x_stride]
/// @param out [rows][out_stride], of which the first panels · panel_width are written
template <typename Weight>
using Multiply = void (*)(const Weight* weights, std::size_t panel_stride, std::size_t panels,
                          std::size_t depth, const float* x, std::size_t x_stride, std::size_t rows,
                          float* out, std::size_t out_stride);

inline constexpr std::size_t byte_group = 4;       ///< inputs of one output whose 8-bit weights lie together
inline constexpr std::size_t largest_block = 256;  ///< inputs; |Σ q·g| <= 128·2¹⁵·256 = 2³⁰ fits 32 bits

/// Weights w[n][i] = scale[n][b]·q[n][i] + offset[n][b] for the inputs i of block b, |q| <= 128. A panel
/// holds its blocks one behind the other, each as q [block / byte_group][panel_width][byte_group], then scale
/// and offset as binary32, [panel_width] each.
struct Bytes {
    const std::int8_t* panels;
    std::size_t blocks;  ///< of an output
    std::size_t block;   ///< inputs of one, a multiple of byte_group

    /// Bytes of a block, and from one panel to the next.
    std::size_t block_size() const { return panel_width * (block + 2 * sizeof(float)); }
    std::size_t stride() const { return blocks * block_size(); }
};

/// Rows x[r][i] ≈ step[r]·g[r][i] in 16 bits, see `QuantisedRows`.
struct Integers {
    const std::int16_t* values;  ///< g, [rows][stride], as the kernels' `arrange` leaves them
    std::size_t stride;
    const float* sums;   ///< Σ g of each block, [rows][blocks]
    const float* steps;  ///< [rows]
};

/// s[r][n] = step·a: for each block b in turn, a grows by one fused multiplication and addition of
/// I·scale[n][b], I = Σ q[n][i]·g[r][i] over the block, and by one of Σ g·offset[n][b]. I is exact in 32
/// bits, then rounded to binary32: the sum is the same in every call, on any number of threads and processor.
/// @param out [rows][out_stride], of which the first panels · panel_width are written
using MultiplyBytes = void (*)(const Bytes& weights, std::size_t panels, const Integers& x, std::size_t rows,
                               float* out, std::size_t out_stride);

/// Puts the numbers g of a row, a multiple of byte_group, in the order in which `MultiplyBytes` wants them.
using Arrange = void (*)(std::int16_t* values, std::size_t count);

/// Binary32 to the nearest binary16, ties to even.
using Narrow = void (*)(const float* from, std::uint16_t* to, std::size_t count);

/// One way to compute.
struct Kernels {
    const char* name;                ///< "plain", "avx2", "avx512", "vnni", "neon", "dotprod"
    Multiply<std::uint16_t> halves;  ///< weights in binary16
    Multiply<float> floats;          ///< weights in binary32
    MultiplyBytes bytes;             ///< weights in 8 bits
    Arrange arrange;                 ///< null: the order is theirs already
    Narrow narrow;
};

/// In C++ alone; what the others are held against.
Kernels plain_kernels();

/// All that this processor can run, the fastest last.
std::vector<Kernels> kernels_of_this_processor();

/// The fastest of this processor.
Kernels best_kernels();

}  // namespace as2d::decoder
