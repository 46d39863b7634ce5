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
struct WhisperDrafterModel {
    /// @param threads of its encoder and its steps
    /// @param vocabulary the drafter's own
    /// @throws EngineError when the folder can't be used or the model speaks several languages.
    WhisperDrafterModel(const std::string& folder, int threads,
                        std::shared_ptr<const TextEncoder> vocabulary);

    /// Whether its manifest declares this task in this language.
    bool can(std::string_view task, std::string_view language) const;

    std::shared_ptr<const WhisperManifest> manifest;
    std::shared_ptr<const TextEncoder> vocabulary;
    WhisperNetwork network;
    std::vector<float> text;        // allowed tokens, as for `best_two`
    std::vector<float> text_begin;  // the same at the first position
};

/// Drafts one window on its own greedy history.
class WhisperDrafter final : public Drafter {
  public:
    WhisperDrafter(WhisperDrafterModel& model, const AudioState& audio);

    bool can(std::string_view task, std::string_view language) const override {
        return model_.can(task, language);
    }
    DraftPiece step() override;

  private:
    WhisperDrafterModel& model_;
    const AudioState& audio_;
    KeyValueCache cache_;
    std::vector<Token> pending_;  // tokens not run yet: the prompt, then the last token
    std::vector<Token> drafted_;
    RepetitionStop repetition_;  // a looping drafter would only keep the target from its second core
};

}  // namespace as2d::mnn
