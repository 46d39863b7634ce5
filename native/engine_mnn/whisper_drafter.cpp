#include "engine_mnn/whisper_drafter.hpp"

#include "core/errors.hpp"
#include "engine_mnn/placement.hpp"
#include "projection/softmax.hpp"

#include <algorithm>
#include <cmath>

namespace as2d::mnn {

namespace {

constexpr auto image = projection::Image::nibbles;  // half the bytes; a draft may err

std::shared_ptr<const WhisperManifest> load_drafter_manifest(const std::string& folder) {
    auto manifest = std::make_shared<const WhisperManifest>(models::read_whisper_manifest(folder));
    if (!manifest->languages.empty()) {
        throw EngineError("'" + manifest->name +
                          "' speaks several languages; a Whisper drafter must know only one");
    }
    return manifest;
}

}  // namespace

WhisperDrafterModel::WhisperDrafterModel(const std::string& folder, int threads, int shared_threads,
                                         std::shared_ptr<const TextEncoder> vocabulary, std::vector<int> cpus)
    : manifest_(load_drafter_manifest(folder)),
      vocabulary_(std::move(vocabulary)),
      cpus_(std::move(cpus)),
      shared_(std::make_unique<WhisperNetwork>(
          manifest_, std::make_shared<projection::Team>(shared_threads, cpus_), nullptr, image,
          has_own_pool(cpus_) ? cpus_ : std::vector<int>())) {
    if (threads != shared_threads || !cpus_.empty())
        alone_ = std::make_unique<WhisperNetwork>(manifest_, common_team(threads), shared_.get(), image);
    text_ = projection::forbid(manifest_->vocab, manifest_->suppress);
    auto begin = manifest_->suppress;
    begin.insert(begin.end(), manifest_->suppress_begin.begin(), manifest_->suppress_begin.end());
    text_begin_ = projection::forbid(manifest_->vocab, begin);
}

bool WhisperDrafterModel::can(std::string_view task, std::string_view language) const {
    const auto& tasks = manifest_->declared_tasks;
    const auto& languages = manifest_->declared_languages;
    return std::find(tasks.begin(), tasks.end(), task) != tasks.end() &&
           std::find(languages.begin(), languages.end(), language) != languages.end();
}

projection::BestTwo WhisperDrafterModel::best_two(WhisperNetwork& network, std::span<const float> states,
                                                  bool first) const {
    const auto state = states.last(static_cast<std::size_t>(manifest_->width));
    projection::BestTwo two;
    const projection::Question question{state, first ? text_begin_ : text_, true};
    network.projection().best_two(std::span(&question, 1), std::span(&two, 1));
    return two;
}

float probability(const projection::BestTwo& two) {
    return static_cast<float>(std::min(1.0, std::exp(two.best_logit - two.log_sum)));
}

WhisperDrafter::WhisperDrafter(WhisperDrafterModel& model, const AudioState& audio)
    : model_(model),
      audio_(audio),
      cache_(model.manifest()),
      history_({model.manifest().start, model.manifest().no_timestamps}),
      prompt_(history_.size()) {}

DraftPiece WhisperDrafter::step() {
    const auto& manifest = model_.manifest();
    auto& network = model_.network(target_running_);
    DraftPiece piece;
    const auto run = static_cast<std::size_t>(cache_.length());
    piece.width = static_cast<int>(history_.size() - run);
    std::span<const float> states;
    for (auto pending = std::span<const Token>(history_).subspan(run); !pending.empty();) {
        const auto count = std::min<std::size_t>(pending.size(), widest_call);
        states = network.decode(pending.first(count), audio_, cache_);
        pending = pending.subspan(count);
    }
    const auto said = std::span<const Token>(history_).subspan(prompt_);
    const auto two = model_.best_two(network, states, said.empty());
    piece.confidence = probability(two);
    const bool ended = two.best == manifest.end;
    const bool repeats = !ended && repetition_.push(said, two.best);
    piece.end_of_text = ended || repeats || static_cast<int>(said.size()) + 1 >= manifest.token_limit;
    if (!ended) {
        piece.text = model_.vocabulary().bytes(two.best);
        history_.push_back(two.best);
    }
    return piece;
}

void WhisperDrafter::restart(std::string_view text) {
    // Its own tokens are kept as far as they spell the text; the rest is encoded anew.
    auto kept = prompt_;
    for (; kept < history_.size(); ++kept) {
        const auto bytes = model_.vocabulary().bytes(history_[kept]);
        if (bytes.empty() || !text.starts_with(bytes)) break;
        text.remove_prefix(bytes.size());
    }
    history_.resize(kept);
    const auto rest = model_.vocabulary().encode(text);
    history_.insert(history_.end(), rest.begin(), rest.end());
    // The last token must be run, so that there is a row to choose from.
    cache_.truncate(static_cast<int>(std::min(kept, history_.size() - 1)));
    repetition_ = {};
    for (auto i = prompt_; i < history_.size(); ++i)
        repetition_.push(std::span<const Token>(history_).subspan(prompt_, i - prompt_), history_[i]);
}

}  // namespace as2d::mnn
