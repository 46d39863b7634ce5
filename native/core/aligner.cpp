#include "core/aligner.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

namespace as2d {
namespace {

// Case and spaces carry no alignment: ASCII letters are folded, spaces dropped.
void append_normalised(std::string_view bytes, std::vector<std::uint8_t>& out) {
    for (const char c : bytes) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (byte == ' ' || (byte >= '\t' && byte <= '\r')) continue;
        out.push_back(byte >= 'A' && byte <= 'Z' ? static_cast<std::uint8_t>(byte + ('a' - 'A')) : byte);
    }
}

}  // namespace

Aligner::Aligner(const TextEncoder& encoder, const DraftStream& stream, Admission admission,
                 const AlignerTuning& tuning)
    : encoder_(encoder), stream_(stream), admission_(admission), tuning_(tuning) {}

Alignment Aligner::align(std::span<const Token> committed, std::size_t published) {
    if (stream_[published - 1].epoch != epoch_) enter_epoch(committed, published);
    const std::size_t before = anchor_;
    if (follow(committed, published) && (admitted_ || anchor_ > before)) {
        admitted_ = true;
        return {cursor_, true, 0};
    }
    read_committed(committed);
    const Token root = committed.back();
    // Boundary i lies before entry i; the first of an epoch places the root before its whole draft.
    Alignment found = search(root, std::min(cursor_ + (committed.size() - anchor_), published), published);
    admitted_ = false;
    if (!found.next) return found;
    cursor_ = *found.next;
    anchor_ = committed.size();
    const bool same = is_root(cursor_, root);
    admitted_ = admission_ == Admission::root ? same : same || near_edits(cursor_) <= tuning_.most_near_edits;
    if (!admitted_) found.next.reset();
    return found;
}

// What was drafted before counts no more; the text that the new draft goes on from stands before it.
void Aligner::enter_epoch(std::span<const Token> committed, std::size_t published) {
    const DraftEntry& newest = stream_[published - 1];
    epoch_ = newest.epoch;
    epoch_begin_ = published - 1;
    while (epoch_begin_ > 0 && stream_[epoch_begin_ - 1].epoch == epoch_)
        --epoch_begin_;
    cursor_ = epoch_begin_;
    anchor_ = newest.base;
    admitted_ = true;
    draft_.clear();
    ends_.clear();
    const auto most = static_cast<std::size_t>(2 * tuning_.tail);
    const std::size_t first = anchor_ > most ? anchor_ - most : 0;  // a token has a byte or more
    for (std::size_t i = first; i < anchor_; ++i)
        append_normalised(encoder_.bytes(committed[i]), draft_);
    if (draft_.size() > most) draft_.erase(draft_.begin(), draft_.end() - static_cast<std::ptrdiff_t>(most));
    lead_ = draft_.size();
}

// Moves the cursor over the tokens committed since, as far as the draft is published; false when one of them
// is not the draft's.
bool Aligner::follow(std::span<const Token> committed, std::size_t published) {
    while (anchor_ < committed.size() && cursor_ < published) {
        if (stream_[cursor_].token != committed[anchor_]) return false;
        ++cursor_;
        ++anchor_;
    }
    return true;
}

void Aligner::read_committed(std::span<const Token> committed) {
    for (; answer_tokens_ < committed.size(); ++answer_tokens_) {
        append_normalised(encoder_.bytes(committed[answer_tokens_]), answer_);
    }
}

void Aligner::read_draft(std::size_t entries) {
    while (epoch_begin_ + ends_.size() < entries) {
        append_normalised(encoder_.bytes(stream_[epoch_begin_ + ends_.size()].token), draft_);
        ends_.push_back(static_cast<std::uint32_t>(draft_.size()));
    }
}

Alignment Aligner::search(Token root, std::size_t expected, std::size_t published) {
    const std::size_t tail = std::min(answer_.size(), static_cast<std::size_t>(tuning_.tail));
    if (tail == 0) return {};
    read_draft(expected);
    const auto most_bytes = static_cast<std::size_t>(tuning_.window_bytes);
    const auto back = static_cast<std::size_t>(tuning_.window_back);
    std::size_t first = std::max(expected > back ? expected - back : 0, epoch_begin_);
    while (draft_end(expected) - draft_end(first) > most_bytes)
        ++first;
    const std::size_t last = std::min(expected + static_cast<std::size_t>(tuning_.window_ahead), published);
    const std::size_t lead = 2 * tail;
    const std::size_t begin = draft_end(first) > lead ? draft_end(first) - lead : 0;
    const std::size_t end = draft_end(expected) + most_bytes;

    const auto pattern = std::span(answer_).last(tail);
    // When the pattern is the whole answer, its beginning belongs to the draft's beginning.
    edits_.begin(pattern, tail == answer_.size() && begin == 0);
    Alignment best;
    int best_cost = std::numeric_limits<int>::max();
    std::size_t at = begin;
    for (std::size_t boundary = first; boundary <= last; ++boundary) {
        read_draft(boundary);
        if (draft_end(boundary) > end) break;
        for (; at < draft_end(boundary); ++at)
            edits_.push(draft_[at]);
        const bool ahead = boundary >= expected;
        const auto steps = static_cast<int>(ahead ? boundary - expected : expected - boundary);
        const int step_cost = ahead ? tuning_.step_cost : tuning_.step_back_cost;
        const bool same = is_root(boundary, root);
        const int cost = edits_.distance() * tuning_.edit_cost +
                         std::min(steps * step_cost, tuning_.step_cost_most) -
                         (same ? tuning_.same_token_bonus : 0);
        if (cost < best_cost) {
            best_cost = cost;
            best.next = boundary;
            best.distance = edits_.distance();
        }
    }
    edits_.end(pattern);
    if (static_cast<float>(best.distance) > tuning_.most_edits * static_cast<float>(tail)) best.next.reset();
    return best;
}

// Edits between the last few bytes of the answer and the draft right before a boundary.
int Aligner::near_edits(std::size_t boundary) {
    const std::size_t near = std::min(answer_.size(), static_cast<std::size_t>(tuning_.near));
    const auto pattern = std::span(answer_).last(near);
    const std::size_t end = draft_end(boundary);
    edits_.begin(pattern, false);
    for (std::size_t at = end > 2 * near ? end - 2 * near : 0; at < end; ++at)
        edits_.push(draft_[at]);
    edits_.end(pattern);
    return edits_.distance();
}

}  // namespace as2d
