#include "core/published_drafts.hpp"

#include <algorithm>

namespace as2d {

PublishedDrafts::PublishedDrafts(const TextEncoder& text, const DraftStream& stream, Admission admission)
    : stream_(stream), aligner_(text, stream, admission) {}

void PublishedDrafts::offer(const Boundary& boundary, std::size_t most, Proposal& proposal) {
    proposal.candidates.clear();
    proposal.cursor.reset();
    proposal.published = stream_.published();
    if (proposal.published == 0) {
        proposal.reason = CallReason::none_published;
        return;
    }
    const Alignment alignment = aligner_.align(boundary.committed, proposal.published);
    proposal.cursor = alignment.next;
    if (!alignment.next) {
        proposal.reason = CallReason::no_match;
        return;
    }
    const std::size_t end = std::min(*alignment.next + most, proposal.published);
    for (std::size_t i = *alignment.next; i < end; ++i)
        proposal.candidates.push_back(stream_[i].token);
    proposal.reason = proposal.candidates.empty() ? CallReason::none_published : CallReason::candidates;
}

}  // namespace as2d
