// How the kernels of the processors go through panels and rows; see kernels.hpp for what they compute.
#pragma once

#include "decoder/kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define AS2D_DECODER_AVX2
#elif defined(__aarch64__)
#define AS2D_DECODER_NEON
#endif

namespace as2d::decoder {

/// Steps of i by which the weights are fetched ahead: memory and arithmetic then work at the same time.
inline constexpr std::size_t fetch_ahead = 64;

/// The operands of a product, see `Multiply`.
template <typename Weight>
struct Operands {
    const Weight* weights;
    std::size_t panel_stride;
    std::size_t depth;
    const float* x;
    std::size_t x_stride;
    float* out;
    std::size_t out_stride;

    Operands from(std::size_t panel, std::size_t row) const {
        auto moved = *this;
        moved.weights += panel * panel_stride;
        moved.x += row * x_stride;
        moved.out += row * out_stride + panel * panel_width;
        return moved;
    }
};

/// Multiplies `Rows` rows with all panels by `Tile<rows, panels>::run`: the fewer rows, the more panels at
/// once, so that enough sums grow side by side.
template <template <int, int> typename Tile, int Rows, typename Weight>
void multiply_rows(const Operands<Weight>& all, std::size_t panels) {
    constexpr int together = Rows == 1 ? 4 : Rows <= 3 ? 2 : 1;
    std::size_t panel = 0;
    for (; panel + together <= panels; panel += together)
        Tile<Rows, together>::run(all.from(panel, 0));
    for (; panel < panels; ++panel)
        Tile<Rows, 1>::run(all.from(panel, 0));
}

/// The same for `rows` <= `Most` rows.
template <template <int, int> typename Tile, int Most, typename Weight>
void multiply_few(const Operands<Weight>& all, std::size_t panels, std::size_t rows) {
    if constexpr (Most > 1) {
        if (rows < Most) return multiply_few<Tile, Most - 1>(all, panels, rows);
    }
    multiply_rows<Tile, Most>(all, panels);
}

/// The whole product: up to `Most` rows, whose sums fill the registers, in one pass; more in even shares,
/// panel by panel, so that a panel is read from memory once.
template <template <int, int> typename Tile, int Most, typename Weight>
void multiply(const Weight* weights, std::size_t panel_stride, std::size_t panels, std::size_t depth,
              const float* x, std::size_t x_stride, std::size_t rows, float* out, std::size_t out_stride) {
    const Operands<Weight> all{weights, panel_stride, depth, x, x_stride, out, out_stride};
    if (rows <= Most) return multiply_few<Tile, Most>(all, panels, rows);
    const auto passes = (rows + Most - 1) / Most;
    for (std::size_t panel = 0; panel < panels; ++panel) {
        for (std::size_t pass = 0; pass < passes; ++pass) {
            const auto first = rows * pass / passes;
            multiply_few<Tile, Most>(all.from(panel, first), 1, rows * (pass + 1) / passes - first);
        }
    }
}

#if defined(AS2D_DECODER_AVX2)
Kernels avx2_kernels();
/// Whether the processor has AVX-512.
bool has_avx512();
Kernels avx512_kernels();
#elif defined(AS2D_DECODER_NEON)
Kernels neon_kernels();
#endif

}  // namespace as2d::decoder
