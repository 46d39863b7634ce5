# Run as a script: writes OUTPUT with the version and a digest over all sources below ROOT except tests.
file(GLOB_RECURSE sources RELATIVE "${ROOT}" "${ROOT}/*.cpp" "${ROOT}/*.hpp" "${ROOT}/*.cmake")
list(FILTER sources EXCLUDE REGEX "^tests/")
list(SORT sources)
set(text "${VERSION} ${TARGET}\n")
foreach(source IN LISTS sources)
    file(SHA256 "${ROOT}/${source}" digest)
    string(APPEND text "${digest}  ${source}\n")
endforeach()
string(SHA256 digest "${text}")
string(SUBSTRING "${digest}" 0 16 short)
file(WRITE "${OUTPUT}"
"#pragma once

namespace as2d {

/// Version of AS²D Studio that this program belongs to.
inline constexpr const char* kVersion = \"${VERSION}\";
/// Version and digest of the sources: equal for programs built from the same files for the same kind of machine.
inline constexpr const char* kBuildId = \"${VERSION}+${short}\";

}  // namespace as2d
")
