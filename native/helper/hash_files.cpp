#include "helper/hash_files.hpp"

#include "helper/sha256.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace as2d::helper {

namespace {

constexpr std::size_t piece = 1 << 18;

struct Seen {
    long long size = 0;
    long long mtime_ns = 0;
    unsigned long long inode = 0;
    bool operator==(const Seen&) const = default;
};

bool look(int file, Seen& seen, std::string& reason) {
    struct stat found = {};
    if (::fstat(file, &found) != 0) {
        reason = std::strerror(errno);
        return false;
    }
    if (!S_ISREG(found.st_mode)) {
        reason = "Not a regular file";
        return false;
    }
    seen.size = static_cast<long long>(found.st_size);
    seen.mtime_ns = static_cast<long long>(found.st_mtim.tv_sec) * 1'000'000'000LL + found.st_mtim.tv_nsec;
    seen.inode = static_cast<unsigned long long>(found.st_ino);
    return true;
}

/// The digest of an open file; empty, with the reason, when it can't be had.
std::string digest_of(int file, Seen& before, std::string& reason) {
    if (!look(file, before, reason)) return {};
    Sha256 hash;
    std::vector<std::byte> buffer(piece);
    long long total = 0;
    for (;;) {
        const auto count = ::read(file, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            reason = std::strerror(errno);
            return {};
        }
        if (count == 0) break;
        total += count;
        hash.add(std::span<const std::byte>(buffer).first(static_cast<std::size_t>(count)));
    }
    Seen after;
    if (!look(file, after, reason)) return {};
    if (after != before || total != before.size) {
        reason = "Changed while it was read";
        return {};
    }
    return hash.digest();
}

bool hash_file(const char* name) {
    std::string reason;
    std::string digest;
    Seen seen;
    // A pipe must not keep this waiting for a writer.
    const int file = ::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        reason = std::strerror(errno);
    } else {
        digest = digest_of(file, seen, reason);
        ::close(file);
    }
    if (digest.empty()) {
        std::fprintf(stderr, "- %s: %s\n", name, reason.c_str());
        return false;
    }
    // Line by line, so that whoever waits sees how far it is.
    return std::printf("%s  %lld %lld %llu  %s\n", digest.c_str(), seen.size, seen.mtime_ns, seen.inode,
                       name) > 0 &&
           std::fflush(stdout) == 0;
}

}  // namespace

int hash_files(std::span<const char* const> names) {
    bool all = true;
    for (const char* name : names)
        all = hash_file(name) && all;
    return all ? 0 : 1;
}

}  // namespace as2d::helper
