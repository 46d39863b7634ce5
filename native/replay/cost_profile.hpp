// The cost profile of a device: what target calls and drafter steps cost there.
#pragma once

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "replay/input.hpp"

namespace as2d::replay {

/// Cost of a call by its width and by the tokens that the KV cache holds before it.
class CostTable {
  public:
    /// One measured point: `k` >= 1 tokens on a cache of `context` >= 0 tokens took `ns`. Returns false, and
    /// adds nothing, when the point is there already.
    bool add(int context, int k, double ns);
    bool empty() const { return curves_.empty(); }

    /// Linear in k and in context between measured points, flat outside of them; above the largest k it goes
    /// on with the slope of the last two points (never falling, so that noise gives no negative cost), up to
    /// 100 s. Not called when empty().
    Nanos at(int k, int context) const;

  private:
    struct Curve {
        int context;
        std::vector<std::pair<int, double>> points;  // (k, ns), ascending
        double at(int k) const;
    };
    std::vector<Curve> curves_;  // ascending in context
};

/// Cost of a drafter's step: it attends to the window's audio, so that short windows cost less.
class DrafterCosts {
  public:
    /// As CostTable::add(), measured in a window of `seconds` of audio.
    bool add(double seconds, int context, int k, double ns) { return tables_[seconds].add(context, k, ns); }

    /// As CostTable::at(), linear in the length of the audio between measured lengths, flat outside of them.
    /// Not called before add().
    Nanos at(int k, int context, double seconds) const;

  private:
    std::map<double, CostTable> tables_;  // by seconds of audio
};

/// What replay needs of a cost profile file. The slow-down of two models that run at once is two factors.
struct CostProfile {
    int cores = 1;                   ///< of the device
    int threads = 1;                 ///< of the target, alone ...
    int shared_threads = 1;          ///< ... and beside a producer
    int drafter_threads = 1;         ///< of the drafter while the target waits ...
    int drafter_shared_threads = 1;  ///< ... and beside the target
    CostTable target_alone, target_shared;
    DrafterCosts drafter_alone, drafter_shared;
    CostTable target_in_turn;  ///< calls behind a step of a drafter that the target waited for
    std::vector<DrafterCosts> drafter_in_turn;  ///< its first step behind a call, the second ...
    double target_beside = 1.0;   ///< a target call beside a working producer costs this factor more ...
    double drafter_beside = 1.0;  ///< ... and so does a producer's step beside a working target

    /// More threads than cores when both run: the producer of a request then starts behind its prefill.
    bool oversubscribed() const { return threads + drafter_shared_threads > cores; }

    /// A target call at full threads, as CostTable::at(). Behind a drafter's step it finds the caches full of
    /// the drafter's weights.
    Nanos call(int k, int context, bool behind_step) const;
    /// The `nth` step (>= 1) behind a target call of a drafter that the target waits for: the caches are full
    /// of the target's weights, and filled again step by step.
    Nanos step(int nth, int width, int context, double seconds) const;
};

/// A span of time, `factor` times as long.
inline Nanos scaled(Nanos span, double factor) {
    return static_cast<Nanos>(std::llround(static_cast<double>(span) * factor));
}

/// Steps that a drafter made since the target's last call, where the two take turns.
struct Turns {
    int steps = 0;
};

/// Reads a profile; costs are its medians (`ms_median`). Version 1 knows no turns: every call and step then
/// costs what it does behind its like. Throws BadInput, one sentence.
CostProfile parse_cost_profile(const Json& profile);

}  // namespace as2d::replay
