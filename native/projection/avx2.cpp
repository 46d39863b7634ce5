#include "projection/kernels.hpp"
#include "projection/vector_kernels.hpp"

#if defined(AS2D_PROJECTION_AVX2)

#include <immintrin.h>

namespace as2d::projection {

namespace {

inline std::int32_t sum_of(__m256i lanes) {
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
    return _mm_cvtsi128_si32(sum);
}

// One row after the other: memory is read in one stream, which is what limits this.
template <int K>
void scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
          std::int32_t* out) {
    for (std::size_t row = 0; row < count; ++row) {
        const auto* weights = rows + row * stride;
        __m256i sums[K];
        for (auto& sum : sums)
            sum = _mm256_setzero_si256();
        for (std::size_t i = 0; i < stride; i += 16) {
            const __m256i weight =
                _mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(weights + i)));
            for (int k = 0; k < K; ++k) {
                const auto* at = states + static_cast<std::size_t>(k) * stride + i;
                const __m256i state = _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
                sums[k] = _mm256_add_epi32(sums[k], _mm256_madd_epi16(weight, state));
            }
        }
        for (int k = 0; k < K; ++k)
            out[static_cast<std::size_t>(k) * count + row] = sum_of(sums[k]);
    }
}

template <int K>
void scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
                  std::int32_t* out) {
    constexpr auto half = nibble_step / 2;
    const __m256i low_bits = _mm256_set1_epi16(15);
    std::int32_t excess[K];
    for (int k = 0; k < K; ++k)
        excess[k] = nibble_excess(states + static_cast<std::size_t>(k) * stride, stride);
    for (std::size_t row = 0; row < count; ++row) {
        const auto* weights = rows + row * stride / 2;
        __m256i sums[K];
        for (auto& sum : sums)
            sum = _mm256_setzero_si256();
        for (std::size_t i = 0; i < stride; i += nibble_step) {
            const __m256i pairs =
                _mm256_cvtepu8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(weights + i / 2)));
            const __m256i low = _mm256_and_si256(pairs, low_bits);
            const __m256i high = _mm256_srli_epi16(pairs, 4);
            for (int k = 0; k < K; ++k) {
                const auto* at = states + static_cast<std::size_t>(k) * stride + i;
                const __m256i a = _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
                const __m256i b = _mm256_load_si256(reinterpret_cast<const __m256i*>(at + half));
                const __m256i products =
                    _mm256_add_epi32(_mm256_madd_epi16(low, a), _mm256_madd_epi16(high, b));
                sums[k] = _mm256_add_epi32(sums[k], products);
            }
        }
        for (int k = 0; k < K; ++k)
            out[static_cast<std::size_t>(k) * count + row] = sum_of(sums[k]) - excess[k];
    }
}

}  // namespace

void avx2_scan_nibbles(const std::uint8_t* rows, std::size_t count, std::size_t stride,
                       const std::int16_t* states, int k, std::int32_t* out) {
    with_width(k, [&](auto width) { scan_nibbles<width>(rows, count, stride, states, out); });
}

void avx2_scan(const std::int8_t* rows, std::size_t count, std::size_t stride, const std::int16_t* states,
               int k, std::int32_t* out) {
    with_width(k, [&](auto width) { scan<width>(rows, count, stride, states, out); });
}

double avx2_exact_dot(const std::uint16_t* weights, const float* state, std::size_t width) {
    __m256d low = _mm256_setzero_pd();
    __m256d high = _mm256_setzero_pd();
    std::size_t i = 0;
    for (; i + 8 <= width; i += 8) {
        const __m256 w = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + i)));
        const __m256 h = _mm256_loadu_ps(state + i);
        low = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(w)),
                              _mm256_cvtps_pd(_mm256_castps256_ps128(h)), low);
        high = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(w, 1)),
                               _mm256_cvtps_pd(_mm256_extractf128_ps(h, 1)), high);
    }
    std::array<double, 8> lanes;
    _mm256_storeu_pd(lanes.data(), low);
    _mm256_storeu_pd(lanes.data() + 4, high);
    add_tail(lanes, weights, state, i, width);
    return join_lanes(lanes);
}

}  // namespace as2d::projection

#endif
