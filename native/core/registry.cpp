#include "core/registry.hpp"

#include <array>
#include <string>

#include "core/errors.hpp"

namespace as2d {
// A method is one file in methods/ that defines its maker, and one line here.
#define AS2D_METHODS(METHOD)                                                                                \
    METHOD("target-only", none, make_target_only, "scalar target steps, no drafts")                         \
    METHOD("sd", serial, make_sd, "each call waits for a draft of the whole budget from the verified text") \
    METHOD("specasr", serial, make_specasr,                                                                 \
           "as sd, ending drafts where the drafter is unsure and reusing rests")                            \
    METHOD("as2d", decoupled, make_as2d,                                                                    \
           "a decoupled producer drafts, the target verifies what is published")                            \
    METHOD("without-td", serial, make_without_td,                                                           \
           "as as2d, drafted from the verified text in the target's time")                                  \
    METHOD("as2d-serial", serial, make_as2d_serial, "the drafts of as2d, drafted in the target's time")     \
    METHOD("lookahead", coupled, make_lookahead,                                                            \
           "drafts on from what a call will probably say, while it runs")                                   \
    METHOD("as2d-resync", coupled, make_as2d_resync,                                                        \
           "as as2d, restarting stale drafts from the committed text")

#define AS2D_DECLARE(name, drafting, make, summary) \
    std::unique_ptr<Method> make(const MethodSettings& settings);
#define AS2D_ENTRY(name, drafting, make, summary) MethodEntry{name, summary, Drafting::drafting, make},

AS2D_METHODS(AS2D_DECLARE)

namespace {

constexpr std::array kMethods{AS2D_METHODS(AS2D_ENTRY)};

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
    if (!(settings.confidence >= 0.0F && settings.confidence <= 1.0F)) {
        throw RequestError("The confidence must be a number from 0 to 1.");
    }
    if (settings.patience < 0) throw RequestError("The patience must be 0 calls or more.");
    return entry.make(settings);
}

}  // namespace as2d
