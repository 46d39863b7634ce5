#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace as2d::protocol {

/// Samples of a canonical WAV file: 16 kHz, mono, signed 16-bit, scaled to [-1, 1).
/// @throws InputError with one sentence when the file is missing or is anything else.
std::vector<float> read_wav(const std::string& path);

/// Decodes base64 of little-endian signed 16-bit samples and appends them, scaled to [-1, 1).
/// @throws InputError when the text is not base64 of whole samples or holds more than a second, or when
///     `samples` would hold more than 60 s.
void append_base64_pcm(std::string_view text, std::vector<float>& samples);

}  // namespace as2d::protocol
