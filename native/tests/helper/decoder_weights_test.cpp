// Decoder files that are not what they should be are refused with the reason. Right ones are decoded with in
// the end-to-end tests, against target-only and against the audit.
#include "engine_mnn/decoder_weights.hpp"

#include "core/errors.hpp"
#include "tests/telemetry/file_tree.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

using namespace as2d;

namespace {

std::string refusal(const std::string& path) {
    models::WhisperManifest manifest;
    manifest.layers = 1;
    manifest.heads = 1;
    manifest.head_dim = 64;
    manifest.width = 64;
    try {
        mnn::read_decoder_weights(path, manifest);
    } catch (const EngineError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a decoder file that is missing, empty or damaged is refused, and named") {
    const FileTree tree;
    const auto path = tree.root() + "/decoder.mnn";
    CHECK(refusal(path).find(path + "' is not a decoder graph this engine can load: it cannot be read") !=
          std::string::npos);
    for (const std::string& content : {std::string(), std::string("RIFF"), std::string(4096, '\x7f')}) {
        std::ofstream(path, std::ios::binary) << content;
        CHECK(refusal(path).find("it is damaged") != std::string::npos);
    }
}
