// The bytes of an answer that grows.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/text_encoder.hpp"
#include "core/types.hpp"

namespace as2d {

class AnswerText {
  public:
    explicit AnswerText(const TextEncoder& encoder) : encoder_(encoder) {}

    /// The bytes of `committed`, of which the tokens seen before are the beginning.
    const std::string& of(std::span<const Token> committed) {
        for (; tokens_ < committed.size(); ++tokens_)
            text_ += encoder_.bytes(committed[tokens_]);
        return text_;
    }

  private:
    const TextEncoder& encoder_;
    std::string text_;
    std::size_t tokens_ = 0;
};

}  // namespace as2d
