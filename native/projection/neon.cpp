#include "projection/kernels.hpp"
#include "projection/vector_kernels.hpp"

#if defined(AS2D_PROJECTION_NEON)

#include <arm_neon.h>
#include <sys/auxv.h>

namespace as2d::projection {

namespace {

constexpr unsigned long dot_product_bit = 1UL << 20;  // HWCAP_ASIMDDP of <asm/hwcap.h>

template <int K>
void scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
          std::int32_t* out) {
    for (std::size_t row = 0; row < count; ++row) {
        const auto* weights = rows + row * stride;
        int32x4_t sums[K];
        for (auto& sum : sums)
            sum = vdupq_n_s32(0);
        for (std::size_t i = 0; i < stride; i += 16) {
            const int8x16_t bytes = vld1q_s8(weights + i);
            const int16x8_t first = vmovl_s8(vget_low_s8(bytes));
            const int16x8_t second = vmovl_high_s8(bytes);
            for (int k = 0; k < K; ++k) {
                const auto* at = states + static_cast<std::size_t>(k) * stride + i;
                const int16x8_t a = vld1q_s16(at);
                const int16x8_t b = vld1q_s16(at + 8);
                sums[k] = vmlal_s16(sums[k], vget_low_s16(first), vget_low_s16(a));
                sums[k] = vmlal_high_s16(sums[k], first, a);
                sums[k] = vmlal_s16(sums[k], vget_low_s16(second), vget_low_s16(b));
                sums[k] = vmlal_high_s16(sums[k], second, b);
            }
        }
        for (int k = 0; k < K; ++k)
            out[static_cast<std::size_t>(k) * count + row] = vaddvq_s32(sums[k]);
    }
}

template <int K>
void scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
                  std::int32_t* out) {
    std::int32_t excess[K];
    for (int k = 0; k < K; ++k)
        excess[k] = nibble_excess(states + static_cast<std::size_t>(k) * stride, stride);
    for (std::size_t row = 0; row < count; ++row) {
        const auto* weights = rows + row * stride / 2;
        int32x4_t sums[K];
        for (auto& sum : sums)
            sum = vdupq_n_s32(0);
        for (std::size_t i = 0; i < stride; i += nibble_step) {
            const uint8x16_t pairs = vld1q_u8(weights + i / 2);
            const uint8x16_t nibbles[] = {vandq_u8(pairs, vdupq_n_u8(15)), vshrq_n_u8(pairs, 4)};
            for (std::size_t half = 0; half < 2; ++half) {
                const int16x8_t first = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(nibbles[half])));
                const int16x8_t second = vreinterpretq_s16_u16(vmovl_high_u8(nibbles[half]));
                for (int k = 0; k < K; ++k) {
                    const auto* at =
                        states + static_cast<std::size_t>(k) * stride + i + half * nibble_step / 2;
                    const int16x8_t a = vld1q_s16(at);
                    const int16x8_t b = vld1q_s16(at + 8);
                    sums[k] = vmlal_s16(sums[k], vget_low_s16(first), vget_low_s16(a));
                    sums[k] = vmlal_high_s16(sums[k], first, a);
                    sums[k] = vmlal_s16(sums[k], vget_low_s16(second), vget_low_s16(b));
                    sums[k] = vmlal_high_s16(sums[k], second, b);
                }
            }
        }
        for (int k = 0; k < K; ++k)
            out[static_cast<std::size_t>(k) * count + row] = vaddvq_s32(sums[k]) - excess[k];
    }
}

}  // namespace

void neon_scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                       const std::int16_t* states, int k, std::int32_t* out) {
    with_width(k, [&](auto width) { scan_nibbles<width>(rows, count, stride, states, out); });
}

bool has_dot_product() { return (getauxval(AT_HWCAP) & dot_product_bit) != 0; }

void neon_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
               int k, std::int32_t* out) {
    with_width(k, [&](auto width) { scan<width>(rows, count, stride, states, out); });
}

double neon_exact_dot(const std::uint16_t* weights, const float* state, std::size_t width) {
    float64x2_t sums[4] = {vdupq_n_f64(0.0), vdupq_n_f64(0.0), vdupq_n_f64(0.0), vdupq_n_f64(0.0)};
    std::size_t i = 0;
    for (; i + 8 <= width; i += 8) {
        const float16x8_t half = vreinterpretq_f16_u16(vld1q_u16(weights + i));
        const float32x4_t w0 = vcvt_f32_f16(vget_low_f16(half));
        const float32x4_t w1 = vcvt_high_f32_f16(half);
        const float32x4_t h0 = vld1q_f32(state + i);
        const float32x4_t h1 = vld1q_f32(state + i + 4);
        sums[0] = vfmaq_f64(sums[0], vcvt_f64_f32(vget_low_f32(w0)), vcvt_f64_f32(vget_low_f32(h0)));
        sums[1] = vfmaq_f64(sums[1], vcvt_high_f64_f32(w0), vcvt_high_f64_f32(h0));
        sums[2] = vfmaq_f64(sums[2], vcvt_f64_f32(vget_low_f32(w1)), vcvt_f64_f32(vget_low_f32(h1)));
        sums[3] = vfmaq_f64(sums[3], vcvt_high_f64_f32(w1), vcvt_high_f64_f32(h1));
    }
    std::array<double, 8> lanes;
    for (std::size_t pair = 0; pair < 4; ++pair)
        vst1q_f64(lanes.data() + 2 * pair, sums[pair]);
    add_tail(lanes, weights, state, i, width);
    return join_lanes(lanes);
}

}  // namespace as2d::projection

#endif
