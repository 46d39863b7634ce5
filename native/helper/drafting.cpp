#include "helper/drafting.hpp"

#include "core/errors.hpp"

#include <chrono>
#include <exception>
#include <thread>

namespace as2d::helper {

namespace {

// Only requests that ask to wait for the producer poll; nothing on the decoding path does.
constexpr auto poll_interval = std::chrono::milliseconds(1);

}  // namespace

DraftRun::DraftRun(std::shared_ptr<WindowDrafting> drafting, std::shared_ptr<const TextEncoder> target_text,
                   Token target_end, std::shared_ptr<const DraftRun> before, bool coupled)
    : drafting_(std::move(drafting)),
      target_text_(std::move(target_text)),
      target_end_(target_end),
      before_(std::move(before)) {
    if (coupled) inbox_.emplace();
}

void DraftRun::run() {
    try {
        if (drafting_->audio_) {
            drafter_ = before_ ? before_->drafter() : drafting_->new_drafter();
            if (!drafter_) throw EngineError("The drafter failed before the request.");
            PreDrafted pre_drafted(before_ ? before_->said() : std::vector<DraftPiece>(), *drafter_);
            Producer producer(pre_drafted, *target_text_, stream_, target_end_, drafting_->clock_,
                              drafting_->sink_, inbox());
            run_producer(producer, state_);
            said_ = producer.own_pieces();
        }
    } catch (const std::exception& error) {
        drafting_->sink_.on_warning({"drafter-failed", error.what()});
    }
    if (inbox_) inbox_->close();
    state_.end();
}

std::unique_ptr<mnn::WhisperDrafter> DraftRun::drafter() const {
    return drafter_ ? std::make_unique<mnn::WhisperDrafter>(*drafter_) : nullptr;
}

void DraftRun::wait(const std::atomic<bool>& give_up) const {
    while (!state_.ended && !give_up)
        std::this_thread::sleep_for(poll_interval);
}

void DraftRun::wait_for_rest(const std::atomic<bool>& give_up) const {
    while (state_.running && !give_up)
        std::this_thread::sleep_for(poll_interval);
}

WindowDrafting::WindowDrafting(std::shared_ptr<mnn::WhisperDrafterModel> model, Worker& worker,
                               std::string window, std::shared_ptr<const std::vector<float>> samples,
                               protocol::EventWriter& writer, const Clock& clock)
    : model_(std::move(model)),
      worker_(worker),
      samples_(std::move(samples)),
      clock_(clock),
      sink_(writer, std::move(window)) {}

void WindowDrafting::start_encoder() {
    worker_.post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->encode();
    });
}

void WindowDrafting::encode() {
    auto& network = model_->network(true);
    try {
        const auto start = clock_.now();
        const auto states = network.encode(*samples_);
        const auto encoded = clock_.now();
        sink_.stage("drafter", "encoder", start, encoded, network.threads());
        audio_ = network.project(states, static_cast<int>(samples_->size()));
        const auto projected = clock_.now();
        sink_.stage("drafter", "cross", encoded, projected, network.threads());
        times_ = {encoded - start, projected - encoded};
    } catch (const std::exception& error) {
        sink_.on_warning({"drafter-failed", error.what()});
    }
    encoded_promise_.set_value();
}

void WindowDrafting::wait_for_encoder(const std::atomic<bool>& give_up) const {
    while (encoded_.wait_for(poll_interval) != std::future_status::ready && !give_up) {
    }
}

std::unique_ptr<mnn::WhisperDrafter> WindowDrafting::new_drafter() {
    return std::make_unique<mnn::WhisperDrafter>(*model_, *audio_);
}

std::shared_ptr<DraftRun> WindowDrafting::make_run(std::shared_ptr<const TextEncoder> target_text,
                                                   Token target_end, std::shared_ptr<const DraftRun> before,
                                                   bool coupled) {
    auto run = std::make_shared<DraftRun>(shared_from_this(), std::move(target_text), target_end,
                                          std::move(before), coupled);
    DraftRun* const handle = run.get();
    return {handle, [run = std::move(run)](DraftRun*) { run->cancel(); }};
}

void WindowDrafting::start(const std::shared_ptr<DraftRun>& run) {
    run->state().running = true;
    worker_.post([weak = std::weak_ptr(run)] {
        if (const auto wanted = weak.lock()) wanted->run();
    });
}

std::unique_ptr<DrafterLoan> WindowDrafting::lend(const std::shared_ptr<const DraftRun>& before,
                                                  const std::atomic<bool>& give_up) {
    auto loan = std::make_unique<DrafterLoan>(worker_, give_up);
    if (!loan->stands() || !audio_) return nullptr;
    auto drafter = before ? before->drafter() : new_drafter();
    if (!drafter) return nullptr;
    drafter->share_cores(false);
    loan->take(std::move(drafter), before ? before->said() : std::vector<DraftPiece>());
    return loan;
}

DrafterLoan::DrafterLoan(Worker& worker, const std::atomic<bool>& give_up)
    : returned_(std::make_shared<std::promise<void>>()) {
    const auto standing = std::make_shared<std::promise<void>>();
    worker.post([standing, returned = std::shared_future(returned_->get_future())] {
        standing->set_value();
        returned.wait();
    });
    const auto stands = standing->get_future();
    while (!stands_ && !give_up)
        stands_ = stands.wait_for(poll_interval) == std::future_status::ready;
}

DrafterLoan::~DrafterLoan() { returned_->set_value(); }

void DrafterLoan::take(std::unique_ptr<mnn::WhisperDrafter> drafter, std::vector<DraftPiece> said) {
    own_ = std::move(drafter);
    pre_drafted_.emplace(std::move(said), *own_);
}

}  // namespace as2d::helper
