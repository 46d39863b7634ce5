#include "decoder/kernels.hpp"

#include "decoder/tiles.hpp"
#include "projection/half.hpp"
#include "projection/vector_kernels.hpp"

#include <cmath>
#include <cstring>

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

void plain_bytes(const Bytes& weights, std::size_t panels, const Integers& x, std::size_t rows, float* out,
                 std::size_t out_stride) {
    for (std::size_t row = 0; row < rows; ++row) {
        const auto* sums = x.sums + row * weights.blocks;
        for (std::size_t n = 0; n < panels * panel_width; ++n) {
            const auto lane = n % panel_width;
            float sum = 0.0F;
            for (std::size_t b = 0; b < weights.blocks; ++b) {
                const auto* block =
                    weights.panels + n / panel_width * weights.stride() + b * weights.block_size();
                std::int32_t integer = 0;
                for (std::size_t i = 0; i < weights.block; ++i)
                    integer +=
                        std::int32_t{
                            block[(i / byte_group * panel_width + lane) * byte_group + i % byte_group]} *
                        x.values[row * x.stride + b * weights.block + i];
                float factors[2 * panel_width];
                std::memcpy(factors, block + panel_width * weights.block, sizeof factors);
                sum = std::fma(static_cast<float>(integer), factors[lane], sum);
                sum = std::fma(sums[b], factors[panel_width + lane], sum);
            }
            out[row * out_stride + n] = sum * x.steps[row];
        }
    }
}

void plain_narrow(const float* from, std::uint16_t* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        to[i] = projection::float_to_half(from[i]);
}

}  // namespace

Kernels plain_kernels() {
    return {"plain",     plain_multiply<std::uint16_t>, plain_multiply<float>, plain_bytes, nullptr,
            plain_narrow};
}

std::vector<Kernels> kernels_of_this_processor() {
    std::vector<Kernels> all = {plain_kernels()};
#if defined(AS2D_DECODER_AVX2)
    all.push_back(avx2_kernels());
    if (has_avx512()) all.push_back(avx512_kernels());
    if (has_vnni()) all.push_back(vnni_kernels());
#elif defined(AS2D_DECODER_NEON)
    all.push_back(neon_kernels());
    if (projection::has_dot_product()) all.push_back(dotprod_kernels());
#endif
    return all;
}

Kernels best_kernels() { return kernels_of_this_processor().back(); }

}  // namespace as2d::decoder
