// A drafter that speaks from a script, with a cost on its own virtual clock.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/drafter.hpp"
#include "scripted/virtual_clock.hpp"

namespace as2d {

struct ScriptedPiece {
    std::string text;
    float confidence = 1.0F;
    Nanos cost = 0;
};

struct DrafterScript {
    std::vector<ScriptedPiece> pieces;
    bool endless = false;                                           ///< begins again instead of ending
    std::size_t fail_at = std::numeric_limits<std::size_t>::max();  ///< step that throws EngineError
    Nanos end_cost = 0;                                             ///< of the step that says end of text
    std::size_t fail_restart_at = std::numeric_limits<std::size_t>::max();  ///< restart that throws it
    Nanos catch_up_cost = 0;                        ///< more, of the step after a restart
    std::vector<ScriptedPiece> after_restart = {};  ///< said instead of `pieces` once it was restarted
};

/// Declares every task in every language. A text of n bytes to go on from puts it behind the first n bytes of
/// its script, as a drafter that follows the audio would go on.
class ScriptedDrafter final : public Drafter {
  public:
    explicit ScriptedDrafter(DrafterScript script, VirtualClock* clock = nullptr);

    bool can(std::string_view task, std::string_view language) const override;
    DraftPiece step() override;
    void restart(std::string_view text) override;

    /// Steps cost time on another clock from now on; null: none.
    void set_clock(VirtualClock* clock) { clock_ = clock; }

    std::size_t steps() const { return steps_; }
    std::size_t restarts() const { return restarts_; }

  private:
    DrafterScript script_;
    VirtualClock* clock_;
    std::size_t steps_ = 0;
    std::size_t restarts_ = 0;
    std::size_t next_ = 0;  // piece that is said next
    std::size_t skip_ = 0;  // bytes of it that were said already
    int caught_up_ = 0;
};

}  // namespace as2d
