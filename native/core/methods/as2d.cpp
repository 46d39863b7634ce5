// as2d: the target verifies what a decoupled producer has published, and never waits for it.
#include <memory>
#include <optional>

#include "core/method.hpp"
#include "core/published_drafts.hpp"

namespace as2d {
namespace {

class As2d final : public Method {
  public:
    explicit As2d(const MethodSettings& settings) : settings_(settings) {}

    void begin(const MethodContext& context) override {
        drafts_.reset();
        if (context.stream != nullptr) drafts_.emplace(context.text, *context.stream, settings_.admission);
    }

    void propose(const Boundary& boundary, Proposal& proposal) override {
        if (!drafts_) return;
        const std::size_t most = room_for_candidates(settings_, boundary, proposal);
        if (most > 0) drafts_->offer(boundary, most, proposal);
    }

  private:
    MethodSettings settings_;
    std::optional<PublishedDrafts> drafts_;
};

}  // namespace

std::unique_ptr<Method> make_as2d(const MethodSettings& settings) { return std::make_unique<As2d>(settings); }

}  // namespace as2d
