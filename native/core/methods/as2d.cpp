#include "core/methods/as2d.hpp"

#include <algorithm>
#include <optional>

#include "core/aligner.hpp"

namespace as2d {
namespace {

class As2d final : public Method {
  public:
    explicit As2d(const MethodSettings& settings) : settings_(settings) {}

    void begin(const MethodContext& context) override {
        stream_ = context.stream;
        aligner_.reset();
        if (stream_ != nullptr) aligner_.emplace(context.text, *stream_, settings_.admission);
    }

    void propose(const Boundary& boundary, Proposal& proposal) override {
        if (stream_ == nullptr) {
            proposal.reason = CallReason::producer_none;
            return;
        }
        proposal.published = stream_->published();
        if (settings_.budget == 0) {
            proposal.reason = CallReason::budget_zero;
            return;
        }
        if (boundary.room == 0) {
            proposal.reason = CallReason::at_limit;
            return;
        }
        if (proposal.published == 0) {
            proposal.reason = CallReason::none_published;
            return;
        }
        const Alignment alignment = aligner_->align(boundary.committed, proposal.published);
        proposal.cursor = alignment.next;
        if (!alignment.next) {
            proposal.reason = CallReason::no_match;
            return;
        }
        const auto most = static_cast<std::size_t>(std::min(settings_.budget, boundary.room));
        const std::size_t end = std::min(*alignment.next + most, proposal.published);
        for (std::size_t i = *alignment.next; i < end; ++i) {
            proposal.candidates.push_back((*stream_)[i].token);
        }
        proposal.reason = proposal.candidates.empty() ? CallReason::none_published : CallReason::candidates;
    }

  private:
    MethodSettings settings_;
    const DraftStream* stream_ = nullptr;
    std::optional<Aligner> aligner_;
};

}  // namespace

std::unique_ptr<Method> make_as2d(const MethodSettings& settings) { return std::make_unique<As2d>(settings); }

}  // namespace as2d
