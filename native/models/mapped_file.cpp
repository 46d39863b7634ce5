#include "models/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace as2d::models {

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return nullptr;
    struct stat about{};
    const bool regular = ::fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    const auto size = static_cast<std::size_t>(about.st_size);
    void* begin = nullptr;  // as of an empty file, which cannot be mapped
    if (regular && size > 0) begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    ::close(file);  // the mapping stays
    if (!regular || begin == MAP_FAILED) return nullptr;
    return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const std::byte*>(begin), size));
}

MappedFile::~MappedFile() {
    if (size_ > 0) ::munmap(const_cast<std::byte*>(begin_), size_);
}

}  // namespace as2d::models
