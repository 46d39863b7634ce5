// The margin guard: decides near-ties with the arithmetic of the reference width.
#pragma once

#include "core/target.hpp"

namespace as2d {

/// Knows up to where the KV cache holds what a decode of the target alone would have written: at the
/// reference width, with the cores for itself. Two logits can each move by g, and 4 is the safety factor: a
/// row whose two best logits are closer than 2 g 4 is undecided, unless it is itself such a call's on such a
/// cache.
class MarginGuard {
  public:
    explicit MarginGuard(Target& target);

    /// Prefill is run the same way by every method: its cache is the reference, `length` tokens.
    void start(int length);

    /// Tells it that a call of `width` tokens is about to run on a cache of `length` tokens, with the cores
    /// `shared` with a producer or not.
    void before_call(int length, int width, bool shared);

    /// Tells it that the cache was rolled back to `length` tokens.
    void rolled_back(int length);

    /// Whether the rows of the last call are the reference's own.
    bool exact() const { return exact_; }

    /// Whether a row of the last call with this margin must be decided again.
    bool undecided(float margin) const { return !exact_ && margin < threshold_; }

    /// 2 g 4, in logits.
    float threshold() const { return threshold_; }

    /// Tokens of the cache that are the reference's.
    int reference_length() const { return reference_; }

  private:
    Target& target_;
    float threshold_;
    int reference_ = 0;
    bool exact_ = true;
};

}  // namespace as2d
