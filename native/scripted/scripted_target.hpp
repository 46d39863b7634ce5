// A target that speaks from a script, with a cost on a virtual clock and an arithmetic that may depend on K.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/target.hpp"
#include "scripted/virtual_clock.hpp"

namespace as2d {

struct TargetScript {
    int prompt_length = 4;      ///< tokens of the history that come before the answer
    std::vector<Token> answer;  ///< what it says on its own; `end` follows
    Token end = 0;
    int vocabulary = 1;             ///< off the script it says tokens below this, by the history
    std::uint64_t seed = 0;         ///< of margins, log-probabilities and what it says off the script
    float no_speech_prob = 0.0F;    ///< answer to every probe
    float log_prob = -0.3F;         ///< of every row, at the reference width
    std::optional<Token> language;  ///< answer to a language row

    /// Rows differ from the reference by up to 2 g in their margin (g in each logit) when the call, or one
    /// that wrote the cache before, was wider than `reference_width`.
    float logit_gap = 0.0F;
    float near_tie_share = 0.0F;  ///< of positions whose true margin is below 2 g: wide rows may flip them
    int reference_width = 1;
    bool threads_matter = false;  ///< rows differ too when the cores were shared
    bool hides_gap = false;       ///< claims a gap of 0: what happens without the margin guard
};

/// Its rows depend on the whole history in the cache, so that a wrong roll-back changes what it says.
class ScriptedTarget final : public Target {
  public:
    using Cost = std::function<Nanos(int k, int length)>;  ///< of a call of k tokens on `length` cached ones
    using Hook = std::function<void(Nanos end)>;           ///< called before a call ends, with its end

    /// Without `clock` nothing costs time.
    explicit ScriptedTarget(TargetScript script, VirtualClock* clock = nullptr, Cost cost = {});

    int length() const override { return static_cast<int>(history_.size()); }
    void truncate(int length) override;
    void forward(std::span<const Token> tokens, std::span<const RowQuery> queries,
                 std::span<Row> rows) override;
    void share_cores(bool producer_running) override { shares_.push_back(producer_running); }
    float logit_gap() const override { return script_.hides_gap ? 0.0F : script_.logit_gap; }
    int reference_width() const override { return script_.reference_width; }

    void set_hook(Hook hook) { hook_ = std::move(hook); }
    /// Throws EngineError at call number `call`, counted from 0.
    void fail_at(int call) { fail_at_ = call; }

    int calls() const { return calls_; }
    const std::vector<Token>& history() const { return history_; }
    const std::vector<bool>& shares() const { return shares_; }  ///< arguments of share_cores, in order

  private:
    Row row_at(std::size_t position, const RowQuery& query) const;
    std::uint64_t hash_of(std::size_t position) const { return hashes_[position]; }

    TargetScript script_;
    VirtualClock* clock_;
    Cost cost_;
    Hook hook_;
    std::vector<Token> history_;
    std::vector<std::uint64_t> hashes_;  // of the history up to and with each position
    std::vector<bool> on_script_;        // the history up to here is prompt and script
    std::vector<bool> exact_;            // written at the reference width on an exact cache
    std::vector<std::uint64_t> widths_;  // hash of the widths that wrote the cache up to here
    std::vector<bool> shares_;
    int calls_ = 0;
    int fail_at_ = -1;
};

}  // namespace as2d
