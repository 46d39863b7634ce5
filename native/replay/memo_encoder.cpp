#include "replay/memo_encoder.hpp"

namespace as2d::replay {
namespace {

constexpr std::size_t kMostEntries = 1 << 17;
constexpr std::size_t kLongest = 256;  // bytes of a text that is remembered

template <typename Memo, typename Ask>
auto remembered(Memo& memo, std::string_view text, Ask ask) {
    if (text.size() > kLongest) return ask();
    const auto found = memo.find(text);
    if (found != memo.end()) return found->second;
    if (memo.size() == kMostEntries) memo.clear();
    return memo.emplace(text, ask()).first->second;
}

}  // namespace

std::vector<Token> MemoEncoder::encode(std::string_view text) const {
    return remembered(tokens_, text, [&] { return inner_.encode(text); });
}

std::size_t MemoEncoder::stable_prefix(std::string_view utf8) const {
    return remembered(stable_, utf8, [&] { return inner_.stable_prefix(utf8); });
}

}  // namespace as2d::replay
