#include "core/method.hpp"

#include <algorithm>

namespace as2d {

std::size_t room_for_candidates(const MethodSettings& settings, const Boundary& boundary,
                                Proposal& proposal) {
    if (settings.budget == 0) proposal.reason = CallReason::budget_zero;
    if (settings.budget > 0 && boundary.room == 0) proposal.reason = CallReason::at_limit;
    return static_cast<std::size_t>(std::min(settings.budget, boundary.room));
}

}  // namespace as2d
