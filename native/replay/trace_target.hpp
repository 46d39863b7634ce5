// A target that says what a recorded one said, at the cost of a device's profile.
#pragma once

#include <optional>
#include <span>

#include "core/target.hpp"
#include "replay/cost_profile.hpp"
#include "replay/trace.hpp"
#include "scripted/virtual_clock.hpp"

namespace as2d::replay {

/// What works beside the target while it computes.
class Companion {
  public:
    virtual ~Companion() = default;
    /// Whether it works at the target's time.
    virtual bool working() const = 0;
    /// Everything it does until `time` or until it stops working; then, the time at which it did.
    virtual std::optional<Nanos> run(Nanos time) = 0;
    /// Everything it does until `time`, which is now the target's.
    virtual void let_pass(Nanos time) = 0;
};

/// On the recorded answer it says the recorded token with the recorded margin. Off it, where the real target
/// was never asked, it says kNoToken, which no candidate equals. Its calls move `clock`.
class TraceTarget final : public Target {
  public:
    /// @param companion null: nothing works beside it
    TraceTarget(const Trace& trace, const CostProfile& profile, VirtualClock& clock, Companion* companion);

    int length() const override { return length_; }
    void truncate(int length) override;
    void forward(std::span<const Token> tokens, std::span<const RowQuery> queries,
                 std::span<Row> rows) override;
    void share_cores(bool producer_running) override { shared_ = producer_running; }
    float logit_gap() const override { return trace_.logit_gap(); }

    /// Its calls and the drafter's steps take turns, counted in `turns`.
    void take_turns(Turns& turns) { turns_ = &turns; }

  private:
    Row row_at(int position) const;
    Nanos cost(int k) const;
    void spend(Nanos alone);

    const Trace& trace_;
    const CostProfile& profile_;
    VirtualClock& clock_;
    Companion* companion_;
    Turns* turns_ = nullptr;
    bool shared_ = false;
    int prompt_ = 0;   // tokens of the first call
    int length_ = 0;   // tokens in the cache
    int matched_ = 0;  // of those behind the prompt, how many are the recorded answer's from its begin on
};

}  // namespace as2d::replay
