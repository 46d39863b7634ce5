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
struct Tile {
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

}  // namespace

Kernels neon_kernels() {
    return {"neon", multiply<Tile, most_rows, std::uint16_t>, multiply<Tile, most_rows, float>};
}

}  // namespace as2d::decoder

#endif
