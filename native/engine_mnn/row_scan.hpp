#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace as2d::mnn {

/// The two best tokens of one row of logits. Ties go to the lowest id.
struct BestTwo {
    std::int32_t best = -1;
    std::int32_t second = -1;
    float best_logit = 0.0F;
    float second_logit = 0.0F;
};

/// Finds the two largest of `logits[i] + bias[i]`.
/// @param logits one row, [vocab]
/// @param bias [vocab], 0 where a token may win and -infinity where it may not
/// @throws EngineError when a logit is not finite, or when no token may win: such a row decides nothing.
BestTwo best_two(std::span<const float> logits, std::span<const float> bias);

/// The same over a few candidates only, in rising order of id.
BestTwo best_two_of(std::span<const float> logits, std::span<const std::int32_t> ids);

/// log(sum(exp(logits + bias))), to about 1e-6.
/// @param bias [vocab] as for `best_two`
float log_sum_exp(std::span<const float> logits, std::span<const float> bias);

/// A bias for `best_two` that forbids the given tokens.
std::vector<float> forbid(int vocab, std::span<const std::int32_t> ids);

}  // namespace as2d::mnn
