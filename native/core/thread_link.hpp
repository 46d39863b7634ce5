// Waiting for a producer that runs in its own thread.
#pragma once

#include "core/method.hpp"

namespace as2d {

class ThreadLink final : public ProducerLink {
  public:
    ThreadLink(const ProducerState& state, const std::atomic<bool>& cancelled)
        : state_(state), cancelled_(cancelled) {}

    void wait(const std::function<bool()>& ready) override {
        for (;;) {
            const std::uint32_t progress = state_.progress.load(std::memory_order_acquire);
            if (ready() || state_.ended.load(std::memory_order_acquire) || cancelled_.load()) return;
            state_.progress.wait(progress);
        }
    }

  private:
    const ProducerState& state_;
    const std::atomic<bool>& cancelled_;
};

}  // namespace as2d
