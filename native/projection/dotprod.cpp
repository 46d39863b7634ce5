#include "projection/kernels.hpp"
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

/// Σ of 256·high + low.
inline std::int32_t joined(int32x4_t high, int32x4_t low) {
    // Modulo 2³²: 256·high alone may not fit where the sum does.
    const auto sum =
        (static_cast<std::uint32_t>(vaddvq_s32(high)) << 8) + static_cast<std::uint32_t>(vaddvq_s32(low));
    return static_cast<std::int32_t>(sum);
}

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
            out[static_cast<std::size_t>(k) * count + row] = joined(high[k], low[k]);
        }
    }
}

template <int K>
AS2D_WITH_DOT_PRODUCTS void scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                                         const SplitState* states, const std::int32_t* excess,
                                         std::int32_t* out) {
    constexpr auto half = nibble_step / 2;
    for (std::size_t row = 0; row < count; ++row) {
        const auto* weights = rows + row * stride / 2;
        int32x4_t high[K];
        int32x4_t low[K];
        for (int k = 0; k < K; ++k)
            high[k] = low[k] = vdupq_n_s32(0);
        for (std::size_t i = 0; i < stride; i += nibble_step) {
            const uint8x16_t pairs = vld1q_u8(weights + i / 2);
            const int8x16_t first = vreinterpretq_s8_u8(vandq_u8(pairs, vdupq_n_u8(15)));
            const int8x16_t second = vreinterpretq_s8_u8(vshrq_n_u8(pairs, 4));
            for (int k = 0; k < K; ++k) {
                const auto& state = states[k];
                high[k] = vdotq_s32(high[k], first, vld1q_s8(state.high.data() + i));
                low[k] = vdotq_s32(low[k], first, vld1q_s8(state.low.data() + i));
                high[k] = vdotq_s32(high[k], second, vld1q_s8(state.high.data() + i + half));
                low[k] = vdotq_s32(low[k], second, vld1q_s8(state.low.data() + i + half));
            }
        }
        for (int k = 0; k < K; ++k)
            out[static_cast<std::size_t>(k) * count + row] = joined(high[k], low[k]) - excess[k];
    }
}

using SplitStates = std::array<SplitState, widest_scan>;

void split_states(const std::int16_t* states, int k, std::size_t stride, SplitStates& split) {
    for (std::size_t state = 0; state < static_cast<std::size_t>(k); ++state) {
        for (std::size_t i = 0; i < stride; ++i) {
            const auto value = states[state * stride + i];
            const auto low = static_cast<std::int8_t>(value & 0xFF);
            split[state].low[i] = low;
            split[state].high[i] = static_cast<std::int8_t>((value - low) / 256);
        }
    }
}

}  // namespace

void dotprod_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
                  int k, std::int32_t* out) {
    SplitStates split;
    split_states(states, k, stride, split);
    with_width(k, [&](auto width) { scan<width>(rows, count, stride, split.data(), out); });
}

void dotprod_scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                          const std::int16_t* states, int k, std::int32_t* out) {
    SplitStates split;
    split_states(states, k, stride, split);
    std::array<std::int32_t, widest_scan> excess;
    for (std::size_t state = 0; state < static_cast<std::size_t>(k); ++state)
        excess[state] = nibble_excess(states + state * stride, stride);
    with_width(
        k, [&](auto width) { scan_nibbles<width>(rows, count, stride, split.data(), excess.data(), out); });
}

}  // namespace as2d::projection

#endif
