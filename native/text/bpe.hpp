// Byte-level BPE: text to tokens and back, as the `tokenizers` package does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_encoder.hpp"
#include "core/types.hpp"

namespace as2d {

/// A tokenizer as plain data.
struct BpeData {
    struct Merge {
        Token left, right, result;
    };
    /// Bytes of each token id; empty for special tokens and for ids without a token.
    std::vector<std::string> tokens;
    /// In order of rank: the first is applied first.
    std::vector<Merge> merges;
};

class ByteLevelBpe final : public TextEncoder {
  public:
    /// Throws std::invalid_argument (one sentence) when a byte has no token of its own, a merge names an
    /// unknown token, or a merge's result is not the bytes of its two parts.
    explicit ByteLevelBpe(BpeData data);

    std::vector<Token> encode(std::string_view text) const override;
    std::string_view bytes(Token token) const override;
    std::size_t stable_prefix(std::string_view utf8) const override;

    /// Text of tokens; bytes that are no UTF-8 become U+FFFD. Special tokens leave nothing.
    std::string decode(std::span<const Token> tokens) const;

    /// Ids run from 0 to size() - 1.
    std::size_t size() const { return tokens_.size(); }

  private:
    struct MergeSlot {
        std::uint64_t pair = kNoPair;
        std::int32_t rank = 0;
        Token result = kNoToken;
    };
    static constexpr std::uint64_t kNoPair = ~0ULL;

    static std::uint64_t pair_of(Token left, Token right) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U |
               static_cast<std::uint32_t>(right);
    }
    void index_bytes();
    void index_merges(const std::vector<BpeData::Merge>& merges);
    std::size_t slot_of(std::uint64_t pair) const;
    const MergeSlot* merge(Token left, Token right) const;
    void encode_pretoken(std::string_view text, std::vector<Token>& out) const;
    std::size_t furthest_token(std::string_view text) const;
    std::size_t stable_letters(std::string_view text) const;

    std::vector<std::string> tokens_;
    std::vector<Token> sorted_;      // ids with bytes, by their bytes
    Token byte_tokens_[256];         // the token of each single byte
    std::vector<MergeSlot> merges_;  // open addressing, a power of two
    std::size_t merge_mask_ = 0;
};

}  // namespace as2d
