// Methods by name. A new method is one file in methods/ and one line in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/method.hpp"

namespace as2d {

struct MethodEntry {
    std::string_view name;     ///< as users write it
    std::string_view summary;  ///< one line
    Drafting drafting;
    std::unique_ptr<Method> (*make)(const MethodSettings& settings);
};

/// All methods, in the order of the documentation.
std::span<const MethodEntry> methods();

/// The entry of a name. Throws RequestError that lists the known names.
const MethodEntry& find_method(std::string_view name);

/// Whether a method needs a drafter.
inline bool drafts(const MethodEntry& entry) { return entry.drafting != Drafting::none; }

/// A new method object. Throws RequestError for an unknown name or a setting out of range.
std::unique_ptr<Method> make_method(std::string_view name, const MethodSettings& settings);

}  // namespace as2d
