// The target: the model whose greedy output is the answer.
#pragma once

#include <span>

#include "core/types.hpp"

namespace as2d {

/// Which tokens may win a row.
enum class RowMask {
    text,        ///< all but the model's `suppress` list
    text_begin,  ///< as text, and without its `suppress_begin` list: the first text position
    language,    ///< language tokens only
};

/// What is asked of one row of logits.
struct RowQuery {
    RowMask mask = RowMask::text;
    bool log_prob = false;   ///< fill Row::log_prob
    Token probe = kNoToken;  ///< fill Row::probe_prob for this token
};

/// The answer for one row. No logit row crosses the interface.
struct Row {
    Token best = kNoToken;    ///< highest logit among the allowed tokens; ties to the lowest id
    Token second = kNoToken;  ///< the next one; kNoToken when only one token is allowed
    float margin = 0.0F;      ///< logit(best) - logit(second), >= 0; +infinity without a second
    float log_prob = 0.0F;    ///< ln p(best), softmax over the *allowed* tokens; only when asked
    float probe_prob = 0.0F;  ///< p(probe), softmax over *all* tokens, no mask; only when asked
};

/// A target over one prepared window, with its KV cache. Called by one thread at a time.
class Target {
  public:
    virtual ~Target() = default;

    /// Tokens in the KV cache.
    virtual int length() const = 0;

    /// Rolls the KV cache back to its first `length` tokens (0 <= length <= length()).
    virtual void truncate(int length) = 0;

    /// Runs K = tokens.size() >= 1 tokens in one call and appends them to the KV cache. One row per
    /// query: rows.size() == queries.size() <= K, and the queries belong to the *last*
    /// queries.size() positions, in order. No query at all is allowed (the KV cache is written,
    /// nothing is answered, no projection is needed). Throws EngineError.
    virtual void forward(std::span<const Token> tokens, std::span<const RowQuery> queries,
                         std::span<Row> rows) = 0;

    /// Tells whether the cores are shared with a producer, so that the thread setting can be chosen. Called
    /// by the decode loop between calls only: once before the first call, then at each change. Prefill and
    /// the guard's calls always have the cores for themselves: theirs is the reference arithmetic.
    virtual void share_cores(bool producer_running) = 0;

    /// g of the margin guard: the largest difference of a logit between a decode with wide calls and shared
    /// cores and the same decode at the reference width with unshared ones, over whole histories. 0 =
    /// arithmetic independent of K and of the thread setting.
    virtual float logit_gap() const = 0;

    /// Calls of up to this many tokens all have the reference arithmetic (an engine whose arithmetic
    /// is defined as that of width w pads narrower calls itself and answers w here).
    virtual int reference_width() const { return 1; }
};

}  // namespace as2d
