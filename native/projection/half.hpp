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

/// The nearest binary16 number, ties to even; what is too large becomes infinite, what is no number stays
/// none.
inline std::uint16_t float_to_half(float value) {
    constexpr std::uint32_t half = 0x3F000000U;  // 0.5, whose last bit is worth 2^-24, as a subnormal half's
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    std::uint32_t rounded = 0;
    if (magnitude > 0x7F800000U) {
        rounded = 0x7E00U;
    } else if (magnitude >= 0x477FF000U) {  // from 65520 on
        rounded = 0x7C00U;
    } else if (magnitude < 0x38800000U) {  // below 2^-14
        rounded = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - half;
    } else {
        rounded = (magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
    }
    return static_cast<std::uint16_t>(sign | rounded);
}

}  // namespace as2d::projection
