#include "protocol/audio_input.hpp"

#include "protocol/input_error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>

namespace as2d::protocol {

namespace {

constexpr std::size_t samples_a_second = 16000;
// A window is at most 30 s; the limit keeps a wrong path or sender from filling the memory of a phone.
constexpr std::size_t longest_audio = 60 * samples_a_second;

std::uint32_t little_endian(std::span<const unsigned char> bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        value = (value << 8) | bytes[i];
    return value;
}

void append_samples(std::span<const unsigned char> bytes, std::vector<float>& samples) {
    samples.reserve(samples.size() + bytes.size() / 2);
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const auto value = static_cast<std::int16_t>(little_endian(bytes.subspan(i, 2)));
        samples.push_back(static_cast<float>(value) / 32768.0F);
    }
}

void check_format(std::span<const unsigned char> format, const std::string& path) {
    if (format.size() < 16 || little_endian(format.subspan(0, 2)) != 1 ||
        little_endian(format.subspan(2, 2)) != 1 || little_endian(format.subspan(4, 4)) != samples_a_second ||
        little_endian(format.subspan(14, 2)) != 16) {
        throw InputError("'" + path + "' is not 16 kHz mono 16-bit PCM");
    }
}

std::array<std::int8_t, 256> decoding_table() {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<std::int8_t, 256> table;
    table.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    }
    return table;
}

}  // namespace

std::vector<float> read_wav(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw InputError("the audio file '" + path + "' can't be opened");
    std::array<unsigned char, 12> head{};
    if (!stream.read(reinterpret_cast<char*>(head.data()), head.size()) ||
        std::memcmp(head.data(), "RIFF", 4) != 0 || std::memcmp(head.data() + 8, "WAVE", 4) != 0) {
        throw InputError("'" + path + "' is not a WAV file");
    }
    bool format_seen = false;
    std::array<unsigned char, 8> chunk{};
    while (stream.read(reinterpret_cast<char*>(chunk.data()), chunk.size())) {
        const std::size_t size = little_endian(std::span(chunk).subspan(4));
        if (std::memcmp(chunk.data(), "data", 4) == 0) {
            if (!format_seen) throw InputError("'" + path + "' has no format before its data");
            if (size % 2 != 0 || size / 2 > longest_audio) {
                throw InputError("'" + path + "' holds half a sample or more than 60 s");
            }
            std::vector<unsigned char> bytes(size);
            if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
                throw InputError("'" + path + "' ends before its data does");
            }
            std::vector<float> samples;
            append_samples(bytes, samples);
            return samples;
        }
        if (size > 4096) throw InputError("'" + path + "' is not a canonical WAV file");
        std::vector<unsigned char> body(size + size % 2);
        if (!stream.read(reinterpret_cast<char*>(body.data()), static_cast<std::streamsize>(body.size())))
            break;
        if (std::memcmp(chunk.data(), "fmt ", 4) == 0) {
            check_format(body, path);
            format_seen = true;
        }
    }
    throw InputError("'" + path + "' holds no audio data");
}

void append_base64_pcm(std::string_view text, std::vector<float>& samples) {
    static const auto table = decoding_table();
    while (!text.empty() && text.back() == '=')
        text.remove_suffix(1);
    std::vector<unsigned char> bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t buffer = 0;
    int bits = 0;
    for (const char letter : text) {
        const auto value = table[static_cast<unsigned char>(letter)];
        if (value < 0) throw InputError("the audio of 'append' is not base64");
        buffer = (buffer << 6) | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes.push_back(static_cast<unsigned char>((buffer >> bits) & 0xFFU));
        }
    }
    if (bits == 6) throw InputError("the audio of 'append' is not base64");  // a letter on its own
    if (bytes.size() % 2 != 0) throw InputError("the audio of 'append' ends in half a sample");
    if (bytes.size() / 2 > samples_a_second)
        throw InputError("the audio of 'append' is longer than a second");
    if (samples.size() + bytes.size() / 2 > longest_audio) {
        throw InputError("the audio of a window is longer than 60 s");
    }
    append_samples(bytes, samples);
}

}  // namespace as2d::protocol
