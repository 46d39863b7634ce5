#include "telemetry/text_file.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace as2d::telemetry {

namespace {

// A file that was replaced is noticed after so many readings; the nodes of sysfs tell it at once.
constexpr int readings_before_opening_again = 16;
constexpr std::string_view white_space = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(white_space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

}  // namespace

std::optional<std::int64_t> leading_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    return value;
}

TextFile::TextFile(std::string path, std::size_t most) : path_(std::move(path)), buffer_(most, '\0') {}

TextFile::~TextFile() { close(); }

TextFile::TextFile(TextFile&& other) noexcept
    : path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      why_(std::move(other.why_)),
      absent_(other.absent_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      readings_(other.readings_) {}

TextFile& TextFile::operator=(TextFile&& other) noexcept {
    if (this == &other) return *this;
    close();
    path_ = std::move(other.path_);
    buffer_ = std::move(other.buffer_);
    why_ = std::move(other.why_);
    absent_ = other.absent_;
    descriptor_ = std::exchange(other.descriptor_, -1);
    readings_ = other.readings_;
    return *this;
}

std::optional<std::string_view> TextFile::read() {
    if (readings_ == readings_before_opening_again) close();
    const bool was_open = descriptor_ >= 0;
    if (!was_open && !open()) return std::nullopt;
    ++readings_;
    auto count = ::pread(descriptor_, buffer_.data(), buffer_.size(), 0);
    if (count < 0 && was_open) {
        // The node of a processor that went offline and came back is another one.
        close();
        if (!open()) return std::nullopt;
        count = ::pread(descriptor_, buffer_.data(), buffer_.size(), 0);
    }
    if (count < 0) {
        fail(errno);
        return std::nullopt;
    }
    const auto text = trimmed(std::string_view(buffer_.data(), static_cast<std::size_t>(count)));
    if (!text.empty()) return text;
    absent_ = false;
    why_ = path_ + ": empty";
    return std::nullopt;
}

std::optional<std::int64_t> TextFile::number() {
    const auto text = read();
    if (!text) return std::nullopt;
    auto value = leading_number(*text);
    if (!value) {
        absent_ = false;
        why_ = path_ + ": not a number";
    }
    return value;
}

bool TextFile::open() {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    readings_ = 0;
    if (descriptor_ < 0) fail(errno);
    return descriptor_ >= 0;
}

void TextFile::close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    readings_ = 0;
}

void TextFile::fail(int error) {
    absent_ = error == ENOENT || error == ENODEV || error == ENXIO;
    why_ = path_ + ": " + std::strerror(error);
}

}  // namespace as2d::telemetry
