// What the kernels of the processors share; see kernels.hpp for what they compute.
#pragma once

#include "projection/half.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

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

/// Adds the products from `begin` on, which fill no whole vector.
inline void add_tail(std::array<double, 8>& lanes, const std::uint16_t* weights, const float* state,
                     std::size_t begin, std::size_t width) {
    for (auto i = begin; i < width; ++i)
        lanes[i % 8] += static_cast<double>(half_to_float(weights[i])) * static_cast<double>(state[i]);
}

#if defined(AS2D_PROJECTION_AVX2)
void avx2_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
               int k, std::int32_t* out);
double avx2_exact_dot(const std::uint16_t* weights, const float* state, std::size_t width);
#elif defined(AS2D_PROJECTION_NEON)
/// Whether the core has the dot products of ARMv8.2 (SDOT).
bool has_dot_product();
void neon_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
               int k, std::int32_t* out);
void dotprod_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
                  int k, std::int32_t* out);
double neon_exact_dot(const std::uint16_t* weights, const float* state, std::size_t width);
#endif

}  // namespace as2d::projection
