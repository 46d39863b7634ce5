#pragma once

#include <stdexcept>

namespace as2d::protocol {

/// A command that can't be carried out as it was given; the message is one sentence for the user.
class InputError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace as2d::protocol
