#include "core/guard.hpp"

#include <algorithm>

namespace as2d {

MarginGuard::MarginGuard(Target& target) : target_(target), threshold_(2.0F * 4.0F * target.logit_gap()) {}

void MarginGuard::start(int length) {
    reference_ = length;
    exact_ = true;
}

void MarginGuard::before_call(int length, int width, bool shared) {
    exact_ = threshold_ == 0.0F || (!shared && reference_ == length && width <= target_.reference_width());
    if (exact_) reference_ = length + width;
}

void MarginGuard::rolled_back(int length) { reference_ = std::min(reference_, length); }

}  // namespace as2d
