#include "decoder/tiles.hpp"

#if defined(AS2D_DECODER_AVX2)

#include <immintrin.h>

namespace as2d::decoder {

namespace {

constexpr int most_rows = 6;

inline __m256 load(const float* at) { return _mm256_loadu_ps(at); }
inline __m256 load(const std::uint16_t* at) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

template <int Rows, int Panels>
struct Tile {
    template <typename Weight>
    static void run(const Operands<Weight>& o) {
        __m256 sums[Panels][Rows][2];
        for (auto& panel : sums) {
            for (auto& row : panel)
                row[0] = row[1] = _mm256_setzero_ps();
        }
        for (std::size_t i = 0; i < o.depth; ++i) {
            for (int panel = 0; panel < Panels; ++panel) {
                const auto* weights =
                    o.weights + static_cast<std::size_t>(panel) * o.panel_stride + i * panel_width;
                _mm_prefetch(reinterpret_cast<const char*>(weights + fetch_ahead * panel_width), _MM_HINT_T0);
                const __m256 low = load(weights);
                const __m256 high = load(weights + 8);
                for (int row = 0; row < Rows; ++row) {
                    const __m256 x =
                        _mm256_broadcast_ss(o.x + static_cast<std::size_t>(row) * o.x_stride + i);
                    sums[panel][row][0] = _mm256_fmadd_ps(low, x, sums[panel][row][0]);
                    sums[panel][row][1] = _mm256_fmadd_ps(high, x, sums[panel][row][1]);
                }
            }
        }
        for (int panel = 0; panel < Panels; ++panel) {
            for (int row = 0; row < Rows; ++row) {
                float* out = o.out + static_cast<std::size_t>(row) * o.out_stride +
                             static_cast<std::size_t>(panel) * panel_width;
                _mm256_storeu_ps(out, sums[panel][row][0]);
                _mm256_storeu_ps(out + 8, sums[panel][row][1]);
            }
        }
    }
};

}  // namespace

Kernels avx2_kernels() {
    return {"avx2", multiply<Tile, most_rows, std::uint16_t>, multiply<Tile, most_rows, float>};
}

}  // namespace as2d::decoder

#endif
