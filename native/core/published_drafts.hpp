// The drafts that a target finds published at a boundary.
#pragma once

#include <cstddef>

#include "core/aligner.hpp"
#include "core/draft_stream.hpp"
#include "core/method.hpp"

namespace as2d {

/// Offers what stands behind the aligned root in a draft stream; never drafts and never waits.
class PublishedDrafts {
  public:
    PublishedDrafts(const TextEncoder& text, const DraftStream& stream, Admission admission);

    /// Fills in up to `most` >= 1 candidates, the place and the reason.
    void offer(const Boundary& boundary, std::size_t most, Proposal& proposal);

  private:
    const DraftStream& stream_;
    Aligner aligner_;
};

}  // namespace as2d
