#include "core/pre_drafted.hpp"

#include <algorithm>
#include <utility>

namespace as2d {

PreDrafted::PreDrafted(std::vector<DraftPiece> said, Drafter& inner) : said_(std::move(said)), inner_(inner) {
    for (const DraftPiece& piece : said_) {
        text_ += piece.text;
        ends_.push_back(text_.size());
    }
}

DraftPiece PreDrafted::step() {
    if (says_again()) {
        DraftPiece piece = said_[next_++];
        piece.drafter_tokens = 0;
        piece.width = 0;
        return piece;
    }
    if (inside_ && !said_.empty() && said_.back().end_of_text) return {"", 1.0F, 0, 0, true};
    if (inside_ && inner_moved_) inner_.restart(text_);
    inside_ = false;
    inner_moved_ = true;
    return inner_.step();
}

void PreDrafted::restart(std::string_view text) {
    const bool agrees = std::string_view(text_).starts_with(text);
    const auto end = std::lower_bound(ends_.begin(), ends_.end(), text.size());
    inside_ = agrees && (text.empty() || (end != ends_.end() && *end == text.size()));
    if (inside_) {
        next_ = text.empty() ? 0 : static_cast<std::size_t>(end - ends_.begin()) + 1;
        return;
    }
    inner_moved_ = true;
    inner_.restart(text);
}

}  // namespace as2d
