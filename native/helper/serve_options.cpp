#include "helper/serve_options.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

namespace as2d::helper {

namespace {

constexpr int longest_lease = 7 * 24 * 3600;

std::optional<int> seconds(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (value < 1 || value > longest_lease) return std::nullopt;
    return value;
}

}  // namespace

std::optional<ServeOptions> parse_serve_options(std::span<const char* const> words, std::string& problem) {
    ServeOptions options;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string word = words[i];
        if (word == "--job") {
            options.job = true;
            continue;
        }
        if (word != "--pid-file" && word != "--lease-seconds" && word != "--lease-file") {
            problem = "'" + word + "' is not an option of serve";
            return std::nullopt;
        }
        if (++i == words.size() || *words[i] == '\0') {
            problem = word + " needs a value";
            return std::nullopt;
        }
        if (word == "--pid-file") options.pid_file = words[i];
        if (word == "--lease-file") options.lease_file = words[i];
        if (word == "--lease-seconds") {
            const auto value = seconds(words[i]);
            if (!value) {
                problem = "--lease-seconds must be a whole number from 1 to " + std::to_string(longest_lease);
                return std::nullopt;
            }
            options.lease_seconds = *value;
        }
    }
    if (!options.lease_file.empty() && options.lease_seconds == 0) {
        problem = "--lease-file needs --lease-seconds";
        return std::nullopt;
    }
    return options;
}

}  // namespace as2d::helper
