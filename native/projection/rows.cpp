#include "projection/rows.hpp"

#include "core/errors.hpp"
#include "projection/half.hpp"
#include "projection/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace as2d::projection {

namespace {

constexpr int widest_row = 4096;
constexpr int largest_weight = 127;
constexpr int largest_nibble = 7;
constexpr unsigned nibble_zero = 8;  // how 0 is stored
constexpr double norm_rounding = 1.0 + 0x1p-40;

/// The least binary32 number that is not below `value` (>= 0).
float round_up(double value) {
    const auto nearest = static_cast<float>(value);
    return static_cast<double>(nearest) < value
               ? std::nextafter(nearest, std::numeric_limits<float>::infinity())
               : nearest;
}

double norm_above(double sum_of_squares) { return std::sqrt(sum_of_squares) * norm_rounding; }

}  // namespace

Rows::Rows(Halves weights, int vocab, int width, Image image)
    : weights_(std::move(weights)),
      vocab_(vocab),
      width_(width),
      stride_((width + static_cast<int>(row_alignment) - 1) / static_cast<int>(row_alignment) *
              static_cast<int>(row_alignment)),
      kind_(image) {
    if (width < 1 || width > widest_row) throw EngineError("a vocabulary projection must be 1 to 4096 wide");
    const auto rows = static_cast<std::size_t>(vocab);
    if (weights_.values.size() != rows * static_cast<std::size_t>(width))
        throw EngineError("the vocabulary projection does not have the size that the manifest tells");
    const bool nibbles = kind_ == Image::nibbles;
    const auto stride = static_cast<std::size_t>(stride_);
    const int largest_image = nibbles ? largest_nibble : largest_weight;
    const double part = nibbles ? std::min(1.0, deviations / std::sqrt(static_cast<double>(width))) : 1.0;
    if (nibbles) {
        even_out_columns();
        nibbles_.assign(rows * stride / 2, nibble_zero | nibble_zero << 4);
    } else {
        image_.assign(rows * stride, 0);
    }
    scale_.resize(rows);
    error_.resize(rows);
    norm_.resize(rows);
    std::vector<float> values(static_cast<std::size_t>(width));
    for (std::size_t row = 0; row < rows; ++row) {
        float largest = 0.0F;
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = half_to_float(this->weights(row)[i]);
            if (!std::isfinite(values[i]))
                throw EngineError("the vocabulary projection holds a number that is not finite");
            if (nibbles) values[i] /= columns_[i];
            largest = std::max(largest, std::abs(values[i]));
        }
        const float scale = largest / static_cast<float>(largest_image);
        double weight_squares = 0.0;
        double image_squares = 0.0;
        double error_squares = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<double>(values[i]);
            const double ideal = scale > 0.0F ? std::nearbyint(value / static_cast<double>(scale)) : 0.0;
            const double kept =
                std::clamp(ideal, static_cast<double>(-largest_image), static_cast<double>(largest_image));
            if (nibbles) {
                const auto half = nibble_step / 2;
                const auto stored = (static_cast<unsigned>(static_cast<int>(kept)) & 15U) ^ nibble_zero;
                auto& byte = nibbles_[row * stride / 2 + i / nibble_step * half + i % half];
                byte = static_cast<std::uint8_t>(i % nibble_step < half ? (byte & 0xF0U) | stored
                                                                        : (byte & 0x0FU) | stored << 4);
            } else {
                image_[row * stride + i] = static_cast<std::int8_t>(kept);
            }
            const double shown = kept * static_cast<double>(scale);
            weight_squares += value * value;
            image_squares += shown * shown;
            error_squares += (value - shown) * (value - shown);
        }
        const double weight_norm = norm_above(weight_squares);
        const double image_norm = norm_above(image_squares);
        scale_[row] = scale;
        error_[row] = round_up(part * (norm_above(error_squares) + 0x1p-38 * (weight_norm + image_norm)) *
                               norm_rounding);
        norm_[row] = round_up(part * image_norm * (1.0 + 0x1p-20));
    }
}

void Rows::even_out_columns() {
    const auto width = static_cast<std::size_t>(width_);
    std::vector<double> squares(width, 0.0);
    for (std::size_t row = 0; row < static_cast<std::size_t>(vocab_); ++row) {
        for (std::size_t i = 0; i < width; ++i) {
            const auto value = static_cast<double>(half_to_float(weights(row)[i]));
            squares[i] += value * value;
        }
    }
    for (const double sum : squares) {
        const double size = std::sqrt(std::sqrt(sum / vocab_));
        columns_.push_back(size > 0.0 ? static_cast<float>(size) : 1.0F);
    }
}

int largest_state(int width) {
    constexpr int two_bytes = 127 * 256 + 127;  // = 256·hi + lo with -128 <= hi, lo <= 127
    return std::min(two_bytes, std::numeric_limits<std::int32_t>::max() / (largest_weight * width));
}

QuantisedState quantise_state(std::span<const float> state, std::span<std::int16_t> image) {
    float largest = 0.0F;
    float poison = 0.0F;  // becomes NaN when a value is not finite
    for (const float value : state) {
        largest = std::max(largest, std::abs(value));
        poison += value * 0.0F;
    }
    if (std::isnan(poison)) throw EngineError("the model produced a hidden state that is not finite");
    const int limit = largest_state(static_cast<int>(state.size()));
    const float step = round_up(static_cast<double>(largest) / limit);
    QuantisedState out;
    out.step = static_cast<double>(step);
    double squares = 0.0;
    double error_squares = 0.0;
    std::ranges::fill(image, std::int16_t{0});
    for (std::size_t i = 0; i < state.size(); ++i) {
        const auto value = static_cast<double>(state[i]);
        const double kept = step > 0.0F ? std::nearbyint(value / out.step) : 0.0;
        image[i] = static_cast<std::int16_t>(kept);
        const double missed = value - kept * out.step;
        squares += value * value;
        error_squares += missed * missed;
    }
    out.norm = norm_above(squares);
    out.error = norm_above(error_squares);
    return out;
}

}  // namespace as2d::projection
