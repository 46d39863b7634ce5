#include "replay/trace_target.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace as2d::replay {

TraceTarget::TraceTarget(const Trace& trace, const CostProfile& profile, VirtualClock& clock,
                         Companion* companion)
    : trace_(trace), profile_(profile), clock_(clock), companion_(companion) {}

void TraceTarget::truncate(int length) {
    assert(length >= 0 && length <= length_);
    length_ = length;
    matched_ = std::min(matched_, std::max(0, length - prompt_));
}

void TraceTarget::forward(std::span<const Token> tokens, std::span<const RowQuery> /*queries*/,
                          std::span<Row> rows) {
    assert(!tokens.empty() && rows.size() <= tokens.size());
    const auto k = static_cast<int>(tokens.size());
    const bool prefill = length_ == 0;
    const Nanos alone = prefill ? trace_.prefill() : cost(k);
    if (prefill) {
        prompt_ = k;
    } else {
        const std::vector<Token>& answer = trace_.tokens();
        const int before = length_ - prompt_;
        for (int i = 0; i < k && matched_ == before + i; ++i) {
            const auto at = static_cast<std::size_t>(matched_);
            if (at == answer.size() || answer[at] != tokens[static_cast<std::size_t>(i)]) break;
            ++matched_;
        }
    }
    if (turns_ != nullptr) turns_->steps = 0;
    length_ += k;
    const int first = length_ - static_cast<int>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = row_at(first + static_cast<int>(i));
    spend(alone);
}

Row TraceTarget::row_at(int position) const {
    Row row;
    row.margin = std::numeric_limits<float>::infinity();
    const int said = position + 1 - prompt_;
    if (said < 0 || said > matched_ || said >= static_cast<int>(trace_.tokens().size())) return row;
    row.best = trace_.tokens()[static_cast<std::size_t>(said)];
    row.margin = trace_.margins()[static_cast<std::size_t>(said)];
    return row;
}

Nanos TraceTarget::cost(int k) const {
    const int context = length_ - prompt_ + trace_.prompt_tokens();
    if (shared_) return profile_.target_shared.at(k, context);
    return profile_.call(k, context, turns_ != nullptr && turns_->steps > 0);
}

// Moves the clock by a call that takes `alone` with nothing beside it. The part of it during which the
// companion works is slower.
void TraceTarget::spend(Nanos alone) {
    const Nanos start = clock_.now();
    Nanos end = start + alone;
    if (companion_ != nullptr && companion_->working()) {
        const double factor = profile_.target_beside;
        end = start + scaled(alone, factor);
        if (const auto stopped = companion_->run(end)) {
            const Nanos beside = std::clamp(*stopped, start, end) - start;
            end = start + beside + std::max(Nanos{0}, alone - scaled(beside, 1.0 / factor));
        }
    }
    if (companion_ != nullptr) companion_->let_pass(end);
    clock_.advance_to(end);
}

}  // namespace as2d::replay
