// A drafter that says what a recorded one said, at the cost of a device's profile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/drafter.hpp"
#include "core/text_encoder.hpp"
#include "replay/cost_profile.hpp"
#include "replay/trace.hpp"
#include "scripted/virtual_clock.hpp"

namespace as2d::replay {

/// Work of a drafter.
struct DraftWork {
    Nanos time = 0;
    int steps = 0;
};

/// One step of it.
struct DraftSpan {
    Nanos start = 0, end = 0;
    int width = 1;
    int epoch = 0;  ///< restarts before it
};

/// Says its own history until it is restarted from a text. What it says behind a part of the recorded answer
/// was recorded. A text that is no such part is an assumption that proves wrong: what is drafted from it is
/// thrown away, so that its words matter little and are taken from the nearest recorded place.
///
/// Its cache is modelled in bytes: a restart keeps the tokens within the text that both histories begin with,
/// and the next step runs the rest, counted in tokens of the target's vocabulary.
class TraceDrafter final : public Drafter {
  public:
    /// @param clock moved by each step, by its cost
    TraceDrafter(const Trace& trace, const CostProfile& profile, const TextEncoder& encoder,
                 VirtualClock& clock);

    bool can(std::string_view task, std::string_view language) const override;
    DraftPiece step() override;
    void restart(std::string_view text) override;
    /// Beside the target, steps run at the shared thread setting and at the interference of both.
    void share_cores(bool target_running) override { beside_ = target_running; }

    /// Its steps and the target's calls take turns, counted in `turns`.
    void take_turns(Turns& turns) { turns_ = &turns; }

    /// Beside a target that waits there is no interference.
    void set_target_waits(bool waits) { target_waits_ = waits; }

    /// Steps cost nothing and are not counted while they are `free`: drafting before the request.
    void set_free(bool free) { free_ = free; }
    const DraftWork& work() const { return work_; }
    /// Every step that cost something goes there too; null: nowhere.
    void record(std::vector<DraftSpan>* spans) { spans_ = spans; }

  private:
    void find_continuation(std::size_t length);
    bool continues(const Continuation& continuation, std::string_view said);
    void skip(const Continuation& continuation, std::size_t bytes);
    void append_tokens(std::string_view text, std::size_t begin);
    Nanos cost(int width) const;
    void pay(int width);

    const Trace& trace_;
    const CostProfile& profile_;
    const TextEncoder& encoder_;
    VirtualClock& clock_;
    std::span<const Piece> pieces_;          // what is said next
    std::size_t cut_ = 0;                    // bytes of the first of them that were said before
    std::size_t found_at_ = 0;               // length of the text when they were found
    std::string text_;                       // the history's bytes
    std::vector<std::uint32_t> token_ends_;  // of its tokens, prompt included, in text_
    std::size_t prompt_ = 0;                 // tokens of the prompt
    std::size_t cached_ = 0;                 // tokens that were run
    bool beside_ = false;
    bool target_waits_ = false;
    bool free_ = false;
    int epoch_ = 0;
    Turns* turns_ = nullptr;
    DraftWork work_;
    std::vector<DraftSpan>* spans_ = nullptr;
};

}  // namespace as2d::replay
