#include "telemetry/folder.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>

namespace as2d::telemetry {

namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// A name's text in front of its number, the number's length and the name: the order of equal texts is by
/// number.
std::tuple<std::string_view, std::size_t, std::string_view> order(std::string_view name) {
    auto digits = name.size();
    while (digits > 0 && is_digit(name[digits - 1]))
        --digits;
    return {name.substr(0, digits), name.size() - digits, name};
}

}  // namespace

Folder list_folder(const std::string& path) {
    Folder folder;
    std::error_code error;
    auto entry = std::filesystem::directory_iterator(path, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
        folder.names.push_back(entry->path().filename().string());
    if (error) {
        folder.names.clear();
        folder.why = path + ": " + error.message();
    }
    std::ranges::sort(folder.names, {}, order);
    return folder;
}

Folder list_numbered(const std::string& path, std::string_view prefix) {
    auto folder = list_folder(path);
    std::erase_if(folder.names, [prefix](std::string_view name) {
        return !name.starts_with(prefix) || name.size() == prefix.size() ||
               !std::ranges::all_of(name.substr(prefix.size()), is_digit);
    });
    if (folder.names.empty() && folder.why.empty()) folder.why = path + ": no " + std::string(prefix);
    return folder;
}

}  // namespace as2d::telemetry
