#include "core/aligner.hpp"

#include <algorithm>
#include <limits>
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
    if (follow(committed, published)) return {cursor_, true, 0};
    read_committed(committed);
    read_draft(published);
    const std::optional<Place> place = search(committed.back(), committed.size(), published);
    if (!place) return {};
    cursor_ = place->next;
    anchor_ = committed.size();
    return {cursor_, false, place->distance};
}

// Moves the cursor over the tokens committed since; false when they are not the draft's.
bool Aligner::follow(std::span<const Token> committed, std::size_t published) {
    if (anchor_ == 0 && (published == 0 || stream_[0].token != committed[0])) return false;
    std::size_t next = cursor_;
    for (std::size_t i = anchor_; i < committed.size(); ++i, ++next) {
        if (next >= published || stream_[next].token != committed[i]) return false;
    }
    cursor_ = next;
    anchor_ = committed.size();
    return true;
}

void Aligner::read_committed(std::span<const Token> committed) {
    for (; answer_tokens_ < committed.size(); ++answer_tokens_) {
        append_normalised(encoder_.bytes(committed[answer_tokens_]), answer_);
    }
}

void Aligner::read_draft(std::size_t published) {
    while (ends_.size() < published) {
        append_normalised(encoder_.bytes(stream_[ends_.size()].token), draft_);
        ends_.push_back(static_cast<std::uint32_t>(draft_.size()));
    }
}

std::optional<Aligner::Place> Aligner::search(Token root, std::size_t committed, std::size_t published) {
    const auto tail = std::min(answer_.size(), static_cast<std::size_t>(tuning_.tail));
    if (tail == 0) return std::nullopt;
    const std::size_t expected = std::min(cursor_ + (committed - anchor_), published);
    // Boundary i lies before entry i; boundary 0 places the root before the whole draft.
    const std::size_t back = static_cast<std::size_t>(tuning_.window_back);
    const std::size_t first = expected > back ? expected - back : 0;
    const std::size_t last = std::min(expected + static_cast<std::size_t>(tuning_.window_ahead), published);
    const auto end_of = [this](std::size_t boundary) {
        return boundary == 0 ? std::size_t{0} : std::size_t{ends_[boundary - 1]};
    };
    const std::size_t lead = 2 * tail;
    const std::size_t begin = end_of(first) > lead ? end_of(first) - lead : 0;

    const std::uint8_t* pattern = answer_.data() + (answer_.size() - tail);
    for (std::size_t i = 0; i < tail; ++i)
        peq_[pattern[i]] |= std::uint64_t{1} << i;
    // When the whole answer is the pattern its beginning belongs to the draft's beginning.
    const std::uint64_t anchored = tail == answer_.size() && begin == 0 ? 1 : 0;
    const std::uint64_t top = std::uint64_t{1} << (tail - 1);
    std::uint64_t positive = ~std::uint64_t{0};
    std::uint64_t negative = 0;
    int distance = static_cast<int>(tail);
    std::optional<Place> best;
    int best_cost = std::numeric_limits<int>::max();
    std::size_t at = begin;
    for (std::size_t boundary = first; boundary <= last; ++boundary) {
        for (const std::size_t end = end_of(boundary); at < end; ++at) {
            const std::uint64_t eq = peq_[draft_[at]];
            const std::uint64_t x = eq | negative;
            const std::uint64_t d0 = (((x & positive) + positive) ^ positive) | x;
            std::uint64_t up = negative | ~(positive | d0);
            std::uint64_t down = positive & d0;
            distance += static_cast<int>((up & top) != 0) - static_cast<int>((down & top) != 0);
            up = (up << 1U) | anchored;
            down <<= 1U;
            positive = down | ~(d0 | up);
            negative = d0 & up;
        }
        const bool ahead = boundary >= expected;
        const auto steps = static_cast<int>(ahead ? boundary - expected : expected - boundary);
        const int far =
            std::min(steps * (ahead ? tuning_.step_cost : tuning_.step_back_cost), tuning_.step_cost_most);
        const bool same = boundary > 0 && stream_[boundary - 1].token == root;
        const int cost = distance * tuning_.edit_cost + far - (same ? tuning_.same_token_bonus : 0);
        if (cost < best_cost) {
            best_cost = cost;
            best = Place{boundary, distance};
        }
    }
    for (std::size_t i = 0; i < tail; ++i)
        peq_[pattern[i]] = 0;
    if (static_cast<float>(best->distance) > tuning_.most_edits * static_cast<float>(tail))
        return std::nullopt;
    if (admission_ == Admission::root && (best->next == 0 || stream_[best->next - 1].token != root)) {
        return std::nullopt;
    }
    return best;
}

}  // namespace as2d
