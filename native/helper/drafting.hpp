#pragma once

#include "core/clock.hpp"
#include "core/producer.hpp"
#include "engine_mnn/whisper_drafter.hpp"
#include "helper/window_sink.hpp"
#include "helper/worker.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace as2d::helper {

class Drafting;

/// One run of the producer over a window: its stream and its state, which the target reads.
class DraftRun {
  public:
    DraftRun(std::shared_ptr<Drafting> drafting, std::shared_ptr<const TextEncoder> target_text,
             Token target_end);

    const DraftStream& stream() const { return stream_; }
    const ProducerState& state() const { return state_; }

    /// Runs the producer to its end; on the producer's thread.
    void run();
    /// Asks the producer to end; it does within one of its own steps.
    void cancel() {
        if (state_.running) state_.cancelled = true;
    }
    /// Whether the producer was asked to end before its end of text: the draft stays a part.
    bool cut_short() const { return state_.cancelled && !stream_.end_of_text(); }
    /// Waits until the producer has ended or `give_up` says so.
    void wait(const std::atomic<bool>& give_up) const;

  private:
    std::shared_ptr<Drafting> drafting_;
    std::shared_ptr<const TextEncoder> target_text_;
    Token target_end_;
    DraftStream stream_;
    ProducerState state_;
};

/// The drafter's side of a prepared window: its audio state, kept for any number of runs.
class Drafting : public std::enable_shared_from_this<Drafting> {
  public:
    Drafting(std::shared_ptr<mnn::WhisperDrafterModel> model, Worker& worker, std::string window,
             std::shared_ptr<const std::vector<float>> samples, protocol::EventWriter& writer,
             const Clock& clock);

    /// Posts the drafter's encoder to its thread; skipped when nobody holds this any more by then.
    void start_encoder();
    /// Waits for the encoder or until `give_up`.
    void wait_for_encoder(const std::atomic<bool>& give_up) const;
    /// Posts a new run of the producer. It is cancelled when nobody holds what is returned.
    std::shared_ptr<DraftRun> start_run(std::shared_ptr<const TextEncoder> target_text, Token target_end);

  private:
    friend class DraftRun;
    void encode();

    std::shared_ptr<mnn::WhisperDrafterModel> model_;
    Worker& worker_;
    std::shared_ptr<const std::vector<float>> samples_;
    const Clock& clock_;
    WindowSink sink_;
    std::optional<mnn::AudioState> audio_;
    std::promise<void> encoded_promise_;
    std::shared_future<void> encoded_ = encoded_promise_.get_future().share();
};

}  // namespace as2d::helper
