#include "engine_mnn/whisper_target.hpp"

#include "core/errors.hpp"
#include "engine_mnn/row_scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace as2d::mnn {

namespace {

std::shared_ptr<const WhisperManifest> load_manifest(const std::string& folder) {
    return std::make_shared<const WhisperManifest>(models::read_whisper_manifest(folder));
}

}  // namespace

WhisperTarget::WhisperTarget(const std::string& folder, int threads, int shared_threads)
    : manifest_(load_manifest(folder)),
      alone_(std::make_unique<WhisperNetwork>(manifest_, threads, nullptr)),
      cache_(*manifest_) {
    const auto& m = *manifest_;
    if (shared_threads != threads)
        shared_ = std::make_unique<WhisperNetwork>(manifest_, shared_threads, alone_.get());
    everything_ = forbid(m.vocab, {});
    text_ = forbid(m.vocab, m.suppress);
    auto begin = m.suppress;
    begin.insert(begin.end(), m.suppress_begin.begin(), m.suppress_begin.end());
    text_begin_ = forbid(m.vocab, begin);
    for (const auto& [code, id] : m.languages)
        language_tokens_.push_back(id);
    std::sort(language_tokens_.begin(), language_tokens_.end());
}

TargetRules WhisperTarget::rules() const {
    const auto& m = *manifest_;
    TargetRules rules;
    rules.start = m.start;
    rules.end = m.end;
    rules.transcribe = m.transcribe;
    rules.translate = m.translate;
    rules.no_timestamps = m.no_timestamps;
    rules.no_speech = m.no_speech;
    for (const auto& [code, id] : m.languages)
        rules.languages[code] = id;
    rules.token_limit = m.token_limit;
    return rules;
}

WhisperNetwork& WhisperTarget::network(bool producer_running) {
    return producer_running && shared_ ? *shared_ : *alone_;
}

void WhisperTarget::bind(const AudioState& audio) {
    audio_ = &audio;
    cache_.truncate(0);
}

void WhisperTarget::forward(std::span<const Token> tokens, std::span<const RowQuery> queries,
                            std::span<Row> rows) {
    if (audio_ == nullptr) throw EngineError("the target was asked to decode without audio");
    const auto logits = network(producer_running_).decode(tokens, *audio_, cache_);
    const auto vocab = static_cast<std::size_t>(manifest_->vocab);
    const auto first = tokens.size() - queries.size();
    for (std::size_t i = 0; i < queries.size(); ++i) {
        rows[i] = answer(logits.subspan((first + i) * vocab, vocab), queries[i]);
    }
}

Row WhisperTarget::answer(std::span<const float> logits, const RowQuery& query) const {
    const auto& bias = query.mask == RowMask::text_begin ? text_begin_ : text_;
    const bool language = query.mask == RowMask::language;
    const auto two = language ? best_two_of(logits, language_tokens_) : best_two(logits, bias);
    Row row;
    row.best = two.best;
    row.second = two.second;
    row.margin = two.second < 0 ? std::numeric_limits<float>::infinity() : two.best_logit - two.second_logit;
    if (query.log_prob && !language) row.log_prob = two.best_logit - log_sum_exp(logits, bias);
    if (query.log_prob && language) {
        double sum = 0.0;
        for (const auto id : language_tokens_) {
            sum += std::exp(static_cast<double>(logits[static_cast<std::size_t>(id)] - two.best_logit));
        }
        row.log_prob = static_cast<float>(-std::log(sum));
    }
    if (query.probe != kNoToken) {
        row.probe_prob =
            std::exp(logits[static_cast<std::size_t>(query.probe)] - log_sum_exp(logits, everything_));
    }
    return row;
}

}  // namespace as2d::mnn
