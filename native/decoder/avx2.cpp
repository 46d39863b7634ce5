#include "decoder/tiles.hpp"

#if defined(AS2D_DECODER_AVX2)

#include <immintrin.h>

#include <cstring>

namespace as2d::decoder {

namespace {

constexpr int most_rows = 6;

inline __m256 load(const float* at) { return _mm256_loadu_ps(at); }
inline __m256 load(const std::uint16_t* at) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

template <int Rows, int Panels>
struct Avx2Tile {
    static constexpr int together = Rows == 1 ? 4 : Rows <= 3 ? 2 : 1;

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

constexpr int most_byte_rows = 3;
constexpr int parts = 4;  // of a panel: 4 outputs of 4 inputs, whose products lie in two lanes each

inline __m256i four_inputs(const std::int16_t* at) {
    long long values = 0;
    std::memcpy(&values, at, sizeof values);
    return _mm256_set1_epi64x(values);
}

/// The sums of 8 outputs, from two parts.
inline __m256 joined(__m256i first, __m256i second) {
    return _mm256_cvtepi32_ps(
        _mm256_permute4x64_epi64(_mm256_hadd_epi32(first, second), _MM_SHUFFLE(3, 1, 2, 0)));
}

template <int Rows, int Panels>
struct Avx2ByteTile {
    static constexpr int together = Rows == 1 ? 2 : 1;

    static void run(const ByteOperands& o) {
        const auto block_size = o.weights.block_size();
        const auto panel_stride = o.weights.stride();
        __m256 totals[Panels][Rows][2];
        for (auto& panel : totals) {
            for (auto& row : panel)
                row[0] = row[1] = _mm256_setzero_ps();
        }
        for (std::size_t b = 0; b < o.weights.blocks; ++b) {
            const auto* block = o.weights.panels + b * block_size;
            const auto* x = o.x.values + b * o.weights.block;
            __m256i sums[Panels][Rows][parts];
            for (auto& panel : sums) {
                for (auto& row : panel) {
                    for (auto& sum : row)
                        sum = _mm256_setzero_si256();
                }
            }
            for (std::size_t i = 0; i < o.weights.block; i += byte_group) {
                for (int panel = 0; panel < Panels; ++panel) {
                    const auto* weights =
                        block + static_cast<std::size_t>(panel) * panel_stride + i * panel_width;
                    _mm_prefetch(reinterpret_cast<const char*>(weights + fetch_bytes_ahead), _MM_HINT_T0);
                    for (int part = 0; part < parts; ++part) {
                        const __m256i values = _mm256_cvtepi8_epi16(
                            _mm_load_si128(reinterpret_cast<const __m128i*>(weights) + part));
                        for (int row = 0; row < Rows; ++row) {
                            const __m256i inputs =
                                four_inputs(x + static_cast<std::size_t>(row) * o.x.stride + i);
                            auto& sum = sums[panel][row][part];
                            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(values, inputs));
                        }
                    }
                }
            }
            for (int panel = 0; panel < Panels; ++panel) {
                const auto* factors = reinterpret_cast<const float*>(
                    block + static_cast<std::size_t>(panel) * panel_stride + o.weights.block * panel_width);
                for (int row = 0; row < Rows; ++row) {
                    const __m256 all =
                        _mm256_broadcast_ss(o.x.sums + static_cast<std::size_t>(row) * o.weights.blocks + b);
                    for (int half = 0; half < 2; ++half) {
                        auto& total = totals[panel][row][half];
                        const auto* sum = sums[panel][row] + 2 * half;
                        total = _mm256_fmadd_ps(joined(sum[0], sum[1]), load(factors + 8 * half), total);
                        total = _mm256_fmadd_ps(all, load(factors + panel_width + 8 * half), total);
                    }
                }
            }
        }
        for (int panel = 0; panel < Panels; ++panel) {
            for (int row = 0; row < Rows; ++row) {
                float* out = o.out + static_cast<std::size_t>(row) * o.out_stride +
                             static_cast<std::size_t>(panel) * panel_width;
                const __m256 step = _mm256_broadcast_ss(o.x.steps + row);
                _mm256_storeu_ps(out, _mm256_mul_ps(totals[panel][row][0], step));
                _mm256_storeu_ps(out + 8, _mm256_mul_ps(totals[panel][row][1], step));
            }
        }
    }
};

struct Eight {
    static constexpr std::size_t width = 8;
    static void store(const float* from, std::uint16_t* to) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                         _mm256_cvtps_ph(load(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
};

}  // namespace

Kernels avx2_kernels() {
    return {"avx2",
            multiply<Avx2Tile, most_rows, std::uint16_t>,
            multiply<Avx2Tile, most_rows, float>,
            multiply_bytes<Avx2ByteTile, most_byte_rows>,
            nullptr,
            narrow<Eight>};
}

}  // namespace as2d::decoder

#endif
