#include "scripted/scripted_drafter.hpp"

#include <utility>

#include "core/errors.hpp"

namespace as2d {

ScriptedDrafter::ScriptedDrafter(DrafterScript script, VirtualClock* clock)
    : script_(std::move(script)), clock_(clock) {}

bool ScriptedDrafter::can(std::string_view /*task*/, std::string_view /*language*/) const { return true; }

DraftPiece ScriptedDrafter::step() {
    const std::size_t at = steps_++;
    if (at == script_.fail_at) throw EngineError("The scripted drafter failed.");
    const std::size_t count = script_.pieces.size();
    const bool ends = count == 0 ? !script_.endless : !script_.endless && at >= count;
    const ScriptedPiece piece =
        count == 0 || ends ? ScriptedPiece{"", 1.0F, script_.end_cost} : script_.pieces[at % count];
    if (clock_ != nullptr) clock_->advance(piece.cost);
    return {piece.text, piece.confidence, 1, ends};
}

}  // namespace as2d
