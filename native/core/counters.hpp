// Counters of one window and the identities they obey.
#pragma once

#include <string>
#include <vector>

namespace as2d {

/// tokens = 1 + calls + accepted - rootless, once the first token is there.
struct Counters {
    int tokens = 0;       ///< committed, the end token included
    int calls = 0;        ///< target calls after prefill
    int guard_calls = 0;  ///< of the margin guard, counted apart
    int proposed = 0;     ///< candidates given to the target; those behind an accepted stop are not
    int accepted = 0;     ///< extra tokens
    std::vector<int> proposed_by_position;
    std::vector<int> accepted_by_position;
    int hits = 0;               ///< calls with candidates
    bool end_accepted = false;  ///< the end token was an accepted candidate
    /// The last call brought no root of its own: it stopped at an accepted candidate (end of text or
    /// repetition), or was cancelled while the guard was deciding.
    bool rootless = false;

    /// One verified call with candidates.
    void count_proposal(int proposed_now, int accepted_now);

    /// Empty when every identity holds, else the first that does not.
    std::string broken() const;
};

}  // namespace as2d
