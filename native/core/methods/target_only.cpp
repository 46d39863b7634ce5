// target-only: scalar steps, no drafts.
#include <memory>

#include "core/method.hpp"

namespace as2d {
namespace {

class TargetOnly final : public Method {
  public:
    void begin(const MethodContext& /*context*/) override {}
    void propose(const Boundary& /*boundary*/, Proposal& proposal) override {
        proposal.reason = CallReason::producer_none;
    }
};

}  // namespace

std::unique_ptr<Method> make_target_only(const MethodSettings& /*settings*/) {
    return std::make_unique<TargetOnly>();
}

}  // namespace as2d
