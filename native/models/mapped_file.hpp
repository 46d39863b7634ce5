#pragma once

#include "core/errors.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace as2d::models {

/// A whole file as memory: its pages are read when they are touched, are shared with the system's cache and
/// with other programs, and may be dropped by the system, which reads them again. Only for files that nobody
/// shortens while they are open, as those of installed models, which are replaced and never changed: a page
/// that is gone ends the program.
class MappedFile {
  public:
    /// Null when it cannot be read.
    static std::shared_ptr<const MappedFile> open(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {begin_, size_}; }

  private:
    MappedFile(const std::byte* begin, std::size_t size) : begin_(begin), size_(size) {}

    const std::byte* begin_;
    std::size_t size_;
};

/// The values of a file that holds nothing else, as this computer stores them.
template <typename Value>
struct Table {
    std::shared_ptr<const MappedFile> file;
    std::span<const Value> values;
};

/// @throws EngineError when the file cannot be read or does not hold `count` values
template <typename Value>
Table<Value> map_table(const std::string& path, std::size_t count) {
    auto file = MappedFile::open(path);
    if (!file || file->bytes().size() != count * sizeof(Value))
        throw EngineError("'" + path + "' does not hold the table that the manifest describes");
    const auto* values = reinterpret_cast<const Value*>(file->bytes().data());
    return {std::move(file), {values, count}};
}

}  // namespace as2d::models
