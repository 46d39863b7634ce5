#include "projection/vector_kernels.hpp"

#if defined(AS2D_PROJECTION_NEON)

#include <arm_neon.h>

#include <array>

// Called only where the core has them (has_dot_product).
#if defined(__clang__)
#define AS2D_WITH_DOT_PRODUCTS __attribute__((target("dotprod")))
#else
#define AS2D_WITH_DOT_PRODUCTS __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

namespace as2d::projection {

namespace {

constexpr std::size_t widest_stride = 4096;

/// g = 256·high + low, both signed bytes.
struct SplitState {
    std::array<std::int8_t, widest_stride> high;
    std::array<std::int8_t, widest_stride> low;
};

template <int K>
AS2D_WITH_DOT_PRODUCTS void scan(const std::int8_t* rows, std::size_t count, std::size_t stride,
                                 const SplitState* states, std::int32_t* out) {
    for (std::size_t row = 0; row < count; ++row) {
        const auto* weights = rows + row * stride;
        int32x4_t high[K];
        int32x4_t low[K];
        for (int k = 0; k < K; ++k)
            high[k] = low[k] = vdupq_n_s32(0);
        for (std::size_t i = 0; i < stride; i += 16) {
            const int8x16_t bytes = vld1q_s8(weights + i);
            for (int k = 0; k < K; ++k) {
                high[k] = vdotq_s32(high[k], bytes, vld1q_s8(states[k].high.data() + i));
                low[k] = vdotq_s32(low[k], bytes, vld1q_s8(states[k].low.data() + i));
            }
        }
        for (int k = 0; k < K; ++k) {
            // Modulo 2³²: 256·high alone may not fit where the sum does.
            const auto sum = (static_cast<std::uint32_t>(vaddvq_s32(high[k])) << 8) +
                             static_cast<std::uint32_t>(vaddvq_s32(low[k]));
            out[static_cast<std::size_t>(k) * count + row] = static_cast<std::int32_t>(sum);
        }
    }
}

}  // namespace

AS2D_WITH_DOT_PRODUCTS void dotprod_scan(const std::int8_t* rows, std::size_t count, std::size_t stride,
                                         const std::int16_t* states, int k, std::int32_t* out) {
    std::array<SplitState, 8> split;
    for (std::size_t state = 0; state < static_cast<std::size_t>(k); ++state) {
        for (std::size_t i = 0; i < stride; ++i) {
            const auto value = states[state * stride + i];
            const auto low = static_cast<std::int8_t>(value & 0xFF);
            split[state].low[i] = low;
            split[state].high[i] = static_cast<std::int8_t>((value - low) / 256);
        }
    }
    switch (k) {
        case 1:
            return scan<1>(rows, count, stride, split.data(), out);
        case 2:
            return scan<2>(rows, count, stride, split.data(), out);
        case 3:
            return scan<3>(rows, count, stride, split.data(), out);
        case 4:
            return scan<4>(rows, count, stride, split.data(), out);
        case 5:
            return scan<5>(rows, count, stride, split.data(), out);
        case 6:
            return scan<6>(rows, count, stride, split.data(), out);
        case 7:
            return scan<7>(rows, count, stride, split.data(), out);
        default:
            return scan<8>(rows, count, stride, split.data(), out);
    }
}

}  // namespace as2d::projection

#endif
