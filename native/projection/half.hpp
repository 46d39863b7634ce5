#pragma once

#include <bit>
#include <cstdint>

namespace as2d::projection {

/// IEEE 754 binary16 to binary32, exact. Subnormal halves scale from 2^-24.
inline float half_to_float(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1FU;
    const std::uint32_t fraction = half & 0x3FFU;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t biased = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | (biased << 23) | (fraction << 13));
}

}  // namespace as2d::projection
