#pragma once

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>

#include <unistd.h>

/// A folder with files like those of a phone's /sys and /proc, gone at the end.
class FileTree {
  public:
    FileTree() {
        std::string name = (std::filesystem::temp_directory_path() / "as2d-telemetry-XXXXXX").string();
        root_ = ::mkdtemp(name.data());
    }
    ~FileTree() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }
    FileTree(const FileTree&) = delete;
    FileTree& operator=(const FileTree&) = delete;

    [[nodiscard]] const std::string& root() const { return root_; }

    /// Writes files below a folder, each with a line feed as the kernel does.
    void write(const std::string& folder,
               std::initializer_list<std::pair<const char*, const char*>> files) const {
        std::filesystem::create_directories(root_ + folder);
        for (const auto& [name, text] : files)
            std::ofstream(root_ + folder + "/" + name) << text << "\n";
    }

    /// Puts something there that can't be opened, by root neither: a link to itself.
    void deny(const std::string& path) const {
        const std::filesystem::path full = root_ + path;
        std::filesystem::create_directories(full.parent_path());
        std::filesystem::remove_all(full);
        std::filesystem::create_symlink(full.filename(), full);
    }

    void remove(const std::string& path) const { std::filesystem::remove_all(root_ + path); }

  private:
    std::string root_;
};

inline constexpr const char* denied = "Too many levels of symbolic links";
