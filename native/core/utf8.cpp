#include "core/utf8.hpp"

namespace as2d {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Lead {
    std::size_t length;      // 0: no lead byte
    std::uint8_t low, high;  // allowed second byte
    std::uint8_t payload;    // bits of the lead byte
};

// Table 3-7 of the Unicode standard.
Lead lead_of(std::uint8_t b) {
    if (b < 0x80) return {1, 0, 0, b};
    if (b < 0xC2) return {0, 0, 0, 0};
    if (b < 0xE0) return {2, 0x80, 0xBF, static_cast<std::uint8_t>(b & 0x1F)};
    if (b < 0xF0) {
        const std::uint8_t low = b == 0xE0 ? 0xA0 : 0x80;
        const std::uint8_t high = b == 0xED ? 0x9F : 0xBF;
        return {3, low, high, static_cast<std::uint8_t>(b & 0x0F)};
    }
    if (b < 0xF5) {
        const std::uint8_t low = b == 0xF0 ? 0x90 : 0x80;
        const std::uint8_t high = b == 0xF4 ? 0x8F : 0xBF;
        return {4, low, high, static_cast<std::uint8_t>(b & 0x07)};
    }
    return {0, 0, 0, 0};
}

}  // namespace

Utf8Char utf8_front(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const Lead lead = lead_of(byte(0));
    if (lead.length == 0) return {0xFFFD, 1, Utf8Status::invalid};
    char32_t code = lead.payload;
    for (std::size_t i = 1; i < lead.length; ++i) {
        if (i == text.size()) return {0xFFFD, i, Utf8Status::incomplete};
        const std::uint8_t low = i == 1 ? lead.low : 0x80;
        const std::uint8_t high = i == 1 ? lead.high : 0xBF;
        if (byte(i) < low || byte(i) > high) return {0xFFFD, i, Utf8Status::invalid};
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    return {code, lead.length, Utf8Status::valid};
}

std::size_t utf8_complete_prefix(std::string_view text) {
    // A character has at most four bytes: only a lead byte among the last three can be incomplete.
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const std::size_t at = text.size() - back;
        if ((static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80U) continue;
        return utf8_front(text.substr(at)).status == Utf8Status::incomplete ? at : text.size();
    }
    return text.size();
}

std::string Utf8Assembler::push(std::string_view bytes) {
    held_.append(bytes);
    std::string whole;
    std::string_view rest = held_;
    while (!rest.empty()) {
        const Utf8Char next = utf8_front(rest);
        if (next.status == Utf8Status::incomplete) break;
        whole.append(next.status == Utf8Status::valid ? rest.substr(0, next.length) : kReplacement);
        rest.remove_prefix(next.length);
    }
    held_.erase(0, held_.size() - rest.size());
    return whole;
}

std::string Utf8Assembler::flush() {
    const bool rest = !held_.empty();
    held_.clear();
    return rest ? std::string(kReplacement) : std::string();
}

}  // namespace as2d
