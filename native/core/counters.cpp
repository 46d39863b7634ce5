#include "core/counters.hpp"

#include <algorithm>
#include <numeric>

namespace as2d {

void Counters::count_proposal(int proposed_now, int accepted_now) {
    const auto most = static_cast<std::size_t>(proposed_now);
    if (proposed_by_position.size() < most) {
        proposed_by_position.resize(most, 0);
        accepted_by_position.resize(most, 0);
    }
    for (int i = 0; i < proposed_now; ++i)
        ++proposed_by_position[static_cast<std::size_t>(i)];
    for (int i = 0; i < accepted_now; ++i)
        ++accepted_by_position[static_cast<std::size_t>(i)];
    proposed += proposed_now;
    accepted += accepted_now;
    ++hits;
}

std::string Counters::broken() const {
    const auto sum = [](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); };
    if (tokens == 0) {
        return calls + guard_calls + proposed + accepted + hits == 0 && !rootless
                   ? ""
                   : "work without a first token";
    }
    if (tokens != 1 + calls + accepted - (rootless ? 1 : 0))
        return "tokens != 1 + calls + accepted - rootless";
    if (accepted > proposed || accepted < 0) return "accepted not within proposed";
    if (hits > calls || hits > proposed) return "hits not within calls and proposed";
    if (sum(proposed_by_position) != proposed) return "proposed_by_position does not add up";
    if (sum(accepted_by_position) != accepted) return "accepted_by_position does not add up";
    for (std::size_t i = 0; i < proposed_by_position.size(); ++i) {
        if (accepted_by_position[i] > proposed_by_position[i])
            return "accepted beyond proposed at a position";
        if (i > 0 && proposed_by_position[i] > proposed_by_position[i - 1])
            return "proposed grows with position";
        if (i > 0 && accepted_by_position[i] > accepted_by_position[i - 1])
            return "accepted grows with position";
    }
    if (!proposed_by_position.empty() && proposed_by_position[0] != hits) return "first position != hits";
    if (end_accepted && !rootless) return "accepted end of text that is not rootless";
    return "";
}

}  // namespace as2d
