// A drafter: a small model over fixed audio that speaks text.
#pragma once

#include <string>
#include <string_view>

namespace as2d {

/// What one step of a drafter adds.
struct DraftPiece {
    std::string text;          ///< bytes appended; a UTF-8 character may be split between steps
    float confidence = 1.0F;   ///< the drafter's own top-1 probability, in [0, 1]
    int drafter_tokens = 1;    ///< tokens of its own vocabulary this step cost
    bool end_of_text = false;  ///< nothing follows; `text` still counts
};

/// Drafts on its own history only. Called by one thread. A drafter may throw: it then has ended.
class Drafter {
  public:
    virtual ~Drafter() = default;

    /// Whether it declares this task ("transcribe", "translate") in this language ("en", ...).
    virtual bool can(std::string_view task, std::string_view language) const = 0;

    /// One token of its own history. Not called again after end_of_text.
    virtual DraftPiece step() = 0;
};

}  // namespace as2d
