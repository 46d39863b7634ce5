// Edit distance of a short pattern to all substrings of a text, one text byte at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace as2d {

/// Bit-parallel approximate search (Myers, J. ACM 46(3), 1999; Hyyro's form). After push() of each text byte,
/// distance() is the smallest edit distance of the whole pattern to a piece of the text that ends here.
class EditSearch {
  public:
    static constexpr std::size_t kMaxPattern = 64;

    /// 1 <= pattern.size() <= kMaxPattern. `anchored`: the piece must begin where the text begins.
    void begin(std::span<const std::uint8_t> pattern, bool anchored) {
        for (std::size_t i = 0; i < pattern.size(); ++i)
            places_[pattern[i]] |= std::uint64_t{1} << i;
        anchored_ = anchored ? 1 : 0;
        top_ = std::uint64_t{1} << (pattern.size() - 1);
        positive_ = ~std::uint64_t{0};
        negative_ = 0;
        distance_ = static_cast<int>(pattern.size());
    }

    void push(std::uint8_t byte) {
        const std::uint64_t equal = places_[byte];
        const std::uint64_t x = equal | negative_;
        const std::uint64_t diagonal = (((x & positive_) + positive_) ^ positive_) | x;
        std::uint64_t up = negative_ | ~(positive_ | diagonal);
        std::uint64_t down = positive_ & diagonal;
        distance_ += static_cast<int>((up & top_) != 0) - static_cast<int>((down & top_) != 0);
        up = (up << 1U) | anchored_;
        down <<= 1U;
        positive_ = down | ~(diagonal | up);
        negative_ = diagonal & up;
    }

    int distance() const { return distance_; }

    /// Forgets the pattern of the last begin(); must come before the next one.
    void end(std::span<const std::uint8_t> pattern) {
        for (const std::uint8_t byte : pattern)
            places_[byte] = 0;
    }

  private:
    std::array<std::uint64_t, 256> places_{};  // where each byte stands in the pattern
    std::uint64_t anchored_ = 0, top_ = 0, positive_ = 0, negative_ = 0;
    int distance_ = 0;
};

}  // namespace as2d
