#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace as2d::telemetry {

/// A small text file that is read again and again, such as a node of sysfs. It stays open between readings.
class TextFile {
  public:
    /// @param most the longest content that is looked at, in bytes
    explicit TextFile(std::string path, std::size_t most = 256);
    ~TextFile();
    TextFile(TextFile&& other) noexcept;
    TextFile& operator=(TextFile&& other) noexcept;
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

    /// What it holds now without the white space around it, valid until the next reading.
    /// Nothing when it can't be read or is empty: `why` says the reason.
    std::optional<std::string_view> read();

    /// The whole number that it begins with; nothing as `read`.
    std::optional<std::int64_t> number();

    /// Why the last reading failed: "path: reason".
    [[nodiscard]] const std::string& why() const { return why_; }

    /// Whether the last reading failed because there is no such file or device (now).
    [[nodiscard]] bool absent() const { return absent_; }

  private:
    bool open();
    void close();
    void fail(int error);

    std::string path_;
    std::string buffer_;
    std::string why_;
    bool absent_ = false;
    int descriptor_ = -1;
    int readings_ = 0;
};

/// The whole number that a text begins with.
std::optional<std::int64_t> leading_number(std::string_view text);

}  // namespace as2d::telemetry
