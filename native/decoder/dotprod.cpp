#include "decoder/tiles.hpp"

#if defined(AS2D_DECODER_NEON)

#include <arm_neon.h>

#include <cstring>

// Called only where the core has them (projection::has_dot_product).
#if defined(__clang__)
#define AS2D_WITH_DOT_PRODUCTS __attribute__((target("dotprod")))
#else
#define AS2D_WITH_DOT_PRODUCTS __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

namespace as2d::decoder {

namespace {

constexpr int most_rows = 3;
constexpr int vectors = 4;  // of a panel

/// Of each four numbers g = 256·high + low, the high bytes before the low ones, both signed.
void split(std::int16_t* values, std::size_t count) {
    for (std::size_t i = 0; i < count; i += byte_group) {
        std::int8_t bytes[2 * byte_group];
        for (std::size_t j = 0; j < byte_group; ++j) {
            const auto low = static_cast<std::int8_t>(values[i + j] & 0xFF);
            bytes[j] = static_cast<std::int8_t>((values[i + j] - low) / 256);
            bytes[byte_group + j] = low;
        }
        std::memcpy(values + i, bytes, sizeof bytes);
    }
}

template <int Rows, int Panels>
struct DotprodByteTile {
    static constexpr int together = Rows == 1 ? 2 : 1;

    AS2D_WITH_DOT_PRODUCTS static void run(const ByteOperands& o) {
        const auto block_size = o.weights.block_size();
        const auto panel_stride = o.weights.stride();
        float32x4_t totals[Panels][Rows][vectors];
        for (auto& panel : totals) {
            for (auto& row : panel) {
                for (auto& total : row)
                    total = vdupq_n_f32(0.0F);
            }
        }
        for (std::size_t b = 0; b < o.weights.blocks; ++b) {
            const auto* block = o.weights.panels + b * block_size;
            const auto* x = o.x.values + b * o.weights.block;
            int32x4_t high[Panels][Rows][vectors];
            int32x4_t low[Panels][Rows][vectors];
            for (int panel = 0; panel < Panels; ++panel) {
                for (int row = 0; row < Rows; ++row) {
                    for (int v = 0; v < vectors; ++v)
                        high[panel][row][v] = low[panel][row][v] = vdupq_n_s32(0);
                }
            }
            for (std::size_t i = 0; i < o.weights.block; i += byte_group) {
                int8x8_t inputs[Rows];
                for (int row = 0; row < Rows; ++row)
                    inputs[row] =
                        vreinterpret_s8_s16(vld1_s16(x + static_cast<std::size_t>(row) * o.x.stride + i));
                for (int panel = 0; panel < Panels; ++panel) {
                    const auto* weights =
                        block + static_cast<std::size_t>(panel) * panel_stride + i * panel_width;
                    __builtin_prefetch(weights + fetch_bytes_ahead);
                    for (int v = 0; v < vectors; ++v) {
                        const int8x16_t bytes = vld1q_s8(weights + 16 * v);
                        for (int row = 0; row < Rows; ++row) {
                            high[panel][row][v] = vdotq_lane_s32(high[panel][row][v], bytes, inputs[row], 0);
                            low[panel][row][v] = vdotq_lane_s32(low[panel][row][v], bytes, inputs[row], 1);
                        }
                    }
                }
            }
            for (int panel = 0; panel < Panels; ++panel) {
                const auto* factors = reinterpret_cast<const float*>(
                    block + static_cast<std::size_t>(panel) * panel_stride + o.weights.block * panel_width);
                for (int row = 0; row < Rows; ++row) {
                    const float all = o.x.sums[static_cast<std::size_t>(row) * o.weights.blocks + b];
                    for (int v = 0; v < vectors; ++v) {
                        auto& total = totals[panel][row][v];
                        const int32x4_t sum =
                            vaddq_s32(vshlq_n_s32(high[panel][row][v], 8), low[panel][row][v]);
                        total = vfmaq_f32(total, vcvtq_f32_s32(sum), vld1q_f32(factors + 4 * v));
                        total = vfmaq_n_f32(total, vld1q_f32(factors + panel_width + 4 * v), all);
                    }
                }
            }
        }
        for (int panel = 0; panel < Panels; ++panel) {
            for (int row = 0; row < Rows; ++row) {
                float* out = o.out + static_cast<std::size_t>(row) * o.out_stride +
                             static_cast<std::size_t>(panel) * panel_width;
                for (int v = 0; v < vectors; ++v)
                    vst1q_f32(out + 4 * v, vmulq_n_f32(totals[panel][row][v], o.x.steps[row]));
            }
        }
    }
};

}  // namespace

Kernels dotprod_kernels() {
    auto kernels = neon_kernels();
    kernels.name = "dotprod";
    kernels.bytes = multiply_bytes<DotprodByteTile, most_rows>;
    kernels.arrange = split;
    return kernels;
}

}  // namespace as2d::decoder

#endif
