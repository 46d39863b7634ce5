// How the kernels of the processors go through panels and rows; see kernels.hpp for what they compute.
// Each processor's tiles have names of their own: compilers may link what is made of a template argument as
// one for the whole program, also where that argument lies in an unnamed namespace.
#pragma once

#include "decoder/kernels.hpp"
#include "projection/half.hpp"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define AS2D_DECODER_AVX2
#elif defined(__aarch64__)
#define AS2D_DECODER_NEON
#endif

namespace as2d::decoder {

/// Steps of i by which the weights are fetched ahead: memory and arithmetic then work at the same time.
inline constexpr std::size_t fetch_ahead = 64;
inline constexpr std::size_t fetch_bytes_ahead = 2048;

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

/// The operands of a product, see `MultiplyBytes`.
struct ByteOperands {
    Bytes weights;
    Integers x;
    float* out;
    std::size_t out_stride;

    ByteOperands from(std::size_t panel, std::size_t row) const {
        auto moved = *this;
        moved.weights.panels += panel * weights.stride();
        moved.x.values += row * x.stride;
        moved.x.sums += row * weights.blocks;
        moved.x.steps += row;
        moved.out += row * out_stride + panel * panel_width;
        return moved;
    }
};

/// Multiplies `Rows` rows with all panels by `Tile<Rows, panels>::run`, where `together` says how many panels
/// at once: the fewer rows, the more, so that enough sums grow side by side, and no more than the registers
/// hold.
template <template <int, int> typename Tile, int Rows, typename All>
void multiply_rows(const All& all, std::size_t panels) {
    constexpr int together = Tile<Rows, 1>::together;
    std::size_t panel = 0;
    for (; panel + together <= panels; panel += together)
        Tile<Rows, together>::run(all.from(panel, 0));
    for (; panel < panels; ++panel)
        Tile<Rows, 1>::run(all.from(panel, 0));
}

/// The same for `rows` <= `Most` rows.
template <template <int, int> typename Tile, int Most, typename All>
void multiply_few(const All& all, std::size_t panels, std::size_t rows) {
    if constexpr (Most > 1) {
        if (rows < Most) return multiply_few<Tile, Most - 1>(all, panels, rows);
    }
    multiply_rows<Tile, Most>(all, panels);
}

/// The whole product: up to `Most` rows, whose sums fill the registers, in one pass; more in even shares,
/// panel by panel, so that a panel is read from memory once.
template <template <int, int> typename Tile, int Most, typename All>
void multiply_all(const All& all, std::size_t panels, std::size_t rows) {
    if (rows <= Most) return multiply_few<Tile, Most>(all, panels, rows);
    const auto passes = (rows + Most - 1) / Most;
    for (std::size_t panel = 0; panel < panels; ++panel) {
        for (std::size_t pass = 0; pass < passes; ++pass) {
            const auto first = rows * pass / passes;
            multiply_few<Tile, Most>(all.from(panel, first), 1, rows * (pass + 1) / passes - first);
        }
    }
}

template <template <int, int> typename Tile, int Most, typename Weight>
void multiply(const Weight* weights, std::size_t panel_stride, std::size_t panels, std::size_t depth,
              const float* x, std::size_t x_stride, std::size_t rows, float* out, std::size_t out_stride) {
    multiply_all<Tile, Most>(Operands<Weight>{weights, panel_stride, depth, x, x_stride, out, out_stride},
                             panels, rows);
}

template <template <int, int> typename Tile, int Most>
void multiply_bytes(const Bytes& weights, std::size_t panels, const Integers& x, std::size_t rows, float* out,
                    std::size_t out_stride) {
    multiply_all<Tile, Most>(ByteOperands{weights, x, out, out_stride}, panels, rows);
}

/// `Narrow` by `Vector::store(from, to)` of `Vector::width` values at a time.
template <typename Vector>
void narrow(const float* from, std::uint16_t* to, std::size_t count) {
    std::size_t i = 0;
    for (; i + Vector::width <= count; i += Vector::width)
        Vector::store(from + i, to + i);
    for (; i < count; ++i)
        to[i] = projection::float_to_half(from[i]);
}

#if defined(AS2D_DECODER_AVX2)
Kernels avx2_kernels();
/// Whether the processor has AVX-512.
bool has_avx512();
Kernels avx512_kernels();
/// Whether it has AVX-512's dot products of 16-bit integers.
bool has_vnni();
Kernels vnni_kernels();
#elif defined(AS2D_DECODER_NEON)
Kernels neon_kernels();
/// For cores with the dot products of ARMv8.2, see `projection::has_dot_product`.
Kernels dotprod_kernels();
#endif

}  // namespace as2d::decoder
