#include "engine_mnn/whisper_target.hpp"

#include "core/errors.hpp"
#include "projection/softmax.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace as2d::mnn {

namespace {

constexpr auto image = projection::Image::bytes;  // whose bound is proven

std::shared_ptr<const WhisperManifest> load_manifest(const std::string& folder) {
    return std::make_shared<const WhisperManifest>(models::read_whisper_manifest(folder));
}

float margin_of(const projection::BestTwo& two) {
    return two.second < 0 ? std::numeric_limits<float>::infinity()
                          : static_cast<float>(two.best_logit - two.second_logit);
}

}  // namespace

WhisperTarget::WhisperTarget(const std::string& folder, int threads, int shared_threads)
    : manifest_(load_manifest(folder)),
      alone_(std::make_unique<WhisperNetwork>(manifest_, common_team(threads), nullptr, image)),
      cache_(*manifest_) {
    const auto& m = *manifest_;
    if (shared_threads != threads)
        shared_ = std::make_unique<WhisperNetwork>(
            manifest_, std::make_shared<projection::Team>(shared_threads), alone_.get(), image);
    everything_ = projection::forbid(m.vocab, {});
    text_ = projection::forbid(m.vocab, m.suppress);
    auto begin = m.suppress;
    begin.insert(begin.end(), m.suppress_begin.begin(), m.suppress_begin.end());
    text_begin_ = projection::forbid(m.vocab, begin);
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
    auto& network = this->network(producer_running_);
    const auto states = network.decode(tokens, *audio_, cache_);
    const auto width = static_cast<std::size_t>(manifest_->width);
    const auto state_of = [&](std::size_t query) {
        return states.subspan((tokens.size() - queries.size() + query) * width, width);
    };
    questions_.clear();
    for (std::size_t i = 0; i < queries.size(); ++i) {
        if (queries[i].mask != RowMask::language)
            questions_.push_back({state_of(i), bias_of(queries[i].mask), false});
    }
    answers_.resize(questions_.size());
    network.projection().best_two(questions_, answers_);
    auto answer = answers_.begin();
    for (std::size_t i = 0; i < queries.size(); ++i) {
        rows[i] = {};
        if (queries[i].mask == RowMask::language) {
            answer_language(state_of(i), queries[i], rows[i]);
        } else {
            rows[i].best = answer->best;
            rows[i].second = answer->second;
            rows[i].margin = margin_of(*answer);
            ++answer;
        }
        add_probabilities(state_of(i), queries[i], rows[i]);
    }
}

std::span<const float> WhisperTarget::bias_of(RowMask mask) const {
    return mask == RowMask::text_begin ? text_begin_ : text_;
}

void WhisperTarget::answer_language(std::span<const float> state, const RowQuery& query, Row& row) {
    const auto& projection = network(producer_running_).projection();
    projection::BestTwo two;
    std::vector<double> logits;
    for (const auto token : language_tokens_) {
        logits.push_back(projection.logit(state, token));
        projection::take_better(two, token, logits.back());
    }
    if (two.best < 0) throw EngineError("the model knows no language tokens");
    row.best = two.best;
    row.second = two.second;
    row.margin = margin_of(two);
    if (!query.log_prob) return;
    double sum = 0.0;
    for (const double logit : logits)
        sum += std::exp(logit - two.best_logit);
    row.log_prob = static_cast<float>(-std::log(sum));
}

void WhisperTarget::add_probabilities(std::span<const float> state, const RowQuery& query, Row& row) {
    const bool log_prob = query.log_prob && query.mask != RowMask::language;
    if (!log_prob && query.probe == kNoToken) return;
    logits_.resize(static_cast<std::size_t>(manifest_->vocab));
    network(producer_running_).projection().logits(state, logits_);
    const auto logit = [&](Token token) { return logits_[static_cast<std::size_t>(token)]; };
    if (log_prob) row.log_prob = logit(row.best) - projection::log_sum_exp(logits_, bias_of(query.mask));
    if (query.probe != kNoToken)
        row.probe_prob = std::exp(logit(query.probe) - projection::log_sum_exp(logits_, everything_));
}

}  // namespace as2d::mnn
