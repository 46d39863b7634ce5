#include "core/events.hpp"

namespace as2d {

std::string_view name_of(CallKind kind) {
    switch (kind) {
        case CallKind::verify:
            return "verify";
        case CallKind::target_only:
            return "target-only";
        case CallKind::guard:
            return "guard";
    }
    return "unknown";
}

std::string_view name_of(CallReason reason) {
    switch (reason) {
        case CallReason::candidates:
            return "candidates";
        case CallReason::none_published:
            return "none-published";
        case CallReason::no_match:
            return "no-match";
        case CallReason::producer_none:
            return "producer-none";
        case CallReason::budget_zero:
            return "budget-zero";
        case CallReason::at_limit:
            return "at-limit";
        case CallReason::guard:
            return "guard";
    }
    return "unknown";
}

std::string_view name_of(Origin origin) {
    switch (origin) {
        case Origin::prefill:
            return "prefill";
        case Origin::accepted:
            return "accepted";
        case Origin::correction:
            return "correction";
        case Origin::target_only:
            return "target-only";
        case Origin::guard:
            return "guard";
    }
    return "unknown";
}

}  // namespace as2d
