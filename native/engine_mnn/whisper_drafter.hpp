#pragma once

#include "core/drafter.hpp"
#include "core/rules.hpp"
#include "core/text_encoder.hpp"
#include "engine_mnn/whisper_network.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace as2d::mnn {

/// A loaded Whisper model that drafts: weights and vocabulary, shared by the drafts of all windows.
class WhisperDrafterModel {
  public:
    /// @param threads of its steps while the target waits
    /// @param shared_threads of its encoder and its steps while the target may compute
    /// @param vocabulary the drafter's own
    /// @param cpus of its threads while the target may compute; empty: any
    /// @throws EngineError when the folder can't be used or the model speaks several languages.
    WhisperDrafterModel(const std::string& folder, int threads, int shared_threads,
                        std::shared_ptr<const TextEncoder> vocabulary, std::vector<int> cpus = {});

    const WhisperManifest& manifest() const { return *manifest_; }
    const TextEncoder& vocabulary() const { return *vocabulary_; }
    const std::vector<int>& cpus() const { return cpus_; }
    int threads() const { return alone_ ? alone_->threads() : shared_->threads(); }
    int shared_threads() const { return shared_->threads(); }
    std::string backend_name() const { return shared_->backend_name(); }

    /// The network that computes while the target does, or waits.
    WhisperNetwork& network(bool target_running) { return target_running || !alone_ ? *shared_ : *alone_; }

    /// Whether its manifest declares this task in this language.
    bool can(std::string_view task, std::string_view language) const;

    /// The best token behind the last of `states`, [K][width], with the normaliser; `first`: the text begins
    /// with it.
    projection::BestTwo best_two(WhisperNetwork& network, std::span<const float> states, bool first) const;

  private:
    std::shared_ptr<const WhisperManifest> manifest_;
    std::shared_ptr<const TextEncoder> vocabulary_;
    std::vector<int> cpus_;
    std::unique_ptr<WhisperNetwork> shared_;
    std::unique_ptr<WhisperNetwork> alone_;  // null when it would be the same
    std::vector<float> text_;
    std::vector<float> text_begin_;
};

/// The probability of the best token, in [0, 1].
float probability(const projection::BestTwo& two);

/// Drafts one window greedily. A copy goes on from the same history by itself.
class WhisperDrafter final : public Drafter {
  public:
    WhisperDrafter(WhisperDrafterModel& model, const AudioState& audio);

    bool can(std::string_view task, std::string_view language) const override {
        return model_.can(task, language);
    }
    DraftPiece step() override;
    void restart(std::string_view text) override;
    void share_cores(bool target_running) override { target_running_ = target_running; }

  private:
    WhisperDrafterModel& model_;
    const AudioState& audio_;
    KeyValueCache cache_;
    std::vector<Token> history_;  // the prompt, then the text; the cache holds its beginning
    std::size_t prompt_;          // tokens of it
    RepetitionStop repetition_;   // a looping drafter would only keep the target from its second core
    bool target_running_ = true;
};

}  // namespace as2d::mnn
