// What a decoder computes of one row at a time, in 16 lanes whatever the length: the same on every call.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace as2d::decoder {

/// Layer normalisation, epsilon 1e-5.
struct Norm {
    std::vector<float> gamma;
    std::vector<float> beta;

    /// @param x as many values as gamma, a multiple of `panel_width`
    void apply(const float* x, float* out) const;
};

/// x·σ(x·g(s)), s = x²/16, g(s) = (((h₀·s + h₁)·s + h₂)·s + h₃)·s + l₀ + l₁.
struct Gelu {
    std::array<float, 4> higher;
    std::array<float, 2> lowest;
};

/// The trained activation x·Φ(x) to 5e-6: as the decoder's graphs are written (`GELU_HIGHER`, `GELU_LOWEST`).
inline constexpr Gelu precise_gelu = {{0.1468505859375F, -0.250732421875F, -0.0638427734375F, 1.1669921875F},
                                      {1.595703125F, -4.696846008300781e-05F}};
/// Its approximation by tanh: ½x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) = x·σ(2√(2/π)·(x + 0.044715·x³)).
inline constexpr Gelu tanh_gelu = {{0.0F, 0.0F, 0.0F, 1.5957691216F * 0.044715F * 16.0F},
                                   {1.5957691216F, 0.0F}};

/// @param count a multiple of `panel_width`
void apply_gelu(const Gelu& gelu, float* x, std::size_t count);

/// Softmax of the first `count` values; those behind it up to the next multiple of `panel_width` become 0.
void softmax(float* x, std::size_t count);

}  // namespace as2d::decoder
