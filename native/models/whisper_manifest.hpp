#pragma once

#include "core/target.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace as2d::models {

/// What `model.json` of a Whisper model folder says, checked.
struct WhisperManifest {
    std::string name;
    bool integer_arithmetic = false;

    int layers = 0;
    int heads = 0;
    int head_dim = 0;
    int width = 0;
    int vocab = 0;
    int audio_positions = 0;
    int text_positions = 0;

    int window_seconds = 30;
    bool cut_to_audio = false;

    Token start = -1;
    Token end = -1;
    Token transcribe = -1;
    Token translate = -1;
    Token no_timestamps = -1;
    Token no_speech = -1;
    std::map<std::string, Token> languages;

    std::vector<Token> suppress;
    std::vector<Token> suppress_begin;
    std::vector<std::array<int, 2>> alignment_heads;
    std::vector<std::string> declared_languages;
    std::vector<std::string> declared_tasks;
    int token_limit = 224;

    std::map<std::string, std::string> files;  ///< role -> absolute path
    std::map<std::string, bool>
        integer_files;  ///< role -> computed in integers, where it differs from the model

    const std::string& file(const std::string& role) const;
    bool computes_in_integers(const std::string& role) const;
};

/// Reads and checks `<folder>/model.json` and the sizes of the files it names.
/// @throws EngineError with one sentence naming the folder and what is wrong.
WhisperManifest read_whisper_manifest(const std::string& folder);

}  // namespace as2d::models
