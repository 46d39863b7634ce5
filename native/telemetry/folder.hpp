#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace as2d::telemetry {

/// What lies in a folder; `names` is empty when it can't be read, and `why` says the reason.
struct Folder {
    std::vector<std::string> names;
    std::string why;
};

/// Lists a folder. Names are in order, numbers at their ends counted as numbers: cpu2 comes before cpu10.
Folder list_folder(const std::string& path);

/// Lists those names of a folder that are `prefix` and a number.
Folder list_numbered(const std::string& path, std::string_view prefix);

}  // namespace as2d::telemetry
