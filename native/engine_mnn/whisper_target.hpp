#pragma once

#include "core/clock.hpp"
#include "core/rules.hpp"
#include "core/target.hpp"
#include "engine_mnn/whisper_network.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace as2d::mnn {

/// What the self-test of the margin guard found.
struct SelfTest {
    float logit_gap = 0.0F;            ///< g: largest difference of a logit, wide against scalar histories
    int positions = 0;                 ///< rows compared
    std::vector<int> widths;           ///< K of the histories, each alone and all mixed
    std::vector<int> thread_settings;  ///< thread counts that were mixed
};

/// A Whisper model as target: one KV cache, one bound window, two thread settings over the same weights.
class WhisperTarget final : public Target {
  public:
    /// @param threads while the target has the cores alone
    /// @param shared_threads while a producer runs
    /// @throws EngineError when the folder can't be used.
    WhisperTarget(const std::string& folder, int threads, int shared_threads);

    const WhisperManifest& manifest() const { return *manifest_; }
    int threads() const { return alone_->threads(); }
    int shared_threads() const { return shared_ ? shared_->threads() : alone_->threads(); }
    std::string backend_name() const { return alone_->backend_name(); }
    TargetRules rules() const;

    /// The network that computes with the cores alone or shared; for encoder and word times.
    WhisperNetwork& network(bool producer_running);

    /// Decodes this window from now on; the KV cache is emptied. The state must outlive the binding.
    void bind(const AudioState& audio);
    void unbind() { audio_ = nullptr; }

    int length() const override { return cache_.length(); }
    void truncate(int length) override { cache_.truncate(length); }
    void forward(std::span<const Token> tokens, std::span<const RowQuery> queries,
                 std::span<Row> rows) override;
    void share_cores(bool producer_running) override { producer_running_ = producer_running; }
    float logit_gap() const override { return logit_gap_; }
    void set_logit_gap(float gap) { logit_gap_ = gap; }
    /// Threads of the calls that are made now.
    int threads_in_use() const { return producer_running_ ? shared_threads() : threads(); }

    /// Measures g on real audio and uses it from now on. Whole histories are compared: the same text run
    /// token by token and in calls of every width, rejected tails and both thread settings included.
    /// @param pcm 16 kHz mono samples in [-1, 1] with speech
    SelfTest self_test(std::span<const float> pcm, std::string_view language);

  private:
    std::span<const float> bias_of(RowMask mask) const;
    void answer_language(std::span<const float> state, const RowQuery& query, Row& row);
    void add_probabilities(std::span<const float> state, const RowQuery& query, Row& row);
    std::vector<Token> scalar_history(std::vector<Token> prompt, std::vector<float>& states);
    float replay_gap(std::span<const Token> text, std::span<const float> reference,
                     std::span<const int> widths, int pattern);

    std::shared_ptr<const WhisperManifest> manifest_;
    std::unique_ptr<WhisperNetwork> alone_;
    std::unique_ptr<WhisperNetwork> shared_;  // null when both thread counts are equal
    KeyValueCache cache_;
    const AudioState* audio_ = nullptr;
    bool producer_running_ = false;
    float logit_gap_ = 0.0F;
    std::vector<float> everything_;
    std::vector<float> text_;
    std::vector<float> text_begin_;
    std::vector<Token> language_tokens_;
    std::vector<projection::Question> questions_;
    std::vector<projection::BestTwo> answers_;
    std::vector<float> logits_;  // of the one row whose probabilities are asked for
};

}  // namespace as2d::mnn
