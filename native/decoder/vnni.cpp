#include "decoder/tiles.hpp"

#if defined(AS2D_DECODER_AVX2)

#include <immintrin.h>

#include <cstring>

// The program is compiled for processors without AVX-512: these functions alone may use it.
#define AS2D_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

namespace as2d::decoder {

namespace {

constexpr int most_rows = 12;

AS2D_VNNI inline __m512i load_eight_outputs(const std::int8_t* at) {
    return _mm512_maskz_cvtepi8_epi16(~__mmask32{0}, _mm256_load_si256(reinterpret_cast<const __m256i*>(at)));
}

AS2D_VNNI inline __m512i four_inputs(const std::int16_t* at) {
    long long values = 0;
    std::memcpy(&values, at, sizeof values);
    return _mm512_set1_epi64(values);
}

/// The sums of 16 outputs; two lanes of `first`, then of `second`, are one output's.
AS2D_VNNI inline __m512 joined(__m512i first, __m512i second) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    const __m512i sum = _mm512_add_epi32(_mm512_permutex2var_epi32(first, even, second),
                                         _mm512_permutex2var_epi32(first, odd, second));
    return _mm512_maskz_cvtepi32_ps(0xFFFF, sum);
}

template <int Rows, int Panels>
struct VnniByteTile {
    static constexpr int together = Rows == 1 ? 4 : Rows <= 3 ? 2 : 1;

    AS2D_VNNI static void run(const ByteOperands& o) {
        const auto block_size = o.weights.block_size();
        const auto panel_stride = o.weights.stride();
        __m512 totals[Panels][Rows];
        for (auto& panel : totals) {
            for (auto& total : panel)
                total = _mm512_setzero_ps();
        }
        for (std::size_t b = 0; b < o.weights.blocks; ++b) {
            const auto* block = o.weights.panels + b * block_size;
            const auto* x = o.x.values + b * o.weights.block;
            __m512i sums[Panels][Rows][2];
            for (auto& panel : sums) {
                for (auto& row : panel)
                    row[0] = row[1] = _mm512_setzero_si512();
            }
            for (std::size_t i = 0; i < o.weights.block; i += byte_group) {
                for (int panel = 0; panel < Panels; ++panel) {
                    const auto* weights =
                        block + static_cast<std::size_t>(panel) * panel_stride + i * panel_width;
                    _mm_prefetch(reinterpret_cast<const char*>(weights + fetch_bytes_ahead), _MM_HINT_T0);
                    const __m512i low = load_eight_outputs(weights);
                    const __m512i high = load_eight_outputs(weights + 32);
                    for (int row = 0; row < Rows; ++row) {
                        const __m512i inputs =
                            four_inputs(x + static_cast<std::size_t>(row) * o.x.stride + i);
                        auto& sum = sums[panel][row];
                        sum[0] = _mm512_dpwssd_epi32(sum[0], low, inputs);
                        sum[1] = _mm512_dpwssd_epi32(sum[1], high, inputs);
                    }
                }
            }
            for (int panel = 0; panel < Panels; ++panel) {
                const auto* factors = reinterpret_cast<const float*>(
                    block + static_cast<std::size_t>(panel) * panel_stride + o.weights.block * panel_width);
                const __m512 scale = _mm512_load_ps(factors);
                const __m512 offset = _mm512_load_ps(factors + panel_width);
                for (int row = 0; row < Rows; ++row) {
                    auto& total = totals[panel][row];
                    const auto* sum = sums[panel][row];
                    total = _mm512_fmadd_ps(joined(sum[0], sum[1]), scale, total);
                    const float all = o.x.sums[static_cast<std::size_t>(row) * o.weights.blocks + b];
                    total = _mm512_fmadd_ps(_mm512_set1_ps(all), offset, total);
                }
            }
        }
        for (int panel = 0; panel < Panels; ++panel) {
            for (int row = 0; row < Rows; ++row) {
                _mm512_storeu_ps(o.out + static_cast<std::size_t>(row) * o.out_stride +
                                     static_cast<std::size_t>(panel) * panel_width,
                                 _mm512_mul_ps(totals[panel][row], _mm512_set1_ps(o.x.steps[row])));
            }
        }
    }
};

}  // namespace

bool has_vnni() {
    return has_avx512() && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512vnni") != 0;
}

Kernels vnni_kernels() {
    auto kernels = avx512_kernels();
    kernels.name = "vnni";
    kernels.bytes = multiply_bytes<VnniByteTile, most_rows>;
    return kernels;
}

}  // namespace as2d::decoder

#endif
