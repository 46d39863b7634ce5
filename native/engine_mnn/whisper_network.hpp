#pragma once

#include "core/target.hpp"
#include "decoder/decoder.hpp"
#include "engine_mnn/graph.hpp"
#include "models/mapped_file.hpp"
#include "models/whisper_manifest.hpp"
#include "projection/projection.hpp"

#include <algorithm>
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
    std::shared_ptr<const decoder::Audio> packed;
    /// xk0, xv0, xk1, …: [1,heads,frames,head_dim] and [1,heads,head_dim,frames], for word times
    std::vector<Variable> cross;
    int frames = 0;   ///< encoder positions, 50 a second
    int samples = 0;  ///< audio samples before padding
};

/// Self-attention keys and values of the tokens run so far.
class KeyValueCache {
  public:
    explicit KeyValueCache(const WhisperManifest& manifest);

    int length() const { return length_; }
    void truncate(int length) { length_ = std::min(length, length_); }

    /// What `Decoder::run` appends to; `advance` tells how much.
    decoder::History& history() { return history_; }
    void advance(int count) { length_ += count; }

  private:
    int length_ = 0;
    decoder::History history_;
};

/// The team of so many threads for all models that compute with the cores alone, of which one does at a time:
/// no thread of another's team then spins on a core that this one could use.
std::shared_ptr<projection::Team> common_team(int threads);

/// One Whisper model for one thread setting: MNN runs its encoder, the decoder is our own.
class WhisperNetwork {
  public:
    /// @param team that the decoder and the vocabulary projection run on; MNN takes as many threads
    /// @param base the same model with another team, whose weights are shared, or null.
    /// @param image of the vocabulary projection
    /// @param cpus as in `ComputeSetting`
    WhisperNetwork(std::shared_ptr<const WhisperManifest> manifest, std::shared_ptr<projection::Team> team,
                   const WhisperNetwork* base, projection::Image image, std::vector<int> cpus = {});

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
    void embed(std::span<const Token> tokens, int position, float* out) const;

    std::shared_ptr<const WhisperManifest> manifest_;
    int threads_;
    std::vector<int> cpus_;
    std::map<bool, std::shared_ptr<ComputeRuntime>> runtimes_;
    models::Table<std::uint16_t> embeddings_;  // float16 [vocab,width]
    models::Table<float> positions_;           // [text_positions,width]
    models::Table<float> encoder_positions_;   // [audio_positions,width]
    std::optional<Graph> encoder_;
    std::optional<Graph> cross_;
    std::optional<decoder::Decoder> decoder_;
    std::optional<Graph> words_;  // loaded at its first use: it holds the decoder's layers once more
    std::vector<float> embedded_;
    std::optional<projection::Projection> projection_;

    std::shared_ptr<ComputeRuntime> runtime_for(bool integers);
};

}  // namespace as2d::mnn
