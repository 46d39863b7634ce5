#include "core/registry.hpp"

#include <array>
#include <string>

#include "core/errors.hpp"
#include "core/methods/as2d.hpp"
#include "core/methods/target_only.hpp"

namespace as2d {
namespace {

constexpr std::array kMethods{
    MethodEntry{"target-only", "scalar target steps, no drafts", false, make_target_only},
    MethodEntry{"as2d", "a decoupled producer drafts, the target verifies what is published", true,
                make_as2d},
};

}  // namespace

std::span<const MethodEntry> methods() { return kMethods; }

const MethodEntry& find_method(std::string_view name) {
    std::string known;
    for (const MethodEntry& entry : kMethods) {
        if (entry.name == name) return entry;
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw RequestError("The method '" + std::string(name) + "' is unknown; known methods: " + known + ".");
}

std::unique_ptr<Method> make_method(std::string_view name, const MethodSettings& settings) {
    const MethodEntry& entry = find_method(name);
    if (settings.budget < 0) throw RequestError("The budget must be 0 or more candidates.");
    return entry.make(settings);
}

}  // namespace as2d
