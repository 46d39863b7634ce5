#include "decoder/decoder.hpp"

#include "core/errors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace as2d::decoder {

namespace {

constexpr std::size_t panels_of_a_task = 4;

std::size_t padded(std::size_t count) { return (count + panel_width - 1) / panel_width * panel_width; }

/// One head's block [columns][depth] into panels of columns.
void pack(const float* from, std::size_t columns, std::size_t depth, float* to) {
    for (std::size_t column = 0; column < columns; ++column) {
        float* panel = to + column / panel_width * depth * panel_width + column % panel_width;
        for (std::size_t i = 0; i < depth; ++i)
            panel[i * panel_width] = from[column * depth + i];
    }
}

}  // namespace

std::size_t Weights::block() const {
    const auto block = layers.front().query.block();
    for (const auto& layer : layers) {
        for (const auto* matrix : {&layer.query, &layer.key, &layer.value, &layer.out, &layer.cross_query,
                                   &layer.cross_out, &layer.inner, &layer.outer}) {
            if (matrix->block() != block)
                throw EngineError("the decoder's layers do not all store their weights in the same way");
        }
    }
    return block;
}

Audio::Audio(const Weights& weights, std::span<const float* const> keys, std::span<const float* const> values,
             int frames, const Kernels& kernels)
    : frames_(static_cast<std::size_t>(frames)) {
    const auto heads = static_cast<std::size_t>(weights.heads);
    const auto dim = static_cast<std::size_t>(weights.head_dim);
    const auto packed = [&](const float* from, std::size_t columns, std::size_t depth) {
        const auto block = padded(columns) * depth;
        Panels panels;
        panels.floats.assign(heads * block, 0.0F);
        for (std::size_t head = 0; head < heads; ++head)
            pack(from + head * columns * depth, columns, depth, panels.floats.data() + head * block);
        if (weights.block() != 0) {
            panels.halves.resize(panels.floats.size());
            kernels.narrow(panels.floats.data(), panels.halves.data(), panels.floats.size());
            panels.floats = {};
        }
        return panels;
    };
    for (std::size_t layer = 0; layer < keys.size(); ++layer) {
        keys_.push_back(packed(keys[layer], frames_, dim));
        values_.push_back(packed(values[layer], dim, frames_));
    }
}

void Audio::Panels::multiply(const Kernels& kernels, std::size_t at, std::size_t panel_stride,
                             std::size_t panels, std::size_t depth, const float* x, std::size_t x_stride,
                             std::size_t rows, float* out, std::size_t out_stride) const {
    if (floats.empty()) {
        kernels.halves(halves.data() + at, panel_stride, panels, depth, x, x_stride, rows, out, out_stride);
    } else {
        kernels.floats(floats.data() + at, panel_stride, panels, depth, x, x_stride, rows, out, out_stride);
    }
}

History::History(int layers, int heads, int head_dim, int positions)
    : positions_(padded(static_cast<std::size_t>(positions))) {
    // Filled with 0: a masked position is multiplied by 0, which must not meet what is no number.
    const auto size = static_cast<std::size_t>(heads) * static_cast<std::size_t>(head_dim) * positions_;
    keys_.assign(static_cast<std::size_t>(layers), projection::Aligned<float>(size, 0.0F));
    values_ = keys_;
}

Decoder::Decoder(std::shared_ptr<const Weights> weights, std::shared_ptr<projection::Team> team,
                 Kernels kernels)
    : weights_(std::move(weights)),
      team_(std::move(team)),
      kernels_(kernels),
      width_(static_cast<std::size_t>(weights_->width())),
      head_dim_(static_cast<std::size_t>(weights_->head_dim)),
      block_(weights_->block()),
      scratch_(static_cast<std::size_t>(team_->size())) {
    if (head_dim_ % panel_width != 0) throw EngineError("the decoder's heads must be a multiple of 16 wide");
}

/// Runs the tasks on all threads. Which thread takes which changes nothing: each writes what is its own.
void Decoder::spread(std::size_t tasks, const Task& task) {
    std::atomic<std::size_t> next = 0;
    team_->run([&](int index) {
        auto& scratch = scratch_[static_cast<std::size_t>(index)];
        for (auto mine = next.fetch_add(1, std::memory_order_relaxed); mine < tasks;
             mine = next.fetch_add(1, std::memory_order_relaxed))
            task(mine, scratch);
    });
}

/// What matrices multiply, until the next of them is made.
Input Decoder::input(const std::vector<float>& values) {
    if (block_ == 0) return {values.data(), {}};
    quantised_.set(values.data(), rows_, values.size() / rows_, block_, kernels_);
    return {values.data(), quantised_.view()};
}

void Decoder::normalise(const Norm& norm) {
    for (std::size_t row = 0; row < rows_; ++row)
        norm.apply(x_.data() + row * width_, normal_.data() + row * width_);
}

Input Decoder::normalised(const Norm& norm) {
    normalise(norm);
    return input(normal_);
}

std::span<const float> Decoder::run(std::span<const float> embedded, const Audio& audio, History& history,
                                    int length) {
    const auto past = static_cast<std::size_t>(length);
    rows_ = embedded.size() / width_;
    if (past + rows_ > history.positions_) throw EngineError("the text is longer than the model allows");
    x_.assign(embedded.begin(), embedded.end());
    normal_.resize(x_.size());
    mixed_.resize(x_.size());
    for (std::size_t l = 0; l < weights_->layers.size(); ++l) {
        const auto& layer = weights_->layers[l];
        self_attention(layer, normalised(layer.self_norm), history.keys_[l], history.values_[l],
                       history.positions_, past);
        add_output(layer.out, input(mixed_));
        cross_attention(layer, normalised(layer.cross_norm), audio.keys_[l], audio.values_[l], audio.frames_);
        add_output(layer.cross_out, input(mixed_));
        feed_forward(layer, normalised(layer.feed_norm));
        add_output(layer.outer, input(inner_));
    }
    normalise(weights_->last_norm);
    return normal_;
}

void Decoder::self_attention(const Layer& layer, const Input& x, projection::Aligned<float>& keys,
                             projection::Aligned<float>& values, std::size_t positions, std::size_t length) {
    const auto total = length + rows_;
    const auto head_panels = head_dim_ / panel_width;
    const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim_));
    spread(static_cast<std::size_t>(weights_->heads), [&](std::size_t head, Scratch& s) {
        const auto linear = [&](const Matrix& matrix, std::vector<float>& out) {
            out.resize(rows_ * head_dim_);
            matrix.apply(kernels_, head * head_panels, head_panels, x, rows_, out.data(), head_dim_);
        };
        float* head_keys = keys.data() + head * positions * head_dim_;
        float* head_values = values.data() + head * positions * head_dim_;
        linear(layer.key, s.fresh);
        for (std::size_t row = 0; row < rows_; ++row) {
            const auto at = length + row;
            float* to = head_keys + at / panel_width * head_dim_ * panel_width + at % panel_width;
            for (std::size_t i = 0; i < head_dim_; ++i)
                to[i * panel_width] = s.fresh[row * head_dim_ + i];
        }
        linear(layer.value, s.fresh);
        for (std::size_t row = 0; row < rows_; ++row) {
            for (std::size_t i = 0; i < head_dim_; ++i)
                head_values[(i / panel_width * positions + length + row) * panel_width + i % panel_width] =
                    s.fresh[row * head_dim_ + i];
        }
        linear(layer.query, s.query);
        for (auto& value : s.query)
            value *= scale;
        const auto columns = padded(total);
        s.scores.resize(rows_ * columns);
        kernels_.floats(head_keys, head_dim_ * panel_width, columns / panel_width, head_dim_, s.query.data(),
                        head_dim_, rows_, s.scores.data(), columns);
        for (std::size_t row = 0; row < rows_; ++row) {
            float* scores = s.scores.data() + row * columns;
            const auto seen = length + row + 1;
            softmax(scores, seen);
            std::fill(scores + seen, scores + columns, 0.0F);
        }
        kernels_.floats(head_values, positions * panel_width, head_panels, total, s.scores.data(), columns,
                        rows_, mixed_.data() + head * head_dim_, width_);
    });
}

void Decoder::cross_attention(const Layer& layer, const Input& x, const Audio::Panels& keys,
                              const Audio::Panels& values, std::size_t frames) {
    const auto head_panels = head_dim_ / panel_width;
    const auto columns = padded(frames);
    const float scale = 1.0F / std::sqrt(static_cast<float>(head_dim_));
    spread(static_cast<std::size_t>(weights_->heads), [&](std::size_t head, Scratch& s) {
        s.query.resize(rows_ * head_dim_);
        layer.cross_query.apply(kernels_, head * head_panels, head_panels, x, rows_, s.query.data(),
                                head_dim_);
        for (auto& value : s.query)
            value *= scale;
        s.scores.resize(rows_ * columns);
        keys.multiply(kernels_, head * columns * head_dim_, head_dim_ * panel_width, columns / panel_width,
                      head_dim_, s.query.data(), head_dim_, rows_, s.scores.data(), columns);
        for (std::size_t row = 0; row < rows_; ++row)
            softmax(s.scores.data() + row * columns, frames);
        values.multiply(kernels_, head * frames * head_dim_, frames * panel_width, head_panels, frames,
                        s.scores.data(), columns, rows_, mixed_.data() + head * head_dim_, width_);
    });
}

/// x += matrix·from
void Decoder::add_output(const Matrix& matrix, const Input& from) {
    const auto tasks = (matrix.panels() + panels_of_a_task - 1) / panels_of_a_task;
    spread(tasks, [&](std::size_t task, Scratch& s) {
        const auto first = task * panels_of_a_task;
        const auto count = std::min(panels_of_a_task, matrix.panels() - first);
        const auto part = count * panel_width;
        s.fresh.resize(rows_ * part);
        matrix.apply(kernels_, first, count, from, rows_, s.fresh.data(), part);
        for (std::size_t row = 0; row < rows_; ++row) {
            float* to = x_.data() + row * width_ + first * panel_width;
            for (std::size_t i = 0; i < part; ++i)
                to[i] += s.fresh[row * part + i];
        }
    });
}

/// inner = gelu(layer.inner·x)
void Decoder::feed_forward(const Layer& layer, const Input& x) {
    const auto& matrix = layer.inner;
    inner_.resize(rows_ * matrix.outputs());
    const auto tasks = (matrix.panels() + panels_of_a_task - 1) / panels_of_a_task;
    spread(tasks, [&](std::size_t task, Scratch&) {
        const auto first = task * panels_of_a_task;
        const auto count = std::min(panels_of_a_task, matrix.panels() - first);
        float* out = inner_.data() + first * panel_width;
        matrix.apply(kernels_, first, count, x, rows_, out, matrix.outputs());
        for (std::size_t row = 0; row < rows_; ++row)
            apply_gelu(weights_->gelu, out + row * matrix.outputs(), count * panel_width);
    });
}

}  // namespace as2d::decoder
