// Files as memory: the values that stand in them, or a refusal that names the file, and nothing beyond its
// end.
#include "models/mapped_file.hpp"

#include "tests/telemetry/file_tree.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

using namespace as2d;
using namespace as2d::models;

namespace {

constexpr std::size_t count = 5001;  // ends within a page

std::vector<std::uint16_t> numbers() {
    std::vector<std::uint16_t> values(count);
    std::iota(values.begin(), values.end(), std::uint16_t{7});
    return values;
}

void write(const std::string& path, const void* bytes, std::size_t size) {
    std::ofstream(path, std::ios::binary)
        .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

std::string refusal(const std::string& path) {
    try {
        map_table<std::uint16_t>(path, count);
    } catch (const EngineError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a table holds the values of its file, also when the file has another name or none any more") {
    const FileTree tree;
    const auto path = tree.root() + "/embeddings.f16";
    const auto values = numbers();
    write(path, values.data(), count * sizeof values[0]);
    const auto table = map_table<std::uint16_t>(path, count);
    const std::string other = "another model";
    write(path + ".new", other.data(), other.size());
    std::filesystem::rename(path + ".new", path);  // as a model that is installed anew
    CHECK(std::vector(table.values.begin(), table.values.end()) == values);
    const auto copy = table;
    std::filesystem::remove(path);
    CHECK(copy.values.back() == values.back());
}

TEST_CASE("a table that is cut short, too long, empty, missing or no file is refused and named") {
    const FileTree tree;
    const auto path = tree.root() + "/embeddings.f16";
    const auto values = numbers();
    const auto told = "'" + path + "' does not hold the table that the manifest describes";
    CHECK(refusal(path) == told);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, count * 2 - 1}) {
        write(path, values.data(), size);
        CHECK(refusal(path) == told);
    }
    write(path, values.data(), count * 2);
    CHECK(refusal(path).empty());
    std::ofstream(path, std::ios::binary | std::ios::app) << "x";
    CHECK(refusal(path) == told);
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK(refusal(path) == told);
}

TEST_CASE("an empty file is one of no bytes") {
    const FileTree tree;
    const auto path = tree.root() + "/nothing";
    write(path, "", 0);
    const auto file = MappedFile::open(path);
    REQUIRE(file);
    CHECK(file->bytes().empty());
}
