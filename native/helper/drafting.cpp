#include "helper/drafting.hpp"

#include <chrono>
#include <exception>
#include <thread>

namespace as2d::helper {

namespace {

// Only requests that ask to wait for the producer poll; nothing on the decoding path does.
constexpr auto poll_interval = std::chrono::milliseconds(1);

}  // namespace

DraftRun::DraftRun(std::shared_ptr<Drafting> drafting, std::shared_ptr<const TextEncoder> target_text,
                   Token target_end)
    : drafting_(std::move(drafting)), target_text_(std::move(target_text)), target_end_(target_end) {
    state_.running = true;
}

void DraftRun::run() {
    try {
        if (drafting_->audio_) {
            mnn::WhisperDrafter drafter(*drafting_->model_, *drafting_->audio_);
            Producer producer(drafter, *target_text_, stream_, target_end_, drafting_->clock_,
                              drafting_->sink_);
            run_producer(producer, state_);
        }
    } catch (const std::exception& error) {
        drafting_->sink_.on_warning({"drafter-failed", error.what()});
    }
    state_.running = false;
}

void DraftRun::wait(const std::atomic<bool>& give_up) const {
    while (state_.running && !give_up)
        std::this_thread::sleep_for(poll_interval);
}

Drafting::Drafting(std::shared_ptr<mnn::WhisperDrafterModel> model, Worker& worker, std::string window,
                   std::shared_ptr<const std::vector<float>> samples, protocol::EventWriter& writer,
                   const Clock& clock)
    : model_(std::move(model)),
      worker_(worker),
      samples_(std::move(samples)),
      clock_(clock),
      sink_(writer, std::move(window)) {}

void Drafting::start_encoder() {
    worker_.post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->encode();
    });
}

void Drafting::encode() {
    auto& network = model_->network;
    try {
        const auto start = clock_.now();
        const auto states = network.encode(*samples_);
        const auto encoded = clock_.now();
        sink_.stage("drafter", "encoder", start, encoded, network.threads());
        audio_ = network.project(states, static_cast<int>(samples_->size()));
        sink_.stage("drafter", "cross", encoded, clock_.now(), network.threads());
    } catch (const std::exception& error) {
        sink_.on_warning({"drafter-failed", error.what()});
    }
    encoded_promise_.set_value();
}

void Drafting::wait_for_encoder(const std::atomic<bool>& give_up) const {
    while (encoded_.wait_for(poll_interval) != std::future_status::ready && !give_up) {
    }
}

std::shared_ptr<DraftRun> Drafting::start_run(std::shared_ptr<const TextEncoder> target_text,
                                              Token target_end) {
    auto run = std::make_shared<DraftRun>(shared_from_this(), std::move(target_text), target_end);
    worker_.post([weak = std::weak_ptr(run)] {
        if (const auto wanted = weak.lock()) wanted->run();
    });
    DraftRun* const handle = run.get();
    return {handle, [run = std::move(run)](DraftRun*) { run->cancel(); }};
}

}  // namespace as2d::helper
