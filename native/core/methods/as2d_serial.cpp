// as2d-serial: the very drafts of as2d, but the target waits for them.
#include <memory>
#include <optional>

#include "core/method.hpp"
#include "core/published_drafts.hpp"
#include "core/serial_drafts.hpp"

namespace as2d {
namespace {

class As2dSerial final : public Method {
  public:
    explicit As2dSerial(const MethodSettings& settings) : settings_(settings) {}

    void begin(const MethodContext& context) override {
        published_.reset();
        drafts_.reset();
        if (context.drafter == nullptr) return;
        drafts_.emplace(context);
        drafts_->say_again();  // as2d sees all of it at its first call
        published_.emplace(context.text, drafts_->stream(), settings_.admission);
    }

    void propose(const Boundary& boundary, Proposal& proposal) override {
        if (!drafts_) return;
        const std::size_t most = room_for_candidates(settings_, boundary, proposal);
        if (most == 0) return;
        // Where nothing is aligned yet, a draft as long as the answer and the budget is enough to try.
        do {
            published_->offer(boundary, most, proposal);
        } while (drafts_->draft_on(proposal.cursor.value_or(boundary.committed.size()) + most));
    }

  private:
    MethodSettings settings_;
    std::optional<SerialDrafts> drafts_;
    std::optional<PublishedDrafts> published_;
};

}  // namespace

std::unique_ptr<Method> make_as2d_serial(const MethodSettings& settings) {
    return std::make_unique<As2dSerial>(settings);
}

}  // namespace as2d
