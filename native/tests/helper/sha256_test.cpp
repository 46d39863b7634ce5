// Digests of FIPS 180-4's examples and of lengths around the block, in one piece and in many.
#include "helper/sha256.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

using as2d::helper::Sha256;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string digest(const std::string& text, std::size_t piece) {
    Sha256 hash;
    for (auto rest = bytes_of(text); !rest.empty();) {
        const auto count = std::min(piece, rest.size());
        hash.add(rest.first(count));
        rest = rest.subspan(count);
    }
    return hash.digest();
}

}  // namespace

TEST_CASE("known digests") {
    const std::vector<std::pair<std::string, std::string>> known = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (const auto& [text, wanted] : known) {
        CHECK(digest(text, text.size() + 1) == wanted);
        CHECK(digest(text, 37) == wanted);
    }
}

TEST_CASE("a digest does not depend on the pieces") {
    for (std::size_t length = 50; length < 140; ++length) {
        const std::string text(length, 'x');
        const auto whole = digest(text, length);
        for (const std::size_t piece : {1, 7, 63, 64, 65})
            CHECK(digest(text, piece) == whole);
    }
}
