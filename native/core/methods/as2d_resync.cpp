// as2d-resync: as as2d, but the producer is told when its draft has stopped matching, and restarts from the
// committed text at its own next step. Nobody waits.
#include <memory>
#include <optional>

#include "core/answer_text.hpp"
#include "core/assignments.hpp"
#include "core/method.hpp"
#include "core/published_drafts.hpp"

namespace as2d {
namespace {

class As2dResync final : public Method {
  public:
    explicit As2dResync(const MethodSettings& settings) : settings_(settings) {}

    void begin(const MethodContext& context) override {
        drafts_.reset();
        fruitless_ = 0;
        epoch_ = 0;
        stale_ = judged_ = false;
        if (context.stream == nullptr || context.assignments == nullptr) return;
        stream_ = context.stream;
        producer_ = context.producer;
        assignments_ = context.assignments;
        answer_.emplace(context.text);
        drafts_.emplace(context.text, *stream_, settings_.admission);
    }

    void propose(const Boundary& boundary, Proposal& proposal) override {
        judged_ = false;
        if (!drafts_) return;
        const std::size_t most = room_for_candidates(settings_, boundary, proposal);
        if (most == 0) return;
        if (stale_) restart(boundary.committed);
        const bool rested = stream_->rested(epoch_);
        drafts_->offer(boundary, most, proposal);
        // A draft that is still being written may come to match; one that has ended will not.
        behind_ = proposal.reason == CallReason::none_published && !rested;
        // A restart is given the time to publish something: before, calls say nothing about it.
        judged_ = proposal.published > 0 && (*stream_)[proposal.published - 1].epoch == epoch_;
    }

    void verified(const Verdict& verdict) override {
        if (!judged_) return;
        const bool served = verdict.accepted > 0 || behind_;
        const bool rejected = !behind_ && (verdict.accepted < verdict.proposed || verdict.proposed == 0);
        fruitless_ = served ? 0 : fruitless_ + 1;
        stale_ = settings_.patience == 0 ? rejected : fruitless_ >= settings_.patience;
    }

  private:
    void restart(std::span<const Token> committed) {
        epoch_ = assignments_->post({answer_->of(committed), committed.size()}, *producer_);
        fruitless_ = 0;
        stale_ = false;
    }

    MethodSettings settings_;
    const DraftStream* stream_ = nullptr;
    ProducerState* producer_ = nullptr;
    Assignments* assignments_ = nullptr;
    std::optional<AnswerText> answer_;
    std::optional<PublishedDrafts> drafts_;
    std::uint32_t epoch_ = 0;  // of the newest restart
    int fruitless_ = 0;        // calls in a row without an accepted candidate
    bool behind_ = false;      // the last call found the target ahead of a draft that goes on
    bool judged_ = false;      // the last call saw the newest draft
    bool stale_ = false;
};

}  // namespace

std::unique_ptr<Method> make_as2d_resync(const MethodSettings& settings) {
    return std::make_unique<As2dResync>(settings);
}

}  // namespace as2d
