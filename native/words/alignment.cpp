#include "words/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace as2d {
namespace {

constexpr int kMedianWidth = 7;

/// A row-major matrix.
class Matrix {
  public:
    Matrix(int rows, int columns)
        : rows_(rows),
          columns_(columns),
          values_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}
    int rows() const { return rows_; }
    int columns() const { return columns_; }
    std::span<float> row(int i) {
        return std::span(values_).subspan(begin(i), static_cast<std::size_t>(columns_));
    }
    std::span<const float> row(int i) const {
        return std::span(values_).subspan(begin(i), static_cast<std::size_t>(columns_));
    }

  private:
    std::size_t begin(int i) const {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(columns_);
    }

    int rows_, columns_;
    std::vector<float> values_;
};

/// One head's weights over the audio frames, each row summing to 1.
Matrix head_over_audio(const AttentionWeights& weights, int head) {
    Matrix out(weights.rows, weights.audio_frames);
    for (int i = 0; i < weights.rows; ++i) {
        const std::size_t place = static_cast<std::size_t>(head) * static_cast<std::size_t>(weights.rows) +
                                  static_cast<std::size_t>(i);
        const auto from = weights.values.subspan(place * static_cast<std::size_t>(weights.frames),
                                                 static_cast<std::size_t>(weights.audio_frames));
        double sum = 0.0;
        for (const float value : from)
            sum += static_cast<double>(value);
        const float scale = sum > 0.0 ? static_cast<float>(1.0 / sum) : 0.0F;
        std::ranges::transform(from, out.row(i).begin(), [scale](float value) { return value * scale; });
    }
    return out;
}

/// Every frame to mean 0 and standard deviation 1 over the rows: what attends everywhere says nothing.
void standardise_over_rows(Matrix& matrix) {
    const auto columns = static_cast<std::size_t>(matrix.columns());
    std::vector<double> mean(columns, 0.0);
    std::vector<double> spread(columns, 0.0);
    for (int i = 0; i < matrix.rows(); ++i) {
        const auto row = matrix.row(i);
        for (std::size_t j = 0; j < columns; ++j)
            mean[j] += static_cast<double>(row[j]) / matrix.rows();
    }
    for (int i = 0; i < matrix.rows(); ++i) {
        const auto row = matrix.row(i);
        for (std::size_t j = 0; j < columns; ++j) {
            const double off = static_cast<double>(row[j]) - mean[j];
            spread[j] += off * off / matrix.rows();
        }
    }
    for (double& value : spread)
        value = value > 0.0 ? 1.0 / std::sqrt(value) : 0.0;
    for (int i = 0; i < matrix.rows(); ++i) {
        const auto row = matrix.row(i);
        for (std::size_t j = 0; j < columns; ++j) {
            row[j] = static_cast<float>((static_cast<double>(row[j]) - mean[j]) * spread[j]);
        }
    }
}

/// The median of seven: a sorting network's minima and maxima that its middle needs.
float median_of_7(const float* v) {
    float a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6];
    const auto order = [](float& x, float& y) {
        const float low = std::min(x, y);
        y = std::max(x, y);
        x = low;
    };
    order(a, f), order(a, d), order(b, g), order(c, e), order(a, b), order(d, f), order(c, g), order(c, d);
    order(d, g), order(e, f), order(b, e), order(b, d), order(d, e);
    return d;
}

/// Median of 7 neighbouring frames, reflected at both ends; `padded` is scratch of the row's size + 6.
void smooth(std::span<float> row, std::vector<float>& padded) {
    constexpr int kHalf = kMedianWidth / 2;
    const auto columns = static_cast<int>(row.size());
    if (columns <= kHalf) return;
    padded.resize(row.size() + kMedianWidth - 1);
    for (int j = -kHalf; j < columns + kHalf; ++j) {
        const int place = j < 0 ? -j : j < columns ? j : 2 * (columns - 1) - j;
        padded[static_cast<std::size_t>(j + kHalf)] = row[static_cast<std::size_t>(place)];
    }
    for (std::size_t j = 0; j < row.size(); ++j)
        row[j] = median_of_7(padded.data() + j);
}

enum class Step : std::uint8_t { both, row, frame };

/// First frame of each row on the monotonic path of least cost.
std::vector<int> cheapest_path(const Matrix& cost) {
    const auto columns = static_cast<std::size_t>(cost.columns());
    // Cost of the best path to each frame of the row before and of this row; index 0 is left of the first.
    std::vector<float> above(columns + 1, std::numeric_limits<float>::infinity());
    std::vector<float> here(columns + 1);
    above[0] = 0.0F;
    std::vector<Step> steps(static_cast<std::size_t>(cost.rows()) * columns);
    for (int i = 0; i < cost.rows(); ++i) {
        const auto row = cost.row(i);
        here[0] = std::numeric_limits<float>::infinity();
        for (std::size_t j = 0; j < columns; ++j) {
            const float both = above[j], down = above[j + 1], right = here[j];
            Step step = Step::frame;
            float before = right;
            if (both < down && both < right) {
                step = Step::both;
                before = both;
            } else if (down < both && down < right) {
                step = Step::row;
                before = down;
            }
            here[j + 1] = row[j] + before;
            steps[static_cast<std::size_t>(i) * columns + j] = step;
        }
        std::swap(above, here);
    }
    std::vector<int> first(static_cast<std::size_t>(cost.rows()), 0);
    int i = cost.rows() - 1;
    int j = cost.columns() - 1;
    while (i >= 0 && j >= 0) {
        first[static_cast<std::size_t>(i)] = j;
        const Step step = steps[static_cast<std::size_t>(i) * columns + static_cast<std::size_t>(j)];
        if (step != Step::frame) --i;
        if (step != Step::row) --j;
    }
    return first;
}

}  // namespace

std::vector<int> row_frames(const AttentionWeights& weights, int first, int last) {
    Matrix cost(last - first + 1, weights.audio_frames);
    std::vector<float> padded;
    for (int head = 0; head < weights.heads; ++head) {
        Matrix matrix = head_over_audio(weights, head);
        standardise_over_rows(matrix);
        for (int i = 0; i < cost.rows(); ++i) {
            const auto row = matrix.row(first + i);
            smooth(row, padded);
            const auto sum = cost.row(i);
            for (std::size_t j = 0; j < row.size(); ++j)
                sum[j] -= row[j] / static_cast<float>(weights.heads);
        }
    }
    auto frames = cheapest_path(cost);
    frames.push_back(weights.audio_frames);
    return frames;
}

}  // namespace as2d
