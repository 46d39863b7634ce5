#include "text/bpe.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/utf8.hpp"
#include "text/pretokenizer.hpp"

namespace as2d {
namespace {

constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();

struct Symbol {
    Token token;
    int previous, next;  // -1: none
    bool alive;
};

struct Candidate {
    std::int32_t rank;
    int at;  // the left symbol
    Token left, right, result;
    // The lowest rank first, then the leftmost.
    bool operator>(const Candidate& other) const {
        return std::tie(rank, at) > std::tie(other.rank, other.at);
    }
};

}  // namespace

ByteLevelBpe::ByteLevelBpe(BpeData data) : tokens_(std::move(data.tokens)) {
    index_bytes();
    index_merges(data.merges);
}

void ByteLevelBpe::index_bytes() {
    std::fill(std::begin(byte_tokens_), std::end(byte_tokens_), kNoToken);
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
        const std::string& bytes = tokens_[id];
        if (bytes.empty()) continue;
        sorted_.push_back(static_cast<Token>(id));
        if (bytes.size() == 1) byte_tokens_[static_cast<unsigned char>(bytes[0])] = static_cast<Token>(id);
    }
    for (int byte = 0; byte < 256; ++byte) {
        if (byte_tokens_[byte] == kNoToken) {
            throw std::invalid_argument("The vocabulary has no token for the byte " + std::to_string(byte) +
                                        ".");
        }
    }
    std::ranges::sort(sorted_, {}, [this](Token id) { return std::string_view(bytes(id)); });
}

void ByteLevelBpe::index_merges(const std::vector<BpeData::Merge>& merges) {
    merges_.resize(std::bit_ceil(2 * merges.size() + 2));
    merge_mask_ = merges_.size() - 1;
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const BpeData::Merge& m = merges[rank];
        const std::string joined = std::string(bytes(m.left)) + std::string(bytes(m.right));
        if (bytes(m.left).empty() || bytes(m.right).empty() || bytes(m.result) != joined) {
            throw std::invalid_argument("Merge " + std::to_string(rank) +
                                        " does not join two tokens to a third.");
        }
        MergeSlot& slot = merges_[slot_of(pair_of(m.left, m.right))];
        slot = {pair_of(m.left, m.right), static_cast<std::int32_t>(rank), m.result};
    }
}

// The pair's slot, or the free one where it would go.
std::size_t ByteLevelBpe::slot_of(std::uint64_t pair) const {
    std::uint64_t hash = pair * 0x9E3779B97F4A7C15ULL;
    std::size_t at = static_cast<std::size_t>(hash >> 32U) & merge_mask_;
    while (merges_[at].pair != kNoPair && merges_[at].pair != pair)
        at = (at + 1) & merge_mask_;
    return at;
}

const ByteLevelBpe::MergeSlot* ByteLevelBpe::merge(Token left, Token right) const {
    const MergeSlot& slot = merges_[slot_of(pair_of(left, right))];
    return slot.pair == kNoPair ? nullptr : &slot;
}

std::string_view ByteLevelBpe::bytes(Token token) const {
    if (token < 0 || static_cast<std::size_t>(token) >= tokens_.size()) return {};
    return tokens_[static_cast<std::size_t>(token)];
}

std::vector<Token> ByteLevelBpe::encode(std::string_view text) const {
    std::vector<Token> out;
    while (!text.empty()) {
        const std::size_t length = front_pretoken(text).length;
        encode_pretoken(text.substr(0, length), out);
        text.remove_prefix(length);
    }
    return out;
}

void ByteLevelBpe::encode_pretoken(std::string_view text, std::vector<Token>& out) const {
    std::vector<Symbol> symbols;
    symbols.reserve(text.size());
    const int count = static_cast<int>(text.size());
    for (int i = 0; i < count; ++i) {
        const auto byte = static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
        symbols.push_back({byte_tokens_[byte], i - 1, i + 1 < count ? i + 1 : -1, true});
    }
    std::vector<Candidate> storage;
    storage.reserve(symbols.size());
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue({}, std::move(storage));
    const auto at = [&symbols](int i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };
    const auto offer = [&](int left) {
        if (left < 0 || at(left).next < 0) return;
        const Token a = at(left).token;
        const Token b = at(at(left).next).token;
        if (const MergeSlot* slot = merge(a, b)) queue.push({slot->rank, left, a, b, slot->result});
    };
    for (int i = 0; i + 1 < count; ++i)
        offer(i);
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = at(best.at);
        // An entry is stale when one of its two symbols has been merged since.
        if (!left.alive || left.token != best.left || left.next < 0) continue;
        Symbol& right = at(left.next);
        if (right.token != best.right) continue;
        left.token = best.result;
        right.alive = false;
        left.next = right.next;
        if (left.next >= 0) at(left.next).previous = best.at;
        offer(left.previous);
        offer(best.at);
    }
    for (int i = 0; i >= 0; i = at(i).next)
        out.push_back(at(i).token);
}

std::size_t ByteLevelBpe::stable_prefix(std::string_view utf8) const {
    std::size_t stable = 0;
    bool after_spaces = false;
    for (std::size_t at = 0; at < utf8.size();) {
        const std::string_view rest = utf8.substr(at);
        const PreToken next = front_pretoken(rest);
        if (!next.settled) {
            const std::size_t inside =
                next.kind == CharClass::letter ? stable_letters(rest.substr(0, next.length)) : 0;
            return inside > 0 ? at + inside : stable;
        }
        at += next.length;
        // Without what follows, two pre-tokens of one run of spaces would be one: no end for a prefix.
        const bool spaces = next.kind == CharClass::space;
        if (!spaces || !after_spaces) stable = at;
        after_spaces = spaces;
    }
    return stable;
}

// Length of the longest token that begins like `text`; kAnyLength when one could go on behind it.
std::size_t ByteLevelBpe::furthest_token(std::string_view text) const {
    auto low = sorted_.begin();
    auto high = sorted_.end();
    std::size_t longest = 0;
    for (std::size_t depth = 0; depth < text.size(); ++depth) {
        const auto byte_at = [this, depth](Token id) {
            const std::string_view b = bytes(id);
            return depth < b.size() ? static_cast<int>(static_cast<unsigned char>(b[depth])) : -1;
        };
        const int wanted = static_cast<unsigned char>(text[depth]);
        std::tie(low, high) = std::pair(std::ranges::lower_bound(low, high, wanted, {}, byte_at),
                                        std::ranges::upper_bound(low, high, wanted, {}, byte_at));
        if (low == high) return longest;
        if (bytes(*low).size() == depth + 1) longest = depth + 1;
    }
    const bool longer = bytes(*std::prev(high)).size() > text.size();
    return longer ? kAnyLength : longest;
}

// Within a run of letters that may go on: the last character boundary that no token of the vocabulary
// reaches over, whatever follows. No merge can then cross it, so both sides are encoded by themselves.
std::size_t ByteLevelBpe::stable_letters(std::string_view text) const {
    std::size_t stable = 0;
    std::size_t reach = 0;  // the furthest end of a token that begins before `at`
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_front(text.substr(at)).length;
        if (at > 0 && reach <= at && text[at - 1] != ' ') stable = at;
        for (std::size_t i = at; i < at + length; ++i) {
            const std::size_t token = furthest_token(text.substr(i));
            if (token == kAnyLength) return stable;
            reach = std::max(reach, i + token);
        }
        at += length;
    }
    return stable;
}

std::string ByteLevelBpe::decode(std::span<const Token> tokens) const {
    Utf8Assembler assembler;
    std::string text;
    for (const Token token : tokens)
        text += assembler.push(bytes(token));
    return text + assembler.flush();
}

}  // namespace as2d
