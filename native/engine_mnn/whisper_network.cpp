#include "engine_mnn/whisper_network.hpp"

#include "core/errors.hpp"
#include "engine_mnn/decoder_weights.hpp"
#include "projection/half.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

namespace as2d::mnn {

namespace {

using models::map_table;

constexpr int hop = 160;
constexpr int half_fft = 200;
constexpr int frames_per_position = 2;
// Whisper hears the end of speech better with a little silence behind it; a cut encoder keeps half a second.
constexpr int silence_after_cut = 50;

/// Mel frames to compute for a recording: the whole window, or an even number that covers the audio.
int mel_frames(const WhisperManifest& manifest, std::size_t samples) {
    const int whole = manifest.audio_positions * frames_per_position;
    if (!manifest.cut_to_audio) return whole;
    const auto needed = static_cast<int>((samples + hop - 1) / hop) + silence_after_cut;
    return std::min(whole, (needed + 15) / 16 * 16);
}

/// `pcm` padded with zeros to its window and reflected at both ends, as a centred STFT wants it.
void pad_reflect(std::span<const float> pcm, int frames, float* out) {
    const auto window = static_cast<std::size_t>(frames) * hop;
    const auto total = window + 2 * half_fft - hop;
    const auto sample = [&](std::size_t index) { return index < pcm.size() ? pcm[index] : 0.0F; };
    for (std::size_t i = 0; i < half_fft; ++i)
        out[i] = sample(half_fft - i);
    for (std::size_t i = 0; i < window; ++i)
        out[half_fft + i] = sample(i);
    for (std::size_t i = half_fft + window; i < total; ++i)
        out[i] = sample(2 * window - 2 + half_fft - i);
}

std::vector<std::string> cross_names(int layers) {
    std::vector<std::string> names;
    for (int l = 0; l < layers; ++l) {
        names.push_back("xk" + std::to_string(l));
        names.push_back("xv" + std::to_string(l));
    }
    return names;
}

}  // namespace

KeyValueCache::KeyValueCache(const WhisperManifest& manifest)
    : history_(manifest.layers, manifest.heads, manifest.head_dim, manifest.text_positions) {}

std::shared_ptr<projection::Team> common_team(int threads) {
    static std::mutex mutex;
    static std::map<int, std::weak_ptr<projection::Team>> teams;
    const std::lock_guard lock(mutex);
    auto team = teams[threads].lock();
    if (!team) teams[threads] = team = std::make_shared<projection::Team>(threads);
    return team;
}

WhisperNetwork::WhisperNetwork(std::shared_ptr<const WhisperManifest> manifest,
                               std::shared_ptr<projection::Team> team, const WhisperNetwork* base,
                               projection::Image image, std::vector<int> cpus)
    : manifest_(std::move(manifest)), threads_(team->size()), cpus_(std::move(cpus)) {
    const auto& m = *manifest_;
    const auto width = static_cast<std::size_t>(m.width);
    if (base != nullptr) {
        embeddings_ = base->embeddings_;
        positions_ = base->positions_;
        encoder_positions_ = base->encoder_positions_;
    } else {
        embeddings_ =
            map_table<std::uint16_t>(m.file("embeddings"), static_cast<std::size_t>(m.vocab) * width);
        positions_ =
            map_table<float>(m.file("positions"), static_cast<std::size_t>(m.text_positions) * width);
        encoder_positions_ = map_table<float>(m.file("encoder_positions"),
                                              static_cast<std::size_t>(m.audio_positions) * width);
    }
    projection_.emplace(base != nullptr ? base->projection_->shared_rows()
                                        : std::make_shared<const projection::Rows>(
                                              projection::Halves{embeddings_.file, embeddings_.values},
                                              m.vocab, m.width, image),
                        team);
    // MNN reads its graphs' files itself: it keeps their weights in an order of its own, which no file has.
    const auto graph = [&](const std::string& role, std::vector<std::string> inputs,
                           std::vector<std::string> outputs, const std::optional<Graph>* shared) {
        const Graph* weights = shared == nullptr || !shared->has_value() ? nullptr : &**shared;
        return Graph(m.file(role), std::move(inputs), std::move(outputs),
                     runtime_for(m.computes_in_integers(role)), weights);
    };
    encoder_ =
        graph("encoder", {"pcm", "positions"}, {"states"}, base == nullptr ? nullptr : &base->encoder_);
    cross_ = graph("cross", {"states"}, cross_names(m.layers), base == nullptr ? nullptr : &base->cross_);
    decoder_.emplace(base != nullptr ? base->decoder_->weights() : read_decoder_weights(m.file("decoder"), m),
                     team);
}

std::shared_ptr<ComputeRuntime> WhisperNetwork::runtime_for(bool integers) {
    auto& slot = runtimes_[integers];
    if (!slot) slot = std::make_shared<ComputeRuntime>(ComputeSetting{threads_, integers, cpus_});
    return slot;
}

std::string WhisperNetwork::backend_name() const { return runtimes_.begin()->second->backend_name(); }

Variable WhisperNetwork::encode(std::span<const float> pcm) {
    const auto& m = *manifest_;
    const int frames = mel_frames(m, pcm.size());
    const int positions = frames / frames_per_position;
    const auto window = static_cast<std::size_t>(frames) * hop;
    const std::array<int, 3> pcm_shape = {1, 1, frames * hop + 2 * half_fft - hop};
    const std::array<int, 3> position_shape = {1, positions, m.width};
    auto padded = make_input(pcm_shape);
    pad_reflect(pcm.first(std::min(pcm.size(), window)), frames, write(padded));
    auto table = make_input(position_shape);
    std::copy_n(encoder_positions_.values.begin(), static_cast<std::size_t>(positions * m.width),
                write(table));
    auto states = encoder_->run({padded, table}).front();
    read(states);
    return states;
}

AudioState WhisperNetwork::project(const Variable& states, int samples) {
    AudioState state;
    state.frames = extent(states, 1);
    state.samples = samples;
    const auto outputs = cross_->run({states});
    std::vector<const float*> keys;
    std::vector<const float*> values;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        (i % 2 == 0 ? keys : values).push_back(read(outputs[i]));
    state.packed = std::make_shared<const decoder::Audio>(*decoder_->weights(), keys, values, state.frames);
    if (!manifest_->files.contains("words")) return state;
    for (const auto& output : outputs) {
        const auto shape = output->getInfo()->dim;
        auto kept = make_input(shape);
        std::copy_n(read(output), element_count(output), write(kept));
        state.cross.push_back(std::move(kept));
    }
    return state;
}

void WhisperNetwork::embed(std::span<const Token> tokens, int position, float* out) const {
    const auto width = static_cast<std::size_t>(manifest_->width);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto* row = embeddings_.values.data() + static_cast<std::size_t>(tokens[i]) * width;
        const auto* place = positions_.values.data() + (static_cast<std::size_t>(position) + i) * width;
        for (std::size_t j = 0; j < width; ++j)
            out[i * width + j] = projection::half_to_float(row[j]) + place[j];
    }
}

std::span<const float> WhisperNetwork::decode(std::span<const Token> tokens, const AudioState& audio,
                                              KeyValueCache& cache) {
    const int k = static_cast<int>(tokens.size());
    if (k < 1 || k > widest_call) throw EngineError("a call must carry 1 to 32 tokens");
    if (cache.length() + k > manifest_->text_positions)
        throw EngineError("the text is longer than the model allows");
    embedded_.resize(tokens.size() * static_cast<std::size_t>(manifest_->width));
    embed(tokens, cache.length(), embedded_.data());
    const auto states = decoder_->run(embedded_, *audio.packed, cache.history(), cache.length());
    cache.advance(k);
    return states;
}

std::vector<float> WhisperNetwork::attention(std::span<const Token> tokens, const AudioState& audio) {
    if (!words_) {
        auto names = cross_names(manifest_->layers);
        names.insert(names.begin(), {"x", "mask"});
        words_ = Graph(manifest_->file("words"), names, {"attention"},
                       runtime_for(manifest_->computes_in_integers("words")));
    }
    const int count = static_cast<int>(tokens.size());
    const std::array<int, 3> shape = {1, count, manifest_->width};
    const std::array<int, 4> mask_shape = {1, 1, count, count};
    auto embedded = make_input(shape);
    embed(tokens, 0, write(embedded));
    auto mask = make_input(mask_shape);
    float* values = write(mask);
    for (int row = 0; row < count; ++row) {
        for (int column = 0; column < count; ++column) {
            values[row * count + column] = column <= row ? 0.0F : std::numeric_limits<float>::lowest();
        }
    }
    std::vector<Variable> inputs = {embedded, mask};
    inputs.insert(inputs.end(), audio.cross.begin(), audio.cross.end());
    const auto outputs = words_->run(inputs);
    const float* weights = read(outputs.front());
    return {weights, weights + element_count(outputs.front())};
}

}  // namespace as2d::mnn
