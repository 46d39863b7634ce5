#pragma once

#include <span>

namespace as2d::helper {

/// Prints one line for each file: `<sha256>  <size> <mtime in ns> <inode>  <name>`. What can't be read, or
/// changes while it is read, is told on standard error: `- <name>: <reason>`.
/// @returns exit code: 0 when every file was hashed, else 1
int hash_files(std::span<const char* const> names);

}  // namespace as2d::helper
