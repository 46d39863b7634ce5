#include "models/whisper_manifest.hpp"

#include "core/errors.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <unistd.h>

using namespace as2d;
using namespace as2d::models;
using nlohmann::json;

namespace {

json valid_manifest() {
    return json::parse(R"({
        "format": 2, "name": "little", "kind": "whisper", "title": "Little", "roles": ["target"],
        "arithmetic": {"memory": "normal", "precision": "normal"},
        "dims": {"layers": 2, "heads": 2, "head_dim": 4, "width": 8, "vocab": 100, "audio_positions": 1500,
                 "text_positions": 448},
        "audio": {"sample_rate": 16000, "hop": 160, "n_fft": 400, "window_s": 30, "cut_to_audio": false},
        "tokens": {"start": 90, "end": 89, "transcribe": 95, "translate": 94, "no_timestamps": 97, "no_speech": 96,
                   "languages": {"en": 91, "zh": 92}},
        "suppress": [1, 2], "suppress_begin": [3], "alignment_heads": [[1, 0]],
        "declares": {"languages": ["en", "zh"], "tasks": ["transcribe"]},
        "limits": {"tokens": 224},
        "files": {"encoder": {"path": "encoder.mnn", "size": 5, "sha256": "00"},
                  "decoder": {"path": "decoder.mnn", "size": 5, "sha256": "00", "arithmetic": {"memory": "low"}}}
    })");
}

/// A model folder that goes away with the test.
class Folder {
  public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("as2d-model-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
        for (const auto* name : {"encoder.mnn", "decoder.mnn"})
            std::ofstream(path_ / name) << "12345";
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    void write(const std::string& text) const { std::ofstream(path_ / "model.json") << text; }
    WhisperManifest read() const { return read_whisper_manifest(path_.string()); }
    std::string refusal() const {
        try {
            read();
        } catch (const EngineError& error) {
            return error.what();
        }
        return "";
    }

  private:
    std::filesystem::path path_;
};

}  // namespace

TEST_CASE("a manifest is read") {
    const Folder folder;
    folder.write(valid_manifest().dump());
    const auto manifest = folder.read();
    CHECK(manifest.name == "little");
    CHECK(manifest.languages.at("zh") == 92);
    CHECK(manifest.alignment_heads.size() == 1);
    CHECK_FALSE(manifest.computes_in_integers("encoder"));
    CHECK(manifest.computes_in_integers("decoder"));
    CHECK_THROWS_AS(manifest.file("words"), EngineError);
}

TEST_CASE("a wrong manifest is refused with its folder and the reason") {
    const Folder folder;
    const auto refused = [&](const std::string& pointer, const json& value) {
        auto manifest = valid_manifest();
        manifest[json::json_pointer(pointer)] = value;
        folder.write(manifest.dump());
        return folder.refusal();
    };
    CHECK(refused("/format", 1).find("format") != std::string::npos);
    CHECK(refused("/kind", "opus").find("whisper") != std::string::npos);
    CHECK(refused("/dims/width", 9).find("width") != std::string::npos);
    CHECK(refused("/dims/vocab", -1).find("vocab") != std::string::npos);
    CHECK(refused("/tokens/start", 100).find("vocabulary") != std::string::npos);
    CHECK(refused("/suppress", json::array({-1})).find("vocabulary") != std::string::npos);
    CHECK(refused("/alignment_heads", json::array({json::array({2, 0})})).find("alignment") !=
          std::string::npos);
    CHECK(refused("/files/encoder/path", "../encoder.mnn").find("plain name") != std::string::npos);
    CHECK(refused("/files/encoder/path", "/etc/passwd").find("plain name") != std::string::npos);
    CHECK(refused("/files/encoder/size", 6).find("size") != std::string::npos);
    CHECK(refused("/limits/tokens", 445).find("limit") != std::string::npos);
    CHECK(refused("/audio", nullptr) != "");
}

TEST_CASE("damaged manifests are read or refused") {
    const Folder folder;
    std::mt19937 random(11);
    const auto good = valid_manifest().dump();
    for (int round = 0; round < 3000; ++round) {
        auto text = good;
        for (int change = 0; change < 3; ++change) {
            const auto place = random() % text.size();
            if (random() % 2 == 0) {
                text[place] = static_cast<char>(random() % 256);
            } else {
                text.erase(place, 1 + random() % 5);
            }
        }
        folder.write(text);
        try {
            const auto manifest = folder.read();
            CHECK(manifest.vocab > 0);
        } catch (const EngineError& error) {
            CHECK(std::string(error.what()).find("model.json") != std::string::npos);
        }
    }
}
