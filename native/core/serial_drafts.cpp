#include "core/serial_drafts.hpp"

#include <algorithm>

namespace as2d {

SerialDrafts::SerialDrafts(const MethodContext& context)
    : drafter_(*context.drafter),
      producer_(*context.drafter, context.text, stream_, context.end_token, context.clock, context.sink),
      answer_(context.text),
      cancelled_(context.cancelled) {}

void SerialDrafts::draft(const Boundary& boundary, std::size_t count, float stop_below, Proposal& proposal) {
    producer_.follow({answer_.of(boundary.committed), boundary.committed.size(), count, stop_below});
    while (goes_on())
        producer_.step();
    proposal.candidates.clear();
    proposal.published = stream_.published();
    proposal.cursor = producer_.epoch_begin();
    const std::size_t end = std::min(producer_.epoch_begin() + count, proposal.published);
    for (std::size_t i = producer_.epoch_begin(); i < end; ++i)
        proposal.candidates.push_back(stream_[i].token);
    proposal.reason = proposal.candidates.empty() ? CallReason::none_published : CallReason::candidates;
}

void SerialDrafts::say_again() {
    while (goes_on() && drafter_.says_again())
        producer_.step();
}

bool SerialDrafts::draft_on(std::size_t length) {
    if (!goes_on() || stream_.published() >= length) return false;
    while (goes_on() && stream_.published() < length)
        producer_.step();
    return true;
}

}  // namespace as2d
