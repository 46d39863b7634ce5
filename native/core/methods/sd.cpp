// sd: serial speculative decoding; each call waits for a draft from the verified text.
#include <memory>
#include <optional>

#include "core/method.hpp"
#include "core/serial_drafts.hpp"

namespace as2d {
namespace {

class Sd final : public Method {
  public:
    explicit Sd(const MethodSettings& settings) : settings_(settings) {}

    void begin(const MethodContext& context) override {
        drafts_.reset();
        if (context.drafter != nullptr) drafts_.emplace(context);
    }

    void propose(const Boundary& boundary, Proposal& proposal) override {
        if (!drafts_) return;
        const std::size_t most = room_for_candidates(settings_, boundary, proposal);
        if (most > 0) drafts_->draft(boundary, most, 0.0F, proposal);
    }

  private:
    MethodSettings settings_;
    std::optional<SerialDrafts> drafts_;
};

}  // namespace

std::unique_ptr<Method> make_sd(const MethodSettings& settings) { return std::make_unique<Sd>(settings); }

}  // namespace as2d
