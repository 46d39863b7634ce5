// as2d: the target verifies what a decoupled producer has published, and never waits for it.
#pragma once

#include <memory>

#include "core/method.hpp"

namespace as2d {

std::unique_ptr<Method> make_as2d(const MethodSettings& settings);

}  // namespace as2d
