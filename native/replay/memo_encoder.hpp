// Remembers what a text encoder said.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text_encoder.hpp"

namespace as2d::replay {

/// Replay encodes the same few words over and over. For one thread, unlike the encoder that it asks.
class MemoEncoder final : public TextEncoder {
  public:
    /// `inner` outlives it.
    explicit MemoEncoder(const TextEncoder& inner) : inner_(inner) {}

    std::vector<Token> encode(std::string_view text) const override;
    std::string_view bytes(Token token) const override { return inner_.bytes(token); }
    std::size_t stable_prefix(std::string_view utf8) const override;

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    template <typename Value>
    using Memo = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

    const TextEncoder& inner_;
    mutable Memo<std::vector<Token>> tokens_;
    mutable Memo<std::size_t> stable_;
};

}  // namespace as2d::replay
