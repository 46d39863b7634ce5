// Errors that leave the core.
#pragma once

#include <stdexcept>

namespace as2d {

/// A target, drafter or device that failed while working; the message is one sentence for a user.
class EngineError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A request that the core cannot serve (unknown method, language, task ...); one sentence for a user.
class RequestError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

}  // namespace as2d
