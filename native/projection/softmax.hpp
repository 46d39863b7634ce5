#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace as2d::projection {

/// exp(x) for x <= 0 by range reduction and the Cephes single precision polynomial (Moshier, `expf`).
inline float exp_nonpositive(float x) {
    x = x < -87.0F ? -87.0F : x;
    const float scaled = x * 1.44269504088896341F;
    const auto whole = static_cast<std::int32_t>(scaled - 0.5F);
    const auto power = static_cast<float>(whole);
    const float r = x - power * 0.693359375F + power * 2.12194440e-4F;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    return p * std::bit_cast<float>((whole + 127) << 23);
}

/// log(sum(exp(logits + bias))), to about 1e-6.
/// @param logits one row, [vocab]
/// @param bias [vocab], 0 where a token counts and -infinity where it does not
/// @throws EngineError when the sum is not a finite number
float log_sum_exp(std::span<const float> logits, std::span<const float> bias);

/// A bias that forbids the given tokens.
std::vector<float> forbid(int vocab, std::span<const std::int32_t> ids);

}  // namespace as2d::projection
