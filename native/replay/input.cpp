#include "replay/input.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace as2d::replay {
namespace {

std::string short_number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", value);
    return buffer;
}

}  // namespace

bool read_integer(const Json& value, std::int64_t low, std::int64_t high, std::int64_t& out) {
    if (!value.is_number_integer()) return false;
    // An unsigned value beyond int64 would wrap to a negative number.
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return false;
    }
    out = value.get<std::int64_t>();
    return out >= low && out <= high;
}

bool read_number(const Json& value, double low, double high, double& out) {
    if (!value.is_number()) return false;
    out = value.get<double>();
    return std::isfinite(out) && out >= low && out <= high;
}

Fields::Fields(const Json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object.is_object()) throw BadInput("The " + what_ + " must be a JSON object.");
}

const Json& Fields::optional(const char* key) const {
    static const Json null;
    const auto found = object_.find(key);
    return found == object_.end() ? null : *found;
}

const Json& Fields::required(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) fail(key, "is missing");
    return *found;
}

int Fields::integer(const char* key, int low, int high) const {
    std::int64_t value = 0;
    if (!read_integer(required(key), low, high, value)) {
        fail(key, "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return static_cast<int>(value);
}

double Fields::number(const char* key, double low, double high) const {
    double value = 0.0;
    if (!read_number(required(key), low, high, value)) {
        fail(key, "must be a number from " + short_number(low) + " to " + short_number(high));
    }
    return value;
}

bool Fields::flag(const char* key) const {
    const Json& value = required(key);
    if (!value.is_boolean()) fail(key, "must be true or false");
    return value.get<bool>();
}

const std::string& Fields::text(const char* key) const {
    const Json& value = required(key);
    if (!value.is_string()) fail(key, "must be a text");
    return value.get_ref<const std::string&>();
}

const Json& Fields::list(const char* key, std::size_t most) const {
    const Json& value = required(key);
    if (!value.is_array()) fail(key, "must be a list");
    if (value.size() > most) fail(key, "has more than " + std::to_string(most) + " entries");
    return value;
}

Fields Fields::object(const char* key, std::string what) const { return {required(key), std::move(what)}; }

void Fields::fail(const char* key, const std::string& problem) const {
    throw BadInput("The field '" + std::string(key) + "' of the " + what_ + " " + problem + ".");
}

}  // namespace as2d::replay
