#include "models/whisper_manifest.hpp"

#include "core/errors.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace as2d::models {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int largest_dimension = 1 << 20;

int positive(const json& object, const char* key) {
    const auto value = object.at(key).get<std::int64_t>();
    if (value < 1 || value > largest_dimension) throw EngineError(std::string(key) + " is out of range");
    return static_cast<int>(value);
}

Token token(const json& value, int vocab) {
    const auto id = value.get<std::int64_t>();
    if (id < 0 || id >= vocab) throw EngineError("a token id is outside the vocabulary");
    return static_cast<Token>(id);
}

Token optional_token(const json& object, const char* key, int vocab) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? -1 : token(*found, vocab);
}

std::vector<Token> token_list(const json& values, int vocab) {
    std::vector<Token> tokens;
    for (const auto& value : values)
        tokens.push_back(token(value, vocab));
    return tokens;
}

void read_dims(const json& dims, WhisperManifest& out) {
    out.layers = positive(dims, "layers");
    out.heads = positive(dims, "heads");
    out.head_dim = positive(dims, "head_dim");
    out.width = positive(dims, "width");
    out.vocab = positive(dims, "vocab");
    out.audio_positions = positive(dims, "audio_positions");
    out.text_positions = positive(dims, "text_positions");
    if (out.heads * out.head_dim != out.width) throw EngineError("heads times head_dim is not width");
}

void read_tokens(const json& tokens, WhisperManifest& out) {
    out.start = token(tokens.at("start"), out.vocab);
    out.end = token(tokens.at("end"), out.vocab);
    out.no_timestamps = token(tokens.at("no_timestamps"), out.vocab);
    out.transcribe = optional_token(tokens, "transcribe", out.vocab);
    out.translate = optional_token(tokens, "translate", out.vocab);
    out.no_speech = optional_token(tokens, "no_speech", out.vocab);
    for (const auto& [code, id] : tokens.at("languages").items())
        out.languages[code] = token(id, out.vocab);
}

void read_files(const json& files, const fs::path& folder, WhisperManifest& out) {
    for (const auto& [role, entry] : files.items()) {
        const fs::path relative = entry.at("path").get<std::string>();
        if (relative.empty() || relative.is_absolute() || relative.filename() != relative) {
            throw EngineError("the file of '" + role + "' must be a plain name inside the folder");
        }
        const auto path = folder / relative;
        std::error_code code;
        const auto size = fs::file_size(path, code);
        if (code) throw EngineError("the file '" + relative.string() + "' is missing");
        if (size != entry.at("size").get<std::uint64_t>()) {
            throw EngineError("the file '" + relative.string() + "' has a wrong size");
        }
        out.files[role] = path.string();
        if (const auto arithmetic = entry.find("arithmetic"); arithmetic != entry.end()) {
            out.integer_files[role] = arithmetic->at("memory").get<std::string>() == "low";
        }
    }
}

WhisperManifest parse(const json& root, const fs::path& folder) {
    if (root.at("format").get<int>() != 2) throw EngineError("its format is not 2");
    if (root.at("kind").get<std::string>() != "whisper") throw EngineError("its kind is not 'whisper'");
    WhisperManifest out;
    out.name = root.at("name").get<std::string>();
    out.integer_arithmetic = root.at("arithmetic").at("memory").get<std::string>() == "low";
    read_dims(root.at("dims"), out);
    const auto& audio = root.at("audio");
    if (audio.at("sample_rate").get<int>() != 16000 || audio.at("hop").get<int>() != 160 ||
        audio.at("n_fft").get<int>() != 400) {
        throw EngineError("its audio settings are not Whisper's 16 kHz, hop 160, n_fft 400");
    }
    out.window_seconds = positive(audio, "window_s");
    if (out.audio_positions != out.window_seconds * 50)
        throw EngineError("audio_positions is not 50 a second");
    out.cut_to_audio = audio.at("cut_to_audio").get<bool>();
    read_tokens(root.at("tokens"), out);
    out.suppress = token_list(root.at("suppress"), out.vocab);
    out.suppress_begin = token_list(root.at("suppress_begin"), out.vocab);
    for (const auto& pair : root.at("alignment_heads")) {
        const std::array<int, 2> head = {pair.at(0).get<int>(), pair.at(1).get<int>()};
        if (head[0] < 0 || head[0] >= out.layers || head[1] < 0 || head[1] >= out.heads) {
            throw EngineError("an alignment head does not exist");
        }
        out.alignment_heads.push_back(head);
    }
    out.declared_languages = root.at("declares").at("languages").get<std::vector<std::string>>();
    out.declared_tasks = root.at("declares").at("tasks").get<std::vector<std::string>>();
    out.token_limit = positive(root.at("limits"), "tokens");
    if (out.token_limit + 8 > out.text_positions)
        throw EngineError("its token limit exceeds its text positions");
    read_files(root.at("files"), folder, out);
    return out;
}

}  // namespace

const std::string& WhisperManifest::file(const std::string& role) const {
    const auto found = files.find(role);
    if (found == files.end()) throw EngineError("the model '" + name + "' has no file for '" + role + "'");
    return found->second;
}

bool WhisperManifest::computes_in_integers(const std::string& role) const {
    const auto found = integer_files.find(role);
    return found == integer_files.end() ? integer_arithmetic : found->second;
}

WhisperManifest read_whisper_manifest(const std::string& folder) {
    const auto path = fs::path(folder) / "model.json";
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw EngineError("there is no model.json in '" + folder + "'");
    try {
        return parse(json::parse(stream), fs::path(folder));
    } catch (const json::exception& error) {
        throw EngineError("'" + path.string() + "' is not a valid model manifest: " + error.what());
    } catch (const EngineError& error) {
        throw EngineError("'" + path.string() + "' can't be used: " + error.what());
    }
}

}  // namespace as2d::models
