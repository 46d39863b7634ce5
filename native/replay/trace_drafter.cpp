#include "replay/trace_drafter.hpp"

#include <algorithm>
#include <cassert>

namespace as2d::replay {
namespace {

std::size_t shared_prefix(std::string_view a, std::string_view b) {
    const std::size_t most = std::min(a.size(), b.size());
    return static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

}  // namespace

TraceDrafter::TraceDrafter(const Trace& trace, const CostProfile& profile, const TextEncoder& encoder,
                           VirtualClock& clock)
    : trace_(trace), profile_(profile), encoder_(encoder), clock_(clock) {
    assert(trace.drafted());
    pieces_ = trace_.pieces(trace_.continuations().front());
    prompt_ = static_cast<std::size_t>(std::max(1, pieces_.front().width));
    token_ends_.assign(prompt_, 0);
}

bool TraceDrafter::can(std::string_view /*task*/, std::string_view /*language*/) const {
    return trace_.drafted();
}

DraftPiece TraceDrafter::step() {
    // Recording stops after some pieces; the drafter goes on from the next recorded place.
    if (pieces_.empty() && text_.size() > found_at_) find_continuation(text_.size());
    DraftPiece out;
    out.width = static_cast<int>(token_ends_.size() - cached_);
    pay(out.width);
    cached_ = token_ends_.size();
    if (pieces_.empty()) {
        out.end_of_text = true;
        return out;
    }
    const Piece& piece = pieces_.front();
    out.text = trace_.text_of(piece).substr(cut_);
    out.confidence = piece.confidence;
    out.end_of_text = piece.end_of_text;
    pieces_ = pieces_.subspan(1);
    cut_ = 0;
    text_ += out.text;
    token_ends_.push_back(static_cast<std::uint32_t>(text_.size()));
    return out;
}

void TraceDrafter::restart(std::string_view text) {
    ++epoch_;
    const std::size_t shared = shared_prefix(text_, text);
    std::size_t kept = prompt_;
    while (kept < token_ends_.size() && token_ends_[kept] <= shared)
        ++kept;
    token_ends_.resize(kept);
    text_ = text;
    append_tokens(text, token_ends_.back());
    cached_ = std::min(cached_, kept);
    // With nothing new to run the last token runs again: its row was not kept.
    if (cached_ == token_ends_.size()) --cached_;
    find_continuation(text.size());
}

// Tokens of the history from byte `begin` of its text on.
void TraceDrafter::append_tokens(std::string_view text, std::size_t begin) {
    const std::size_t shared = shared_prefix(trace_.answer(), text);
    const auto ends = trace_.token_ends();
    std::size_t done = begin;
    for (auto end = std::ranges::upper_bound(ends, begin); end != ends.end() && *end <= shared; ++end) {
        token_ends_.push_back(*end);
        done = *end;
    }
    if (done == text.size()) return;
    for (const Token token : encoder_.encode(text.substr(done))) {
        done += encoder_.bytes(token).size();
        token_ends_.push_back(static_cast<std::uint32_t>(done));
    }
}

// What is said behind the first `length` bytes of the history: the continuation recorded last before them
// that says the bytes in between, else the last one, whatever it says.
void TraceDrafter::find_continuation(std::size_t length) {
    found_at_ = length;
    const auto all = trace_.continuations();
    const auto later = std::ranges::upper_bound(all, length, {}, &Continuation::text_begin);
    assert(later != all.begin());
    const std::string_view history = text_;
    if (trace_.answer().compare(0, length, history) == 0) {
        for (auto at = later; at != all.begin();) {
            --at;
            if (continues(*at, history.substr(at->text_begin))) return;
        }
    }
    const Continuation& nearest = *std::prev(later);
    skip(nearest, length - nearest.text_begin);
}

// Whether a continuation begins with `said`; then what follows is said next.
bool TraceDrafter::continues(const Continuation& continuation, std::string_view said) {
    std::size_t at = 0;
    const auto pieces = trace_.pieces(continuation);
    for (std::size_t i = 0; at < said.size(); ++i) {
        if (i == pieces.size()) return false;
        const std::string_view text = trace_.text_of(pieces[i]);
        if (shared_prefix(text, said.substr(at)) < std::min(text.size(), said.size() - at)) return false;
        at += text.size();
    }
    skip(continuation, said.size());
    return true;
}

void TraceDrafter::skip(const Continuation& continuation, std::size_t bytes) {
    pieces_ = trace_.pieces(continuation);
    cut_ = 0;
    while (!pieces_.empty() && bytes > 0) {
        const std::size_t size = trace_.text_of(pieces_.front()).size();
        if (size > bytes) {
            cut_ = bytes;
            return;
        }
        bytes -= size;
        // An end of text is said again from wherever its text is left.
        if (pieces_.front().end_of_text) {
            cut_ = size;
            return;
        }
        pieces_ = pieces_.subspan(1);
    }
}

Nanos TraceDrafter::cost(int width) const {
    const auto context = static_cast<int>(cached_);
    if (turns_ != nullptr) return profile_.step(turns_->steps, width, context, trace_.seconds());
    if (!beside_) return profile_.drafter_alone.at(width, context, trace_.seconds());
    const Nanos alone = profile_.drafter_shared.at(width, context, trace_.seconds());
    return target_waits_ ? alone : scaled(alone, profile_.drafter_beside);
}

void TraceDrafter::pay(int width) {
    if (free_) return;
    if (turns_ != nullptr) ++turns_->steps;
    const Nanos start = clock_.now();
    clock_.advance(cost(width));
    work_.time += clock_.now() - start;
    ++work_.steps;
    if (spans_ != nullptr) spans_->push_back({start, clock_.now(), width, epoch_});
}

}  // namespace as2d::replay
