// specasr: a serial port of SpecASR. A draft ends behind the first token that the drafter is unsure of, and
// what re-aligns of a rejected draft is offered again before anything new is drafted.
#include <memory>
#include <optional>

#include "core/method.hpp"
#include "core/published_drafts.hpp"
#include "core/serial_drafts.hpp"

namespace as2d {
namespace {

class SpecAsr final : public Method {
  public:
    explicit SpecAsr(const MethodSettings& settings) : settings_(settings) {}

    void begin(const MethodContext& context) override {
        reused_.reset();
        drafts_.reset();
        if (context.drafter == nullptr) return;
        drafts_.emplace(context);
        reused_.emplace(context.text, drafts_->stream(), Admission::text);
    }

    void propose(const Boundary& boundary, Proposal& proposal) override {
        if (!drafts_) return;
        const std::size_t most = room_for_candidates(settings_, boundary, proposal);
        if (most == 0) return;
        reused_->offer(boundary, most, proposal);
        if (proposal.candidates.empty()) drafts_->draft(boundary, most, settings_.confidence, proposal);
    }

  private:
    MethodSettings settings_;
    std::optional<SerialDrafts> drafts_;
    std::optional<PublishedDrafts> reused_;
};

}  // namespace

std::unique_ptr<Method> make_specasr(const MethodSettings& settings) {
    return std::make_unique<SpecAsr>(settings);
}

}  // namespace as2d
