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

/// One way to compute.
struct Kernels {
    const char* name;                ///< "plain", "avx2", "avx512", "neon"
    Multiply<std::uint16_t> halves;  ///< weights in binary16
    Multiply<float> floats;          ///< weights in binary32
};

/// In C++ alone; what the others are held against.
Kernels plain_kernels();

/// All that this processor can run, the fastest last.
std::vector<Kernels> kernels_of_this_processor();

/// The fastest of this processor.
Kernels best_kernels();

}  // namespace as2d::decoder
