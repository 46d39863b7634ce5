#include "engine_mnn/whisper_drafter.hpp"

#include "core/errors.hpp"
#include "engine_mnn/row_scan.hpp"

#include <algorithm>
#include <cmath>

namespace as2d::mnn {

namespace {

std::shared_ptr<const WhisperManifest> load_drafter_manifest(const std::string& folder) {
    auto manifest = std::make_shared<const WhisperManifest>(models::read_whisper_manifest(folder));
    if (!manifest->languages.empty()) {
        throw EngineError("'" + manifest->name +
                          "' speaks several languages; a Whisper drafter must know only one");
    }
    return manifest;
}

}  // namespace

WhisperDrafterModel::WhisperDrafterModel(const std::string& folder, int threads,
                                         std::shared_ptr<const TextEncoder> own_vocabulary)
    : manifest(load_drafter_manifest(folder)),
      vocabulary(std::move(own_vocabulary)),
      network(manifest, threads, nullptr) {
    text = forbid(manifest->vocab, manifest->suppress);
    auto begin = manifest->suppress;
    begin.insert(begin.end(), manifest->suppress_begin.begin(), manifest->suppress_begin.end());
    text_begin = forbid(manifest->vocab, begin);
}

bool WhisperDrafterModel::can(std::string_view task, std::string_view language) const {
    const auto& tasks = manifest->declared_tasks;
    const auto& languages = manifest->declared_languages;
    return std::find(tasks.begin(), tasks.end(), task) != tasks.end() &&
           std::find(languages.begin(), languages.end(), language) != languages.end();
}

WhisperDrafter::WhisperDrafter(WhisperDrafterModel& model, const AudioState& audio)
    : model_(model),
      audio_(audio),
      cache_(*model.manifest),
      pending_({model.manifest->start, model.manifest->no_timestamps}) {}

DraftPiece WhisperDrafter::step() {
    const auto vocab = static_cast<std::size_t>(model_.manifest->vocab);
    const auto logits = model_.network.decode(pending_, audio_, cache_);
    const auto row = logits.last(vocab);
    const auto& bias = drafted_.empty() ? model_.text_begin : model_.text;
    const auto two = best_two(row, bias);
    DraftPiece piece;
    piece.confidence = std::exp(two.best_logit - log_sum_exp(row, bias));
    const bool ended = two.best == model_.manifest->end;
    const bool repeats = !ended && repetition_.push(drafted_, two.best);
    if (!ended) {
        piece.text = model_.vocabulary->bytes(two.best);
        drafted_.push_back(two.best);
    }
    piece.end_of_text = ended || repeats || static_cast<int>(drafted_.size()) >= model_.manifest->token_limit;
    pending_.assign(1, two.best);
    return piece;
}

}  // namespace as2d::mnn
