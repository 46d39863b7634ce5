// lookahead: while the target verifies a draft, the next one goes on from the assumption that all of it is
// right. A wrong assumption throws that work away, and the target waits for a new draft.
#include <memory>
#include <optional>

#include "core/answer_text.hpp"
#include "core/assignments.hpp"
#include "core/method.hpp"

namespace as2d {
namespace {

class Lookahead final : public Method {
  public:
    explicit Lookahead(const MethodSettings& settings) : settings_(settings) {}

    void begin(const MethodContext& context) override {
        assumed_.reset();
        answer_.reset();
        if (context.stream == nullptr || context.assignments == nullptr || context.link == nullptr) return;
        context_.emplace(context);
        answer_.emplace(context.text);
        seen_ = 0;
    }

    void propose(const Boundary& boundary, Proposal& proposal) override {
        if (!answer_) return;
        const std::size_t most = room_for_candidates(settings_, boundary, proposal);
        if (most == 0) return;
        const std::string& verified = answer_->of(boundary.committed);
        std::size_t first = 0;
        if (!assumption_holds(boundary.committed, most, first)) {
            first = draft({verified, boundary.committed.size(), most}, most);
        }
        const DraftStream& stream = *context_->stream;
        proposal.published = stream.published();
        proposal.cursor = first;
        std::string next = verified;
        bool ends = false;
        for (std::size_t i = first; i < std::min(first + most, proposal.published); ++i) {
            if (stream[i].epoch != epoch_) break;
            proposal.candidates.push_back(stream[i].token);
            next += context_->text.bytes(stream[i].token);
            ends = ends || stream[i].token == context_->end_token;
        }
        proposal.reason = proposal.candidates.empty() ? CallReason::none_published : CallReason::candidates;
        assumed_.reset();
        if (proposal.candidates.empty() || ends) return;
        // The next root is a part of what is assumed: one token more.
        assumed_ = boundary.committed.size() + proposal.candidates.size();
        epoch_ = post({next, *assumed_, most + 1});
    }

  private:
    std::uint32_t post(const Assignment& assignment) {
        seen_ = context_->stream->published();
        return context_->assignments->post(assignment, *context_->producer);
    }

    /// Waits for `count` drafted tokens of the newest epoch or its end; returns the index of the first.
    std::size_t wait_for(std::size_t count) {
        const DraftStream& stream = *context_->stream;
        context_->link->wait([&] {
            if (context_->cancelled.load(std::memory_order_acquire)) return true;
            const bool rested = stream.rested(epoch_);
            const std::size_t published = stream.published();
            while (seen_ < published && stream[seen_].epoch != epoch_)
                ++seen_;
            return rested || published >= seen_ + count;
        });
        return seen_;
    }

    std::size_t draft(const Assignment& assignment, std::size_t count) {
        epoch_ = post(assignment);
        return wait_for(count);
    }

    /// Whether all candidates were accepted and the target said what the draft at work goes on from; then
    /// `first` is the first candidate.
    bool assumption_holds(std::span<const Token> committed, std::size_t most, std::size_t& first) {
        if (!assumed_ || *assumed_ + 1 != committed.size()) return false;
        const std::size_t root = wait_for(1);
        const DraftStream& stream = *context_->stream;
        if (root >= stream.published() || stream[root].token != committed.back()) return false;
        wait_for(most + 1);
        first = root + 1;
        return true;
    }

    MethodSettings settings_;
    std::optional<MethodContext> context_;
    std::optional<AnswerText> answer_;
    std::optional<std::size_t> assumed_;  // tokens of the answer that the draft at work assumes
    std::uint32_t epoch_ = 0;             // of the newest assignment
    std::size_t seen_ = 0;                // its first stream index, once there is one
};

}  // namespace

std::unique_ptr<Method> make_lookahead(const MethodSettings& settings) {
    return std::make_unique<Lookahead>(settings);
}

}  // namespace as2d
