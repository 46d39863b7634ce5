// A drafter that has said something before the request.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/drafter.hpp"

namespace as2d {

/// Says at no cost what `inner` said on its own history before the request, then goes on with it. A text that
/// agrees with what was said, up to an end of one of its steps, costs nothing either.
class PreDrafted final : public Drafter {
  public:
    /// `inner` stands behind the last of `said`; where that is an end of text it is not asked for more.
    PreDrafted(std::vector<DraftPiece> said, Drafter& inner);

    bool can(std::string_view task, std::string_view language) const override {
        return inner_.can(task, language);
    }
    bool says_again() const override { return inside_ && next_ < said_.size(); }
    DraftPiece step() override;
    void restart(std::string_view text) override;
    void share_cores(bool target_running) override { inner_.share_cores(target_running); }

  private:
    std::vector<DraftPiece> said_;
    Drafter& inner_;
    std::string text_;               // of said_
    std::vector<std::size_t> ends_;  // bytes of text_ at the end of each piece
    std::size_t next_ = 0;           // piece that is said next
    bool inside_ = true;             // the history is a part of text_
    bool inner_moved_ = false;       // inner no longer stands behind text_
};

}  // namespace as2d
