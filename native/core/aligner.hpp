// Finds the place in the draft stream that corresponds to the root.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/draft_stream.hpp"
#include "core/method.hpp"
#include "core/text_encoder.hpp"
#include "core/types.hpp"

namespace as2d {

struct Alignment {
  /// Stream index behind the root: the first candidate, when it is published. Empty: no match.
  std::optional<std::size_t> next;
  bool fast = false;   ///< the cursor matched, nothing was searched
  int distance = 0;    ///< edits between the committed tail and the draft, bytes
};

/// Reads the published part of a stream only; one per decode.
class Aligner {
 public:
  Aligner(const TextEncoder& encoder, const DraftStream& stream, Admission admission);

  /// Places the root (the last of `committed`, which only grows from call to call) among the first
  /// `published` entries.
  Alignment align(std::span<const Token> committed, std::size_t published);

 private:
  const TextEncoder& encoder_;
  const DraftStream& stream_;
  Admission admission_;
};

}  // namespace as2d
