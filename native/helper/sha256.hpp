#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace as2d::helper {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
  public:
    void add(std::span<const std::byte> bytes);
    /// The digest as 64 lower-case hexadecimal digits; nothing may be added afterwards.
    std::string digest();

  private:
    static constexpr std::size_t block = 64;

    void compress(const std::byte* data, std::size_t blocks);

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, block> part_{};
    std::uint64_t bytes_ = 0;
};

}  // namespace as2d::helper
