#include "decoder/kernels.hpp"

#include "decoder/tiles.hpp"
#include "projection/half.hpp"

#include <cmath>

namespace as2d::decoder {

namespace {

inline float value(float weight) { return weight; }
inline float value(std::uint16_t weight) { return projection::half_to_float(weight); }

template <typename Weight>
void plain_multiply(const Weight* weights, std::size_t panel_stride, std::size_t panels, std::size_t depth,
                    const float* x, std::size_t x_stride, std::size_t rows, float* out,
                    std::size_t out_stride) {
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t n = 0; n < panels * panel_width; ++n) {
            const auto* column = weights + n / panel_width * panel_stride + n % panel_width;
            float sum = 0.0F;
            for (std::size_t i = 0; i < depth; ++i)
                sum = std::fma(value(column[i * panel_width]), x[row * x_stride + i], sum);
            out[row * out_stride + n] = sum;
        }
    }
}

}  // namespace

Kernels plain_kernels() { return {"plain", plain_multiply<std::uint16_t>, plain_multiply<float>}; }

std::vector<Kernels> kernels_of_this_processor() {
    std::vector<Kernels> all = {plain_kernels()};
#if defined(AS2D_DECODER_AVX2)
    all.push_back(avx2_kernels());
    if (has_avx512()) all.push_back(avx512_kernels());
#elif defined(AS2D_DECODER_NEON)
    all.push_back(neon_kernels());
#endif
    return all;
}

Kernels best_kernels() { return kernels_of_this_processor().back(); }

}  // namespace as2d::decoder
