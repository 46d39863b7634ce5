#include "scripted/scripted_drafter.hpp"

#include <utility>

#include "core/errors.hpp"

namespace as2d {

ScriptedDrafter::ScriptedDrafter(DrafterScript script, VirtualClock* clock)
    : script_(std::move(script)), clock_(clock) {}

bool ScriptedDrafter::can(std::string_view /*task*/, std::string_view /*language*/) const { return true; }

DraftPiece ScriptedDrafter::step() {
    if (steps_++ == script_.fail_at) throw EngineError("The scripted drafter failed.");
    const std::size_t at = next_++;
    const std::size_t count = script_.pieces.size();
    const bool ends = count == 0 ? !script_.endless : !script_.endless && at >= count;
    const ScriptedPiece piece =
        count == 0 || ends ? ScriptedPiece{"", 1.0F, script_.end_cost} : script_.pieces[at % count];
    const int caught_up = std::exchange(caught_up_, 0);
    if (clock_ != nullptr) clock_->advance(piece.cost + caught_up * script_.catch_up_cost);
    const std::size_t skipped = std::exchange(skip_, 0);
    return {piece.text.substr(skipped), piece.confidence, 1, 1 + caught_up, ends};
}

void ScriptedDrafter::restart(std::string_view text) {
    if (restarts_++ == script_.fail_restart_at) throw EngineError("The scripted drafter failed.");
    if (!script_.after_restart.empty()) script_.pieces = std::exchange(script_.after_restart, {});
    next_ = 0;
    skip_ = 0;
    caught_up_ = 1;
    std::size_t left = text.size();
    while (next_ < script_.pieces.size() && script_.pieces[next_].text.size() <= left)
        left -= script_.pieces[next_++].text.size();
    if (next_ < script_.pieces.size()) skip_ = left;
}

}  // namespace as2d
