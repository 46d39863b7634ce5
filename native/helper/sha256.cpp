#include "helper/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace as2d::helper {

namespace {

constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* bytes) {
    return std::to_integer<std::uint32_t>(bytes[0]) << 24 | std::to_integer<std::uint32_t>(bytes[1]) << 16 |
           std::to_integer<std::uint32_t>(bytes[2]) << 8 | std::to_integer<std::uint32_t>(bytes[3]);
}

}  // namespace

void Sha256::compress(const std::byte* data, std::size_t blocks) {
    std::array<std::uint32_t, 64> w;
    for (; blocks > 0; --blocks, data += block) {
        for (std::size_t i = 0; i < 16; ++i)
            w[i] = big_endian(data + 4 * i);
        for (std::size_t i = 16; i < 64; ++i) {
            const auto a = w[i - 15];
            const auto b = w[i - 2];
            w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
        }
        auto [a, b, c, d, e, f, g, h] = state_;
        for (std::size_t i = 0; i < 64; ++i) {
            const auto first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                               ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
            const auto second =
                (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + first;
            d = c;
            c = b;
            b = a;
            a = first + second;
        }
        const std::array<std::uint32_t, 8> worked = {a, b, c, d, e, f, g, h};
        for (std::size_t i = 0; i < state_.size(); ++i)
            state_[i] += worked[i];
    }
}

void Sha256::add(std::span<const std::byte> bytes) {
    const auto filled = static_cast<std::size_t>(bytes_ % block);
    bytes_ += bytes.size();
    if (filled > 0) {
        const auto taken = std::min(block - filled, bytes.size());
        std::copy_n(bytes.begin(), taken, part_.begin() + static_cast<std::ptrdiff_t>(filled));
        bytes = bytes.subspan(taken);
        if (filled + taken < block) return;
        compress(part_.data(), 1);
    }
    compress(bytes.data(), bytes.size() / block);
    const auto rest = bytes.last(bytes.size() % block);
    std::copy(rest.begin(), rest.end(), part_.begin());
}

std::string Sha256::digest() {
    const std::uint64_t bits = bytes_ * 8;
    const auto filled = static_cast<std::size_t>(bytes_ % block);
    std::array<std::byte, 2 * block> tail{};
    tail[0] = std::byte{0x80};
    const auto padding = (filled < block - 8 ? block : 2 * block) - filled;
    for (std::size_t i = 0; i < 8; ++i)
        tail[padding - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
    add(std::span(tail).first(padding));
    std::string text;
    for (const auto word : state_) {
        for (int shift = 28; shift >= 0; shift -= 4)
            text += "0123456789abcdef"[(word >> shift) & 0xFU];
    }
    return text;
}

}  // namespace as2d::helper
