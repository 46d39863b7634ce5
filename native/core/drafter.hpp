// A drafter: a small model over fixed audio that speaks text.
#pragma once

#include <string>
#include <string_view>

namespace as2d {

/// What one step of a drafter adds.
struct DraftPiece {
    std::string text;         ///< bytes appended; a UTF-8 character may be split between steps
    float confidence = 1.0F;  ///< the drafter's own top-1 probability, in [0, 1]
    int drafter_tokens = 1;   ///< tokens of its own vocabulary this step adds
    int width = 1;  ///< tokens run through the drafter: 1, more for a prompt or a prefix to catch up on
    bool end_of_text = false;  ///< nothing follows; `text` still counts
};

/// Drafts on its own history, until it is told to go on from another text. Called by one thread at a time. A
/// drafter may throw: it then has ended.
class Drafter {
  public:
    virtual ~Drafter() = default;

    /// Whether it declares this task ("transcribe", "translate") in this language ("en", ...).
    virtual bool can(std::string_view task, std::string_view language) const = 0;

    /// Whether the next step costs nothing: it was made before the request.
    virtual bool says_again() const { return false; }

    /// One token after its history, which grows by it. Not called again after end_of_text, until restart().
    virtual DraftPiece step() = 0;

    /// Goes on from `text`, the bytes of an answer so far, instead of its own words. Work on what both have
    /// in common is kept; the next step pays for the rest (prefix catch-up).
    virtual void restart(std::string_view text) = 0;

    /// Tells whether the target computes at the same time, so that the thread setting can be chosen; between
    /// steps only.
    virtual void share_cores(bool /*target_running*/) {}
};

}  // namespace as2d
