// without-td: admission, budget and reuse of as2d, but a new draft goes on from the verified text and the
// target waits for it.
#include <memory>
#include <optional>

#include "core/method.hpp"
#include "core/published_drafts.hpp"
#include "core/serial_drafts.hpp"

namespace as2d {
namespace {

class WithoutTd final : public Method {
  public:
    explicit WithoutTd(const MethodSettings& settings) : settings_(settings) {}

    void begin(const MethodContext& context) override {
        reused_.reset();
        drafts_.reset();
        if (context.drafter == nullptr) return;
        drafts_.emplace(context);
        reused_.emplace(context.text, drafts_->stream(), settings_.admission);
    }

    void propose(const Boundary& boundary, Proposal& proposal) override {
        if (!drafts_) return;
        const std::size_t most = room_for_candidates(settings_, boundary, proposal);
        if (most == 0) return;
        reused_->offer(boundary, most, proposal);
        if (proposal.candidates.empty()) drafts_->draft(boundary, most, 0.0F, proposal);
    }

  private:
    MethodSettings settings_;
    std::optional<SerialDrafts> drafts_;
    std::optional<PublishedDrafts> reused_;
};

}  // namespace

std::unique_ptr<Method> make_without_td(const MethodSettings& settings) {
    return std::make_unique<WithoutTd>(settings);
}

}  // namespace as2d
