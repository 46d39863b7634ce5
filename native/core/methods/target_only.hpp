// target-only: scalar steps, no drafts.
#pragma once

#include <memory>

#include "core/method.hpp"

namespace as2d {

std::unique_ptr<Method> make_target_only(const MethodSettings& settings);

}  // namespace as2d
