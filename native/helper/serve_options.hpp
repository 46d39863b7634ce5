#pragma once

#include <optional>
#include <span>
#include <string>

namespace as2d::helper {

/// How `as2d-helper serve` was asked to run.
struct ServeOptions {
    std::string pid_file;   ///< holds the process id while the helper runs; empty: none
    bool job = false;       ///< at the end of the input everything that was asked for is done first
    int lease_seconds = 0;  ///< ends by itself so long after the start or the last renewal; 0: never
    std::string
        lease_file;  ///< a change of its modification time renews the lease; empty: it can't be renewed
};

/// Reads the words behind `serve`.
/// @param problem gets one sentence when they can't be used
std::optional<ServeOptions> parse_serve_options(std::span<const char* const> words, std::string& problem);

}  // namespace as2d::helper
