#include "protocol/audio_input.hpp"

#include "protocol/input_error.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

using namespace as2d::protocol;

namespace {

void add(std::string& bytes, std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i)
        bytes.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
}

std::string wav(const std::vector<std::int16_t>& samples, std::uint32_t rate = 16000,
                std::uint32_t channels = 1) {
    std::string bytes = "RIFF";
    add(bytes, 36 + static_cast<std::uint32_t>(samples.size()) * 2, 4);
    bytes += "WAVEfmt ";
    add(bytes, 16, 4);
    add(bytes, 1, 2);
    add(bytes, channels, 2);
    add(bytes, rate, 4);
    add(bytes, rate * channels * 2, 4);
    add(bytes, channels * 2, 2);
    add(bytes, 16, 2);
    bytes += "data";
    add(bytes, static_cast<std::uint32_t>(samples.size()) * 2, 4);
    for (const auto sample : samples)
        add(bytes, static_cast<std::uint16_t>(sample), 2);
    return bytes;
}

/// A file of its own that goes away with the test.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& bytes)
        : path_(std::filesystem::temp_directory_path() / ("as2d-audio-" + std::to_string(::getpid()))) {
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

bool refused(const std::string& bytes) {
    const TemporaryFile file(bytes);
    try {
        read_wav(file.path());
    } catch (const InputError&) {
        return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a canonical WAV file gives its samples") {
    const TemporaryFile file(wav({0, 16384, -32768}));
    CHECK(read_wav(file.path()) == std::vector<float>{0.0F, 0.5F, -1.0F});
}

TEST_CASE("anything else is refused") {
    const auto good = wav({1, 2, 3});
    CHECK(refused(""));
    CHECK(refused(wav({1}, 44100)));
    CHECK(refused(wav({1, 2}, 16000, 2)));
    for (std::size_t cut = 0; cut < good.size(); ++cut)
        CHECK(refused(good.substr(0, cut)));
    CHECK_THROWS_AS(read_wav("/no/such/file.wav"), InputError);
}

TEST_CASE("damaged files are read or refused") {
    std::mt19937 random(3);
    const auto good = wav({1, 2, 3, 4});
    for (int round = 0; round < 500; ++round) {
        auto bytes = good;
        for (int change = 0; change < 3; ++change)
            bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
        const TemporaryFile file(bytes);
        try {
            const auto samples = read_wav(file.path());
            CHECK(samples.size() <= 4);
        } catch (const InputError& error) {
            CHECK(std::string(error.what()).find(file.path()) != std::string::npos);
        }
    }
}

TEST_CASE("base64 samples are appended") {
    std::vector<float> samples = {0.25F};
    append_base64_pcm("AEAAgA==", samples);  // 0x4000, 0x8000
    CHECK(samples == std::vector<float>{0.25F, 0.5F, -1.0F});
    CHECK_THROWS_AS(append_base64_pcm("****", samples), InputError);
    CHECK_THROWS_AS(append_base64_pcm("AEAA", samples), InputError);   // one sample and a half
    CHECK_THROWS_AS(append_base64_pcm("AEAAg", samples), InputError);  // a letter too many
    CHECK_THROWS_AS(append_base64_pcm(std::string(60000, 'A'), samples), InputError);
    CHECK(samples.size() == 3);
    samples.resize(60 * 16000 - 1);
    append_base64_pcm("AEA=", samples);
    CHECK_THROWS_AS(append_base64_pcm("AEA=", samples), InputError);  // a minute is full
    CHECK(samples.size() == 60 * 16000);
}
