#include "models/tokenizer_json.hpp"

#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/utf8.hpp"

namespace as2d {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxBytes = 64U << 20U;
constexpr std::size_t kMaxTokens = 1U << 20U;

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("The tokenizer file cannot be used: " + what + ".");
}

// The member, or null when it is missing.
const Json& member(const Json& object, const char* name) {
    static const Json null;
    const auto found = object.find(name);
    return found == object.end() ? null : *found;
}

// Byte-level BPE writes each byte as one visible character; this is the way back.
class ByteAlphabet {
  public:
    ByteAlphabet() {
        bytes_.fill(-1);
        int shifted = 256;
        for (int byte = 0; byte < 256; ++byte) {
            const bool visible =
                (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE);
            bytes_[static_cast<std::size_t>(visible ? byte : shifted++)] = byte;
        }
    }

    // Nothing when a character is not of the alphabet.
    std::optional<std::string> bytes(std::string_view written) const {
        std::string result;
        while (!written.empty()) {
            const Utf8Char c = utf8_front(written);
            if (c.status != Utf8Status::valid || c.code >= bytes_.size() || bytes_[c.code] < 0) return {};
            result.push_back(static_cast<char>(bytes_[c.code]));
            written.remove_prefix(c.length);
        }
        return result;
    }

  private:
    std::array<int, 512> bytes_{};
};

std::size_t token_id(const Json& value, std::string_view token) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= kMaxTokens) {
        refuse("the id of '" + std::string(token) + "' is no number below 1048576");
    }
    return value.get<std::size_t>();
}

void require_absent(const Json& object, const char* name) {
    const Json& value = member(object, name);
    const bool absent = value.is_null() ||
                        (value.is_string() && value.get_ref<const std::string&>().empty()) ||
                        (value.is_boolean() && !value.get<bool>());
    if (!absent) refuse("'" + std::string(name) + "' is not supported");
}

void check_kind(const Json& root) {
    if (!root.is_object()) refuse("it is no JSON object");
    require_absent(root, "normalizer");
    const Json& model = member(root, "model");
    if (!model.is_object()) refuse("it has no 'model'");
    if (member(model, "type") != "BPE") refuse("its model is no BPE");
    for (const char* name : {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                             "fuse_unk", "byte_fallback", "ignore_merges"}) {
        require_absent(model, name);
    }
    const Json& pre = member(root, "pre_tokenizer");
    if (!pre.is_object() || member(pre, "type") != "ByteLevel") refuse("its pre-tokenizer is not ByteLevel");
    require_absent(pre, "add_prefix_space");
    if (member(pre, "use_regex") == false) refuse("its pre-tokenizer does not split words");
}

void set_token(BpeData& data, std::vector<bool>& taken, std::size_t id, std::string bytes) {
    if (id >= data.tokens.size()) {
        data.tokens.resize(id + 1);
        taken.resize(id + 1, false);
    }
    if (taken[id]) refuse("two tokens have the id " + std::to_string(id));
    taken[id] = true;
    data.tokens[id] = std::move(bytes);
}

void read_vocabulary(const Json& vocabulary, BpeData& data) {
    if (!vocabulary.is_object()) refuse("it has no vocabulary");
    if (vocabulary.size() > kMaxTokens) refuse("its vocabulary is too large");
    const ByteAlphabet alphabet;
    std::vector<bool> taken;
    for (const auto& [written, id] : vocabulary.items()) {
        set_token(data, taken, token_id(id, written), alphabet.bytes(written).value_or(""));
    }
}

void read_added_tokens(const Json& added, BpeData& data) {
    if (added.is_null()) return;
    if (!added.is_array() || added.size() > kMaxTokens) refuse("'added_tokens' is no list");
    for (const Json& token : added) {
        if (!token.is_object() || !member(token, "content").is_string())
            refuse("an added token has no content");
        const std::string& content = token["content"].get_ref<const std::string&>();
        const std::size_t id = token_id(member(token, "id"), content);
        if (id >= data.tokens.size()) data.tokens.resize(id + 1);
        data.tokens[id] = member(token, "special") == true ? std::string() : content;
    }
}

// "left right" or ["left", "right"].
std::pair<std::string, std::string> merge_parts(const Json& merge) {
    if (merge.is_string()) {
        const std::string& both = merge.get_ref<const std::string&>();
        const std::size_t space = both.find(' ');
        if (space != std::string::npos) return {both.substr(0, space), both.substr(space + 1)};
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        return {merge[0].get<std::string>(), merge[1].get<std::string>()};
    }
    refuse("a merge is not two tokens");
}

void read_merges(const Json& merges, const Json& vocabulary, BpeData& data) {
    if (!merges.is_array() || merges.size() > kMaxTokens) refuse("it has no list of merges");
    const auto id_of = [&vocabulary](const std::string& written) {
        const auto found = vocabulary.find(written);
        if (found == vocabulary.end()) refuse("a merge names the unknown token '" + written + "'");
        return static_cast<Token>(token_id(*found, written));
    };
    data.merges.reserve(merges.size());
    for (const Json& merge : merges) {
        const auto [left, right] = merge_parts(merge);
        data.merges.push_back({id_of(left), id_of(right), id_of(left + right)});
    }
}

}  // namespace

BpeData parse_tokenizer_json(std::string_view json) {
    if (json.size() > kMaxBytes) refuse("it is larger than 64 MiB");
    const Json root = Json::parse(json, nullptr, false);
    if (root.is_discarded()) refuse("it is no JSON");
    check_kind(root);
    const Json& model = root["model"];
    BpeData data;
    read_vocabulary(member(model, "vocab"), data);
    read_merges(member(model, "merges"), member(model, "vocab"), data);
    read_added_tokens(member(root, "added_tokens"), data);
    return data;
}

std::shared_ptr<const ByteLevelBpe> load_tokenizer(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string json{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) refuse("'" + path + "' cannot be read");
    return std::make_shared<const ByteLevelBpe>(parse_tokenizer_json(json));
}

}  // namespace as2d
