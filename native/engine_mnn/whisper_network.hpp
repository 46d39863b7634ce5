#pragma once

#include "core/target.hpp"
#include "decoder/decoder.hpp"
#include "engine_mnn/graph.hpp"
#include "models/whisper_manifest.hpp"
#include "projection/projection.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace as2d::mnn {

using models::WhisperManifest;

inline constexpr int sample_rate = 16000;
inline constexpr int widest_call = 32;  ///< most tokens (K) of one forward call

/// What the decoder attends to: the cross-attention keys and values of one audio window.
struct AudioState {
    /// xk0, xv0, xk1, …: [1,heads,frames,head_dim] and [1,heads,head_dim,frames], for MNN's graphs
    std::vector<Variable> cross;
    std::shared_ptr<const decoder::Audio> packed;  ///< the same for a decoder of our own
    int frames = 0;                                ///< encoder positions, 50 a second
    int samples = 0;                               ///< audio samples before padding
};

/// Self-attention keys and values of the tokens run so far, as the model's decoder wants them.
/// The capacity depends on `length` alone, so that every method sees the same shapes at the same position.
class KeyValueCache {
  public:
    explicit KeyValueCache(const WhisperManifest& manifest);
    /// Copies what is stored.
    KeyValueCache(const KeyValueCache& other);
    KeyValueCache& operator=(const KeyValueCache&) = delete;

    int length() const { return length_; }
    void truncate(int length);

    /// Of a decoder of our own: what `Decoder::run` appends to; `advance` tells how much.
    decoder::History& history() { return *history_; }
    void advance(int count) { length_ += count; }

    // Of MNN's graphs.
    int capacity() const { return capacity_; }
    /// Makes room for the widest call after `length()` tokens.
    void reserve();
    /// Appends the new keys and values of a call, `count` positions in each of `fresh` (nk0, nv0, …).
    void append(std::span<const Variable> fresh, int count);
    const std::vector<Variable>& variables() const { return variables_; }

  private:
    int heads_;
    int head_dim_;
    int layers_;
    int length_ = 0;
    std::optional<decoder::History> history_;
    int capacity_ = 0;
    std::vector<Variable> variables_;  // pk0, pv0, pk1, …: [1,heads,capacity,head_dim]
};

/// The graphs of one Whisper model for one thread setting.
class WhisperNetwork {
  public:
    /// @param base the same model with another thread count, whose weights are shared, or null.
    /// @param cpus as in `ComputeSetting`
    WhisperNetwork(std::shared_ptr<const WhisperManifest> manifest, int threads, const WhisperNetwork* base,
                   std::vector<int> cpus = {});

    int threads() const { return threads_; }
    std::string backend_name() const;
    const WhisperManifest& manifest() const { return *manifest_; }

    /// Log-mel and encoder.
    /// @param pcm 16 kHz mono samples in [-1, 1], at most the model's window
    /// @returns states [1,frames,width]; frames cover the whole window unless the model cuts to the audio
    Variable encode(std::span<const float> pcm);
    /// Cross-attention keys and values of encoder states.
    AudioState project(const Variable& states, int samples);

    /// Runs `tokens` after the cache's length and appends them to it.
    /// @returns hidden states behind the last layer [K][width], valid until the next call
    std::span<const float> decode(std::span<const Token> tokens, const AudioState& audio,
                                  KeyValueCache& cache);

    /// The vocabulary projection of hidden states, on as many threads.
    projection::Projection& projection() { return *projection_; }

    /// Cross-attention of the alignment heads for a whole text in one teacher-forced pass.
    /// @returns [heads][tokens][frames], softmax weights
    std::vector<float> attention(std::span<const Token> tokens, const AudioState& audio);

  private:
    struct Width {
        Graph graph;
        Variable embedded;  // [1,K,width]
        Variable mask;      // [1,1,K,capacity+K]
        int capacity = -1;
        int masked_length = -1;
    };

    Width& width_slot(int k);
    std::span<const float> decode_by_graph(std::span<const Token> tokens, const AudioState& audio,
                                           KeyValueCache& cache);
    void embed(std::span<const Token> tokens, int position, float* out) const;

    std::shared_ptr<const WhisperManifest> manifest_;
    int threads_;
    std::vector<int> cpus_;
    std::map<bool, std::shared_ptr<ComputeRuntime>> runtimes_;
    std::shared_ptr<const std::vector<std::uint16_t>> embeddings_;  // float16 [vocab,width]
    std::shared_ptr<const std::vector<float>> positions_;           // [text_positions,width]
    std::shared_ptr<const std::vector<float>> encoder_positions_;   // [audio_positions,width]
    std::optional<Graph> encoder_;
    std::optional<Graph> cross_;
    std::optional<decoder::Decoder> decoder_;  // of weights that are computed as floating-point numbers
    std::optional<Graph> decoder_graph_;       // of weights that are computed in integers
    std::optional<Graph> words_;  // loaded at its first use: it holds the decoder's layers once more
    std::map<int, Width> widths_;
    Variable hidden_;  // keeps the last call's states alive
    std::vector<float> embedded_;
    std::optional<projection::Projection> projection_;

    std::shared_ptr<ComputeRuntime> runtime_for(bool integers);
};

}  // namespace as2d::mnn
