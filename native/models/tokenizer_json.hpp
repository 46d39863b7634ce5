// Reads a tokenizer.json of the `tokenizers` package: the byte-level BPE part of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/bpe.hpp"

namespace as2d {

/// Vocabulary and merges of a tokenizer.json, given as its bytes. Special added tokens have no bytes.
/// Throws std::invalid_argument, one sentence, for anything that is not such a file or asks for what
/// ByteLevelBpe does not do (normalizer, prefix space, dropout, subword marks ...).
BpeData parse_tokenizer_json(std::string_view json);

/// The tokenizer in a file. Throws std::invalid_argument, one sentence, also when it cannot be read.
std::shared_ptr<const ByteLevelBpe> load_tokenizer(const std::string& path);

}  // namespace as2d
