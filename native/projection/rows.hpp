// The vocabulary projection in 8 bits, with a proven bound on what that changes; or in 4, with a likely one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace as2d::projection {

inline constexpr std::size_t row_alignment = 64;  ///< bytes; also what the length of a row is rounded up to

/// Memory whose first byte lies on a multiple of `row_alignment`.
template <typename Value>
struct AlignedAllocator {
    using value_type = Value;
    AlignedAllocator() = default;
    template <typename Other>
    AlignedAllocator(const AlignedAllocator<Other>&) {}
    Value* allocate(std::size_t count) {
        return static_cast<Value*>(::operator new(count * sizeof(Value), std::align_val_t(row_alignment)));
    }
    void deallocate(Value* memory, std::size_t) {
        ::operator delete(memory, std::align_val_t(row_alignment));
    }
    bool operator==(const AlignedAllocator&) const = default;
};
template <typename Value>
using Aligned = std::vector<Value, AlignedAllocator<Value>>;

/// Binary16 numbers, and what keeps them in memory: a vector, or a mapped file.
struct Halves {
    std::shared_ptr<const void> owner;
    std::span<const std::uint16_t> values;
};

enum class Image { bytes, nibbles };

/// Weight rows w of a projection z = w·h, and their 8-bit images ŵ = scale·q with |q| <= 127.
///
/// The logit that decides, z̃, is w·h summed in binary64 (`exact_dot`). A hidden state h has a 16-bit image
/// ĥ = t·g (`QuantisedState`), and the integer I = q·g is computed without error, so ŵ·ĥ = scale·t·I. Then
///
///     |w·h − ŵ·ĥ| = |(w−ŵ)·h + ŵ·(h−ĥ)| <= ‖w−ŵ‖·‖h‖ + ‖ŵ‖·‖h−ĥ‖                   (Cauchy-Schwarz)
///
/// and these roundings come on top, with u = 2⁻⁵³ and width <= 2¹²:
///  - z̃ against w·h: every product is exact (11 + 24 bits), a lane adds at most width/8 of them and three
///    more additions join the lanes: <= (width/8 + 3)·u·(1+2⁻⁴⁰)·‖w‖·‖h‖ <= 2⁻⁴⁰·‖w‖·‖h‖;
///  - a = I·scale·t against ŵ·ĥ: two products, as I (32 bits) is exact: <= 2⁻⁵¹·‖ŵ‖·‖ĥ‖, ‖ĥ‖ <= ‖h‖+‖h−ĥ‖;
///  - the bound itself and a ± bound: <= 2⁻⁵⁰·(|a| + bound).
/// `error` and `norm` are rounded up to binary32 *after* they were enlarged to cover all of it:
///
///     error >= (‖w−ŵ‖ + 2⁻³⁸·(‖w‖+‖ŵ‖))·(1+2⁻⁴⁰),   norm >= ‖ŵ‖·(1+2⁻²⁰),
///     |z̃ − a| <= error·‖h‖ + norm·‖h−ĥ‖.
///
/// Norms are computed in binary64 and enlarged by 1+2⁻⁴⁰, more than their own rounding.
///
/// Images in 4 bits, |q| <= 7, are half as long. A few columns of a trained model are 30 times larger than
/// others and would take all the steps, so they are images of w/c, multiplied with h·c, where c[i] is the
/// square root of the root mean square of column i. The bound above would still hold a tenth of all rows for
/// possible. As the width roundings of a row are independent, with a variance of ‖w−ŵ‖²/width each, (w−ŵ)·h
/// has a standard deviation of ‖w−ŵ‖·‖h‖/√width: `error` and `norm` are what is written above, times
/// `deviations`/√width where that is below 1. So a row lies outside what is then called its bound as seldom
/// as a normal variable is `deviations` standard deviations off. For who may err: a drafter.
class Rows {
  public:
    static constexpr double deviations = 5.0;

    /// @param weights binary16 [vocab][width], finite; kept
    /// @param image what the images are made of
    /// @throws EngineError when a weight is not finite, or the width is not in 1 … 4096
    Rows(Halves weights, int vocab, int width, Image image = Image::bytes);

    int vocab() const { return vocab_; }
    int width() const { return width_; }
    /// Weights of one image, the 0s behind `width` counted.
    int stride() const { return stride_; }

    Image image_kind() const { return kind_; }
    /// q of all rows: as bytes, [vocab][stride].
    const std::int8_t* image() const { return image_.data(); }
    /// As nibbles, see `ScanNibbles`, [vocab][stride / 2].
    const std::uint8_t* nibbles() const { return nibbles_.data(); }
    /// c, [width]; empty: 1 everywhere.
    std::span<const float> columns() const { return columns_; }
    const float* scale() const { return scale_.data(); }
    const float* error() const { return error_.data(); }
    const float* norm() const { return norm_.data(); }
    /// w of one row, [width], binary16.
    const std::uint16_t* weights(std::size_t row) const {
        return weights_.values.data() + row * static_cast<std::size_t>(width_);
    }

  private:
    void even_out_columns();

    Halves weights_;
    int vocab_;
    int width_;
    int stride_;
    Image kind_;
    Aligned<std::int8_t> image_;  // or
    Aligned<std::uint8_t> nibbles_;
    std::vector<float> columns_;
    std::vector<float> scale_;
    std::vector<float> error_;
    std::vector<float> norm_;
};

/// Largest |g| for rows of this width: |q·g| <= 127·width·|g| stays below 2³¹, and g can be split into two
/// signed bytes.
int largest_state(int width);

/// The 16-bit image of a hidden state h: ĥ = step·g.
struct QuantisedState {
    double step = 0.0;   ///< t, a binary32 value, so that t·g is exact
    double norm = 0.0;   ///< >= ‖h‖
    double error = 0.0;  ///< >= ‖h−ĥ‖
};

/// Quantises h.
/// @param state [width]
/// @param image [stride of the rows], what lies behind width becomes 0
/// @throws EngineError when a value of h is not finite
QuantisedState quantise_state(std::span<const float> state, std::span<std::int16_t> image);

}  // namespace as2d::projection
