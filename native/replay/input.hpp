// Reads typed fields of JSON that somebody else wrote.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace as2d::replay {

using Json = nlohmann::json;

/// An input line that cannot be used; the message is one sentence for the user.
class BadInput : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/// The fields of one object. Each reader throws BadInput, naming the object and the field, for a value that
/// is missing, of another type or out of [low, high]. Fields that are not asked for are ignored.
class Fields {
  public:
    /// `what` names the object in messages ("cost profile"). Throws BadInput when it is no object.
    Fields(const Json& object, std::string what);

    const Json& required(const char* key) const;
    /// Null when the field is missing.
    const Json& optional(const char* key) const;
    int integer(const char* key, int low, int high) const;
    double number(const char* key, double low, double high) const;
    bool flag(const char* key) const;
    const std::string& text(const char* key) const;
    /// An array of at most `most` elements.
    const Json& list(const char* key, std::size_t most) const;
    Fields object(const char* key, std::string what) const;

    [[noreturn]] void fail(const char* key, const std::string& problem) const;

  private:
    const Json& object_;
    std::string what_;
};

/// Whether `value` is a whole number in [low, high]; puts it into `out` then.
bool read_integer(const Json& value, std::int64_t low, std::int64_t high, std::int64_t& out);

/// Whether `value` is a number in [low, high]; puts it into `out` then.
bool read_number(const Json& value, double low, double high, double& out);

}  // namespace as2d::replay
