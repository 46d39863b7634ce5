#include "projection/kernels.hpp"

#include "projection/half.hpp"
#include "projection/vector_kernels.hpp"

#include <array>

namespace as2d::projection {

namespace {

void plain_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
                int k, std::int32_t* out) {
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t state = 0; state < static_cast<std::size_t>(k); ++state) {
            std::int32_t sum = 0;
            for (std::size_t i = 0; i < stride; ++i)
                sum += std::int32_t{rows[row * stride + i]} * states[state * stride + i];
            out[state * count + row] = sum;
        }
    }
}

void plain_scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                        const std::int16_t* states, int k, std::int32_t* out) {
    constexpr auto half = nibble_step / 2;
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t state = 0; state < static_cast<std::size_t>(k); ++state) {
            std::int32_t sum = 0;
            for (std::size_t i = 0; i < stride; ++i) {
                const int byte = rows[row * stride / 2 + i / nibble_step * half + i % half];
                const int stored = i % nibble_step < half ? byte & 15 : byte >> 4;
                sum += (stored - 8) * states[state * stride + i];
            }
            out[state * count + row] = sum;
        }
    }
}

double plain_exact_dot(const std::uint16_t* weights, const float* state, std::size_t width) {
    std::array<double, 8> lanes{};
    for (std::size_t i = 0; i < width; ++i)
        lanes[i % 8] += static_cast<double>(half_to_float(weights[i])) * static_cast<double>(state[i]);
    return join_lanes(lanes);
}

}  // namespace

Kernels plain_kernels() { return {"plain", plain_scan, plain_scan_nibbles, plain_exact_dot}; }

std::vector<Kernels> kernels_of_this_processor() {
    std::vector<Kernels> all = {plain_kernels()};
#if defined(AS2D_PROJECTION_AVX2)
    all.push_back({"avx2", avx2_scan, avx2_scan_nibbles, avx2_exact_dot});
#elif defined(AS2D_PROJECTION_NEON)
    all.push_back({"neon", neon_scan, neon_scan_nibbles, neon_exact_dot});
    if (has_dot_product()) all.push_back({"dotprod", dotprod_scan, dotprod_scan_nibbles, neon_exact_dot});
#endif
    return all;
}

Kernels best_kernels() { return kernels_of_this_processor().back(); }

}  // namespace as2d::projection
