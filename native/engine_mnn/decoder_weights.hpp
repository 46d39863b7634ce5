#pragma once

#include "decoder/decoder.hpp"
#include "models/whisper_manifest.hpp"

#include <memory>
#include <string>

namespace as2d::mnn {

/// The layers of a decoder graph in MNN's file format, whose weights are floating-point numbers or stand in
/// blocks of 8-bit numbers.
/// @throws EngineError when the file is not the graph of such a decoder.
std::shared_ptr<const decoder::Weights> read_decoder_weights(const std::string& path,
                                                             const models::WhisperManifest& manifest);

}  // namespace as2d::mnn
