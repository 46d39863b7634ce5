// The inner loops of the projection: the same results on every processor, by integers and by exact products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace as2d::projection {

inline constexpr int widest_scan = 8;  ///< most states of one scan

/// I = q·g for some rows and states.
/// @param rows q, [count][stride], stride a multiple of 64 bytes and aligned so
/// @param states g, [k][stride], 1 <= k <= widest_scan, aligned as the rows
/// @param out [k][count]
using Scan = void (*)(const std::int8_t* rows, std::size_t count, std::size_t stride,
                      const std::int16_t* states, int k, std::int32_t* out);

inline constexpr std::size_t nibble_step = 32;  ///< weights whose nibbles lie in 16 bytes

/// The same for rows of 4 bits, -8 <= q <= 7, stored as q + 8: of each `nibble_step` weights, byte j holds
/// weight j in its low half and weight j + 16 in its high half.
/// @param rows [count][stride / 2]
using ScanNibbles = void (*)(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                             const std::int16_t* states, int k, std::int32_t* out);

/// w·h in binary64 as eight lanes: lane j sums the products with i ≡ j (mod 8) in rising i; then lane j and
/// j+4, j and j+2, 0 and 1 are joined. Products of binary16 and binary32 are exact, so fused and separate
/// multiplication agree, and so does every processor.
/// @param weights binary16 [width]
/// @param state [width]
using ExactDot = double (*)(const std::uint16_t* weights, const float* state, std::size_t width);

/// One way to compute.
struct Kernels {
    const char* name;  ///< "plain", "avx2", "neon", "dotprod"
    Scan scan;
    ScanNibbles scan_nibbles;
    ExactDot exact_dot;
};

/// In C++ alone; what the others are held against.
Kernels plain_kernels();

/// All that this processor can run, the fastest last.
std::vector<Kernels> kernels_of_this_processor();

/// The fastest of this processor.
Kernels best_kernels();

}  // namespace as2d::projection
