// A Whisper decoder's layers, in binary32 or with 8-bit weights, whose results depend neither on how many
// tokens a call carries nor on threads: scalar and wide calls give the same hidden states, bit for bit.
#pragma once

#include "decoder/kernels.hpp"
#include "decoder/matrix.hpp"
#include "decoder/pointwise.hpp"
#include "decoder/quantised_rows.hpp"
#include "projection/rows.hpp"
#include "projection/team.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace as2d::decoder {

struct Layer {
    Norm self_norm;
    Matrix query, key, value, out;  // [width][width]
    Norm cross_norm;
    Matrix cross_query, cross_out;  // [width][width]
    Norm feed_norm;
    Matrix inner;  // [inner width][width]
    Matrix outer;  // [width][inner width]
};

struct Weights {
    int heads = 0;
    int head_dim = 0;  ///< a multiple of `panel_width`
    std::vector<Layer> layers;
    Norm last_norm;
    Gelu gelu = precise_gelu;

    int width() const { return heads * head_dim; }
    /// Inputs of a block of 8-bit weights, as `Matrix::block`; 0 for weights in floating point.
    /// @throws EngineError when the matrices differ in this
    std::size_t block() const;
};

/// Keys and values of one audio window, in panels: for weights in 8 bits rounded to binary16, which halves
/// what a call reads of them.
class Audio {
  public:
    /// @param keys of each layer, [heads][frames][head_dim]
    /// @param values of each layer, [heads][head_dim][frames]
    Audio(const Weights& weights, std::span<const float* const> keys, std::span<const float* const> values,
          int frames, const Kernels& kernels = best_kernels());

  private:
    friend class Decoder;

    struct Panels {  // one of both is empty
        projection::Aligned<float> floats;
        projection::Aligned<std::uint16_t> halves;

        /// `Multiply` with the panels from value `at` on.
        void multiply(const Kernels& kernels, std::size_t at, std::size_t panel_stride, std::size_t panels,
                      std::size_t depth, const float* x, std::size_t x_stride, std::size_t rows, float* out,
                      std::size_t out_stride) const;
    };

    std::size_t frames_;
    std::vector<Panels> keys_;    // [heads][panel of frames][head_dim][panel_width]
    std::vector<Panels> values_;  // [heads][panel of head_dim][frames][panel_width]
};

/// Keys and values of the text positions run so far, in panels. What lies behind the positions in use may be
/// anything that was run once: who rolls back only counts fewer.
class History {
  public:
    History(int layers, int heads, int head_dim, int positions);

  private:
    friend class Decoder;
    std::size_t positions_;                         // a multiple of panel_width
    std::vector<projection::Aligned<float>> keys_;  // as in Audio, with positions instead of frames
    std::vector<projection::Aligned<float>> values_;
};

/// Runs tokens through the layers. Called by one thread at a time.
class Decoder {
  public:
    Decoder(std::shared_ptr<const Weights> weights, std::shared_ptr<projection::Team> team,
            Kernels kernels = best_kernels());

    const std::shared_ptr<const Weights>& weights() const { return weights_; }

    /// @param embedded token and position embeddings, [rows][width]
    /// @param length positions of `history` that count; the rows become the next ones
    /// @returns hidden states [rows][width], valid until the next call
    std::span<const float> run(std::span<const float> embedded, const Audio& audio, History& history,
                               int length);

  private:
    struct Scratch {  // of one thread
        std::vector<float> query, fresh, scores;
    };
    using Task = std::function<void(std::size_t task, Scratch& scratch)>;

    void spread(std::size_t tasks, const Task& task);
    Input input(const std::vector<float>& values);
    void normalise(const Norm& norm);
    Input normalised(const Norm& norm);
    void self_attention(const Layer& layer, const Input& x, projection::Aligned<float>& keys,
                        projection::Aligned<float>& values, std::size_t positions, std::size_t length);
    void cross_attention(const Layer& layer, const Input& x, const Audio::Panels& keys,
                         const Audio::Panels& values, std::size_t frames);
    void add_output(const Matrix& matrix, const Input& from);
    void feed_forward(const Layer& layer, const Input& x);

    std::shared_ptr<const Weights> weights_;
    std::shared_ptr<projection::Team> team_;
    Kernels kernels_;
    std::size_t rows_ = 0;
    std::size_t width_;
    std::size_t head_dim_;
    std::size_t block_;
    std::vector<Scratch> scratch_;
    QuantisedRows quantised_;
    std::vector<float> x_;       // [rows][width], the residual stream
    std::vector<float> normal_;  // [rows][width]
    std::vector<float> mixed_;   // [rows][width], attention's
    std::vector<float> inner_;   // [rows][inner width]
};

}  // namespace as2d::decoder
