#include "scripted/scripted_target.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "core/errors.hpp"

namespace as2d {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6U) + (a >> 2U));
    x ^= x >> 33U;
    x *= 0xFF51AFD7ED558CCDULL;
    return x ^ (x >> 29U);
}

// In [0, 1).
float share(std::uint64_t hash) { return static_cast<float>(hash >> 40U) / static_cast<float>(1U << 24U); }

}  // namespace

ScriptedTarget::ScriptedTarget(TargetScript script, VirtualClock* clock, Cost cost)
    : script_(std::move(script)), clock_(clock), cost_(std::move(cost)) {}

void ScriptedTarget::truncate(int length) {
    assert(length >= 0 && length <= this->length());
    const auto size = static_cast<std::size_t>(length);
    history_.resize(size);
    hashes_.resize(size);
    on_script_.resize(size);
    exact_.resize(size);
    widths_.resize(size);
}

void ScriptedTarget::forward(std::span<const Token> tokens, std::span<const RowQuery> queries,
                             std::span<Row> rows) {
    assert(!tokens.empty() && queries.size() <= tokens.size() && rows.size() == queries.size());
    if (calls_++ == fail_at_) throw EngineError("The scripted target failed.");
    const int before = length();
    const auto width = static_cast<int>(tokens.size());
    const auto prompt = static_cast<std::size_t>(script_.prompt_length);
    // The call that fills an empty cache is the prompt's, the same for everybody.
    const bool shared = script_.threads_matter && !shares_.empty() && shares_.back();
    const bool reference = !shared && (before == 0 || width <= script_.reference_width);
    for (const Token token : tokens) {
        const std::size_t at = history_.size();
        const bool first = at == 0;
        const bool follows =
            at < prompt || (at - prompt < script_.answer.size() && script_.answer[at - prompt] == token);
        hashes_.push_back(mix(first ? script_.seed : hashes_.back(), static_cast<std::uint64_t>(token)));
        on_script_.push_back((first || on_script_.back()) && follows);
        exact_.push_back((first || exact_.back()) && reference);
        widths_.push_back(
            mix(first ? 1 : widths_.back(), static_cast<std::uint64_t>(shared ? -width : width)));
        history_.push_back(token);
    }
    for (std::size_t i = 0; i < queries.size(); ++i) {
        rows[i] = row_at(history_.size() - queries.size() + i, queries[i]);
    }
    if (clock_ == nullptr) return;
    const Nanos end = clock_->now() + (cost_ ? cost_(width, before) : 0);
    if (hook_) hook_(end);
    clock_->advance_to(end);
}

Row ScriptedTarget::row_at(std::size_t position, const RowQuery& query) const {
    const std::uint64_t hash = hash_of(position);
    Row row;
    if (query.mask == RowMask::language) {
        row.best = script_.language.value_or(kNoToken);
        row.margin = std::numeric_limits<float>::infinity();
        row.log_prob = script_.log_prob;
        return row;
    }
    const auto random_token = [&](std::uint64_t salt) {
        return static_cast<Token>(mix(hash, salt) % static_cast<std::uint64_t>(script_.vocabulary));
    };
    const auto said = position + 1 - std::min(position + 1, static_cast<std::size_t>(script_.prompt_length));
    if (on_script_[position]) {
        row.best = said < script_.answer.size() ? script_.answer[said] : script_.end;
    } else {
        row.best = random_token(1);
    }
    row.second = random_token(2);
    if (row.second == row.best) row.second = row.best == 0 ? 1 : row.best - 1;

    const float gap = script_.logit_gap;
    const bool tie = share(mix(hash, 3)) < script_.near_tie_share;
    row.margin = tie ? 2.0F * gap * share(mix(hash, 4)) : 2.0F * gap + 0.01F + 5.0F * share(mix(hash, 4));
    row.log_prob = query.log_prob ? script_.log_prob : 0.0F;
    row.probe_prob = query.probe != kNoToken ? script_.no_speech_prob : 0.0F;
    if (exact_[position]) return row;
    // Each logit may be off by g: the margin and ln p by 2 g.
    const auto noise = [&](std::uint64_t salt) {
        return 2.0F * gap * (2.0F * share(mix(mix(hash, widths_[position]), salt)) - 1.0F);
    };
    row.margin += noise(5);
    if (row.margin < 0.0F) {
        std::swap(row.best, row.second);
        row.margin = -row.margin;
    }
    if (query.log_prob) row.log_prob += noise(6);
    return row;
}

}  // namespace as2d
