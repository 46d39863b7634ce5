#include "decoder/tiles.hpp"

#if defined(AS2D_DECODER_NEON)

#include <arm_neon.h>

namespace as2d::decoder {

namespace {

constexpr int most_rows = 6;
constexpr int vectors = 4;  // of a panel

inline float32x4_t load(const float* at) { return vld1q_f32(at); }
inline float32x4_t load(const std::uint16_t* at) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(at))); }

template <int Rows, int Panels>
struct NeonTile {
    static constexpr int together = Rows == 1 ? 4 : Rows <= 3 ? 2 : 1;

    template <typename Weight>
    static void run(const Operands<Weight>& o) {
        float32x4_t sums[Panels][Rows][vectors];
        for (auto& panel : sums) {
            for (auto& row : panel) {
                for (auto& sum : row)
                    sum = vdupq_n_f32(0.0F);
            }
        }
        for (std::size_t i = 0; i < o.depth; ++i) {
            for (int panel = 0; panel < Panels; ++panel) {
                const auto* weights =
                    o.weights + static_cast<std::size_t>(panel) * o.panel_stride + i * panel_width;
                __builtin_prefetch(weights + fetch_ahead * panel_width);
                float32x4_t values[vectors];
                for (int v = 0; v < vectors; ++v)
                    values[v] = load(weights + 4 * v);
                for (int row = 0; row < Rows; ++row) {
                    const float x = o.x[static_cast<std::size_t>(row) * o.x_stride + i];
                    for (int v = 0; v < vectors; ++v)
                        sums[panel][row][v] = vfmaq_n_f32(sums[panel][row][v], values[v], x);
                }
            }
        }
        for (int panel = 0; panel < Panels; ++panel) {
            for (int row = 0; row < Rows; ++row) {
                float* out = o.out + static_cast<std::size_t>(row) * o.out_stride +
                             static_cast<std::size_t>(panel) * panel_width;
                for (int v = 0; v < vectors; ++v)
                    vst1q_f32(out + 4 * v, sums[panel][row][v]);
            }
        }
    }
};

/// The sums of one output after the other lie in four lanes each: as many registers as outputs, for one row.
template <int Rows, int Panels>
struct NeonByteTile {
    static constexpr int together = 1;

    static void run(const ByteOperands& all) {
        for (std::size_t panel = 0; panel < static_cast<std::size_t>(Panels); ++panel) {
            for (std::size_t row = 0; row < static_cast<std::size_t>(Rows); ++row)
                run_one(all.from(panel, row));
        }
    }

  private:
    static void run_one(const ByteOperands& o) {
        float32x4_t totals[vectors];
        for (auto& total : totals)
            total = vdupq_n_f32(0.0F);
        for (std::size_t b = 0; b < o.weights.blocks; ++b) {
            const auto* block = o.weights.panels + b * o.weights.block_size();
            const auto* x = o.x.values + b * o.weights.block;
            int32x4_t sums[panel_width];
            for (auto& sum : sums)
                sum = vdupq_n_s32(0);
            for (std::size_t i = 0; i < o.weights.block; i += byte_group) {
                const auto* weights = block + i * panel_width;
                __builtin_prefetch(weights + fetch_bytes_ahead);
                const int16x4_t inputs = vld1_s16(x + i);
                const int16x8_t twice = vcombine_s16(inputs, inputs);
                for (int v = 0; v < vectors; ++v) {
                    const int8x16_t bytes = vld1q_s8(weights + 16 * v);
                    const int16x8_t first = vmovl_s8(vget_low_s8(bytes));
                    const int16x8_t second = vmovl_high_s8(bytes);
                    auto* sum = sums + 4 * v;
                    sum[0] = vmlal_s16(sum[0], vget_low_s16(first), inputs);
                    sum[1] = vmlal_high_s16(sum[1], first, twice);
                    sum[2] = vmlal_s16(sum[2], vget_low_s16(second), inputs);
                    sum[3] = vmlal_high_s16(sum[3], second, twice);
                }
            }
            const auto* factors = reinterpret_cast<const float*>(block + o.weights.block * panel_width);
            for (int v = 0; v < vectors; ++v) {
                const auto* sum = sums + 4 * v;
                const int32x4_t four = vpaddq_s32(vpaddq_s32(sum[0], sum[1]), vpaddq_s32(sum[2], sum[3]));
                totals[v] = vfmaq_f32(totals[v], vcvtq_f32_s32(four), load(factors + 4 * v));
                totals[v] = vfmaq_n_f32(totals[v], load(factors + panel_width + 4 * v), o.x.sums[b]);
            }
        }
        for (int v = 0; v < vectors; ++v)
            vst1q_f32(o.out + 4 * v, vmulq_n_f32(totals[v], *o.x.steps));
    }
};

struct Four {
    static constexpr std::size_t width = 4;
    static void store(const float* from, std::uint16_t* to) {
        vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(load(from))));
    }
};

}  // namespace

Kernels neon_kernels() {
    return {"neon",
            multiply<NeonTile, most_rows, std::uint16_t>,
            multiply<NeonTile, most_rows, float>,
            multiply_bytes<NeonByteTile, 1>,
            nullptr,
            narrow<Four>};
}

}  // namespace as2d::decoder

#endif
