#include "decoder/tiles.hpp"

#if defined(AS2D_DECODER_AVX2)

#include <immintrin.h>

// The program is compiled for processors without AVX-512: these functions alone may use it.
#define AS2D_AVX512 __attribute__((target("avx512f")))

namespace as2d::decoder {

namespace {

constexpr int most_rows = 12;

AS2D_AVX512 inline __m512 load(const float* at) { return _mm512_loadu_ps(at); }
AS2D_AVX512 inline __m512 load(const std::uint16_t* at) {
    // gcc 12 warns of an uninitialised value in the form without a mask.
    return _mm512_maskz_cvtph_ps(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}

template <int Rows, int Panels>
struct Avx512Tile {
    static constexpr int together = Rows <= 2 ? 4 : Rows == 3 ? 3 : Rows <= 7 ? 2 : 1;

    template <typename Weight>
    AS2D_AVX512 static void run(const Operands<Weight>& o) {
        __m512 sums[Panels][Rows];
        for (auto& panel : sums) {
            for (auto& sum : panel)
                sum = _mm512_setzero_ps();
        }
        for (std::size_t i = 0; i < o.depth; ++i) {
            for (int panel = 0; panel < Panels; ++panel) {
                const auto* weights =
                    o.weights + static_cast<std::size_t>(panel) * o.panel_stride + i * panel_width;
                _mm_prefetch(reinterpret_cast<const char*>(weights + fetch_ahead * panel_width), _MM_HINT_T0);
                const __m512 values = load(weights);
                for (int row = 0; row < Rows; ++row) {
                    const __m512 x = _mm512_set1_ps(o.x[static_cast<std::size_t>(row) * o.x_stride + i]);
                    sums[panel][row] = _mm512_fmadd_ps(values, x, sums[panel][row]);
                }
            }
        }
        for (int panel = 0; panel < Panels; ++panel) {
            for (int row = 0; row < Rows; ++row) {
                _mm512_storeu_ps(o.out + static_cast<std::size_t>(row) * o.out_stride +
                                     static_cast<std::size_t>(panel) * panel_width,
                                 sums[panel][row]);
            }
        }
    }
};

}  // namespace

bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }

Kernels avx512_kernels() {
    auto kernels = avx2_kernels();
    kernels.name = "avx512";
    kernels.halves = multiply<Avx512Tile, most_rows, std::uint16_t>;
    kernels.floats = multiply<Avx512Tile, most_rows, float>;
    return kernels;
}

}  // namespace as2d::decoder

#endif
