#include "models/tokenizer_json.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>

using namespace as2d;

namespace {

using Json = nlohmann::json;

std::string utf8(unsigned code) {
    if (code < 0x80) return {static_cast<char>(code)};
    return {static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 0x3FU))};
}

/// A small valid file: the byte alphabet, two merges, one special token.
Json valid() {
    Json vocabulary = Json::object();
    unsigned shifted = 256;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool visible = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        vocabulary[utf8(visible ? byte : shifted++)] = byte;
    }
    vocabulary["th"] = 256;
    vocabulary["\u0120th"] = 257;
    return {
        {"version", "1.0"},
        {"normalizer", nullptr},
        {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
        {"added_tokens", {{{"id", 258}, {"content", "<|end|>"}, {"special", true}}}},
        {"model",
         {{"type", "BPE"}, {"dropout", nullptr}, {"vocab", vocabulary}, {"merges", {"t h", "\u0120 th"}}}}};
}

std::string refusal(const Json& json) {
    try {
        const ByteLevelBpe bpe(
            parse_tokenizer_json(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("vocabulary, merges in both spellings, special tokens") {
    for (const bool pairs : {false, true}) {
        Json json = valid();
        if (pairs)
            json["model"]["merges"] = Json::array({Json::array({"t", "h"}), Json::array({"\u0120", "th"})});
        const ByteLevelBpe bpe(parse_tokenizer_json(json.dump()));
        CHECK(bpe.size() == 259);
        CHECK(bpe.encode(" th th") == std::vector<Token>{257, 257});
        CHECK(bpe.encode("th") == std::vector<Token>{256});
        CHECK(bpe.bytes(257) == " th");
        CHECK(bpe.bytes(258).empty());
        CHECK(bpe.encode("<|end|>").size() == 7);
        CHECK(bpe.decode(std::vector<Token>{257, 258, 256}) == " thth");
    }
}

TEST_CASE("every refusal is a sentence that says what is wrong") {
    const auto changed = [](const std::string& pointer, const Json& value) {
        Json json = valid();
        json[Json::json_pointer(pointer)] = value;
        return json;
    };
    CHECK(refusal(valid()).empty());
    CHECK(refusal(Json::array()) == "The tokenizer file cannot be used: it is no JSON object.");
    CHECK(refusal(changed("/model", 3)).find("no 'model'") != std::string::npos);
    CHECK(refusal(changed("/model/type", "WordPiece")).find("no BPE") != std::string::npos);
    CHECK(refusal(changed("/model/dropout", 0.1)).find("'dropout'") != std::string::npos);
    CHECK(refusal(changed("/model/byte_fallback", true)).find("'byte_fallback'") != std::string::npos);
    CHECK(refusal(changed("/normalizer", {{"type", "NFC"}})).find("'normalizer'") != std::string::npos);
    CHECK(refusal(changed("/pre_tokenizer", nullptr)).find("ByteLevel") != std::string::npos);
    CHECK(refusal(changed("/pre_tokenizer/add_prefix_space", true)).find("add_prefix_space") !=
          std::string::npos);
    CHECK(refusal(changed("/pre_tokenizer/use_regex", false)).find("split words") != std::string::npos);
    CHECK(refusal(changed("/model/vocab", Json::array())).find("no vocabulary") != std::string::npos);
    CHECK(refusal(changed("/model/vocab/th", -1)).find("'th'") != std::string::npos);
    CHECK(refusal(changed("/model/vocab/th", 4000000000U)).find("'th'") != std::string::npos);
    CHECK(refusal(changed("/model/vocab/th", "256")).find("'th'") != std::string::npos);
    CHECK(refusal(changed("/model/vocab/th", 65)).find("two tokens") != std::string::npos);
    CHECK(refusal(changed("/model/vocab/a", 300)).empty());
    CHECK(refusal(changed("/model/merges", {"th"})).find("two tokens") != std::string::npos);
    CHECK(refusal(changed("/model/merges", {"t q"})).find("unknown token 'tq'") != std::string::npos);
    CHECK(refusal(changed("/model/merges", Json::object())).find("merges") != std::string::npos);
    CHECK(refusal(changed("/added_tokens", 5)).find("added_tokens") != std::string::npos);
    CHECK(refusal(changed("/added_tokens", Json::array({Json::object()}))).find("content") !=
          std::string::npos);
    Json no_byte = valid();
    no_byte["model"]["vocab"].erase("a");
    CHECK(refusal(no_byte).find("byte 97") != std::string::npos);
    CHECK_THROWS_AS(load_tokenizer("no/such/file.json"), std::invalid_argument);
}

TEST_CASE("damaged files are refused or read, never worse") {
    const std::string good = valid().dump();
    std::mt19937 random(1);
    int refused = 0;
    const auto load = [&refused](const std::string& bytes) {
        try {
            const ByteLevelBpe bpe(parse_tokenizer_json(bytes));
            bpe.encode(" the th");
        } catch (const std::invalid_argument&) {
            ++refused;
        }
    };
    for (int round = 0; round < 400; ++round) {
        std::string bytes = good;
        for (int i = std::uniform_int_distribution<int>(1, 3)(random); i > 0; --i) {
            const auto at = std::uniform_int_distribution<std::size_t>(0, bytes.size() - 1)(random);
            bytes[at] = static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random));
        }
        load(bytes);
    }
    for (std::size_t length = 0; length < good.size(); length += 37)
        load(good.substr(0, length));
    load(std::string(200'000, '['));
    std::string nested;
    for (int i = 0; i < 50'000; ++i)
        nested += "{\"model\":";
    load(nested);
    CHECK(refused > 300);
}
