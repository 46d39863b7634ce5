#pragma once

#include <string>

namespace as2d::helper {

/// Writes this process's id and a line feed to a file that appears whole, and removes it when the process
/// ends by `end_process`, by `remove_pid_file` or by SIGTERM, SIGINT or SIGHUP. Only SIGKILL and a crash
/// leave it behind.
/// @returns false when it can't be written; `errno` says why, and nothing of it is left
bool write_pid_file(const std::string& path);

/// Removes the file that `write_pid_file` wrote, if there is one. Safe in signal handlers.
void remove_pid_file() noexcept;

/// Ends the process at once, whatever its threads do, and leaves no pid file.
[[noreturn]] void end_process(int code) noexcept;

/// Ends the process so many seconds from now, should it still run then.
void end_process_within(int seconds, int code);

}  // namespace as2d::helper
