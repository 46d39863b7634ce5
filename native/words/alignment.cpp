#include "words/alignment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace as2d {
namespace {

constexpr int median_width = 7;

/// A row-major matrix.
struct Matrix {
    Matrix(int row_count, int column_count)
        : rows(row_count),
          columns(column_count),
          values(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(column_count), 0.0F) {}
    float& at(int row, int column) { return values[index(row, column)]; }
    float at(int row, int column) const { return values[index(row, column)]; }
    std::size_t index(int row, int column) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
    }

    int rows;
    int columns;
    std::vector<float> values;
};

/// One head's weights over the audio frames, each row summing to 1.
Matrix head_over_audio(const AttentionWeights& weights, int head) {
    Matrix out(weights.rows, weights.audio_frames);
    for (int row = 0; row < weights.rows; ++row) {
        const float* from = weights.values.data() +
                            (static_cast<std::ptrdiff_t>(head) * weights.rows + row) * weights.frames;
        double sum = 0.0;
        for (int frame = 0; frame < weights.audio_frames; ++frame) sum += static_cast<double>(from[frame]);
        const float scale = sum > 0.0 ? static_cast<float>(1.0 / sum) : 0.0F;
        for (int frame = 0; frame < weights.audio_frames; ++frame) out.at(row, frame) = from[frame] * scale;
    }
    return out;
}

/// Every frame to mean 0 and standard deviation 1 over the rows: what attends everywhere says nothing.
void standardise_over_rows(Matrix& matrix) {
    for (int frame = 0; frame < matrix.columns; ++frame) {
        double sum = 0.0;
        double squares = 0.0;
        for (int row = 0; row < matrix.rows; ++row) {
            const auto value = static_cast<double>(matrix.at(row, frame));
            sum += value;
            squares += value * value;
        }
        const double mean = sum / matrix.rows;
        const double deviation = std::sqrt(std::max(squares / matrix.rows - mean * mean, 0.0));
        for (int row = 0; row < matrix.rows; ++row) {
            const double value = static_cast<double>(matrix.at(row, frame)) - mean;
            matrix.at(row, frame) = deviation > 0.0 ? static_cast<float>(value / deviation) : 0.0F;
        }
    }
}

/// Median of 7 neighbouring frames, reflected at both ends.
void smooth(Matrix& matrix) {
    const int half = median_width / 2;
    if (matrix.columns <= half) return;
    std::vector<float> original(static_cast<std::size_t>(matrix.columns));
    for (int row = 0; row < matrix.rows; ++row) {
        for (int frame = 0; frame < matrix.columns; ++frame) {
            original[static_cast<std::size_t>(frame)] = matrix.at(row, frame);
        }
        for (int frame = 0; frame < matrix.columns; ++frame) {
            std::array<float, median_width> near{};
            for (int offset = -half; offset <= half; ++offset) {
                int place = std::abs(frame + offset);
                if (place >= matrix.columns) place = 2 * (matrix.columns - 1) - place;
                near[static_cast<std::size_t>(offset + half)] = original[static_cast<std::size_t>(place)];
            }
            std::nth_element(near.begin(), near.begin() + half, near.end());
            matrix.at(row, frame) = near[half];
        }
    }
}

enum class Step : std::uint8_t { both, row, frame };

/// First frame of each row on the monotonic path of least cost through `cost`.
std::vector<int> cheapest_path(const Matrix& cost) {
    Matrix total(cost.rows + 1, cost.columns + 1);
    std::fill(total.values.begin(), total.values.end(), std::numeric_limits<float>::infinity());
    total.at(0, 0) = 0.0F;
    std::vector<Step> steps(total.values.size(), Step::both);
    for (int column = 1; column <= cost.columns; ++column) {
        for (int row = 1; row <= cost.rows; ++row) {
            const float both = total.at(row - 1, column - 1);
            const float down = total.at(row - 1, column);
            const float right = total.at(row, column - 1);
            Step step = Step::frame;
            float before = right;
            if (both < down && both < right) {
                step = Step::both;
                before = both;
            } else if (down < both && down < right) {
                step = Step::row;
                before = down;
            }
            total.at(row, column) = cost.at(row - 1, column - 1) + before;
            steps[total.index(row, column)] = step;
        }
    }
    std::vector<int> first(static_cast<std::size_t>(cost.rows), 0);
    int row = cost.rows;
    int column = cost.columns;
    while (row > 0 && column > 0) {
        first[static_cast<std::size_t>(row - 1)] = column - 1;
        const Step step = steps[total.index(row, column)];
        if (step != Step::frame) --row;
        if (step != Step::row) --column;
    }
    return first;
}

}  // namespace

std::vector<int> row_frames(const AttentionWeights& weights, int first, int last) {
    Matrix cost(last - first + 1, weights.audio_frames);
    for (int head = 0; head < weights.heads; ++head) {
        Matrix matrix = head_over_audio(weights, head);
        standardise_over_rows(matrix);
        smooth(matrix);
        for (int row = 0; row < cost.rows; ++row) {
            for (int frame = 0; frame < cost.columns; ++frame) {
                cost.at(row, frame) -= matrix.at(first + row, frame) / static_cast<float>(weights.heads);
            }
        }
    }
    auto frames = cheapest_path(cost);
    frames.push_back(weights.audio_frames);
    return frames;
}

}  // namespace as2d
