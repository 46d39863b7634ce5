// What the kernels of the processors share; see kernels.hpp for what they compute.
#pragma once

#include "projection/half.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define AS2D_PROJECTION_AVX2
#elif defined(__aarch64__)
#define AS2D_PROJECTION_NEON
#endif

namespace as2d::projection {

/// Joins the lanes of an exact dot product in the one order that counts.
inline double join_lanes(const std::array<double, 8>& lanes) {
    const double first = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
    const double second = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7]);
    return first + second;
}

/// 8·Σ g: what a sum over nibbles, which are stored as q + 8, is too large by.
inline std::int32_t nibble_excess(const std::int16_t* state, std::size_t stride) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < stride; ++i)
        sum += state[i];
    return 8 * sum;
}

/// Calls `call` with k, 1 … widest_scan, as a constant.
template <typename Call>
void with_width(int k, const Call& call) {
    switch (k) {
        case 1:
            return call(std::integral_constant<int, 1>());
        case 2:
            return call(std::integral_constant<int, 2>());
        case 3:
            return call(std::integral_constant<int, 3>());
        case 4:
            return call(std::integral_constant<int, 4>());
        case 5:
            return call(std::integral_constant<int, 5>());
        case 6:
            return call(std::integral_constant<int, 6>());
        case 7:
            return call(std::integral_constant<int, 7>());
        default:
            return call(std::integral_constant<int, 8>());
    }
}

/// Adds the products from `begin` on, which fill no whole vector.
inline void add_tail(std::array<double, 8>& lanes, const std::uint16_t* weights, const float* state,
                     std::size_t begin, std::size_t width) {
    for (auto i = begin; i < width; ++i)
        lanes[i % 8] += static_cast<double>(half_to_float(weights[i])) * static_cast<double>(state[i]);
}

#if defined(AS2D_PROJECTION_AVX2)
void avx2_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
               int k, std::int32_t* out);
void avx2_scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                       const std::int16_t* states, int k, std::int32_t* out);
double avx2_exact_dot(const std::uint16_t* weights, const float* state, std::size_t width);
#elif defined(AS2D_PROJECTION_NEON)
/// Whether the core has the dot products of ARMv8.2 (SDOT).
bool has_dot_product();
void neon_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
               int k, std::int32_t* out);
void neon_scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                       const std::int16_t* states, int k, std::int32_t* out);
void dotprod_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
                  int k, std::int32_t* out);
void dotprod_scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                          const std::int16_t* states, int k, std::int32_t* out);
double neon_exact_dot(const std::uint16_t* weights, const float* state, std::size_t width);
#endif

}  // namespace as2d::projection
