#pragma once

#include "core/clock.hpp"
#include "core/pre_drafted.hpp"
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

class WindowDrafting;

/// One run of the producer over a window: its stream and its state, which the target reads.
class DraftRun {
  public:
    /// @param before a run that has ended, whose words this one says again at no cost; may be null
    /// @param coupled whether the target tells it what to go on from
    DraftRun(std::shared_ptr<WindowDrafting> drafting, std::shared_ptr<const TextEncoder> target_text,
             Token target_end, std::shared_ptr<const DraftRun> before, bool coupled);

    const DraftStream& stream() const { return stream_; }
    ProducerState& state() { return state_; }
    /// Null unless it is coupled.
    Assignments* inbox() { return inbox_ ? &*inbox_ : nullptr; }

    /// Runs the producer to its end; on the producer's thread.
    void run();
    /// Asks the producer to end; it does within one of its own steps.
    void cancel() {
        if (!state_.ended) state_.cancel();
    }
    /// Whether the producer was asked to end before its end of text: the draft stays a part.
    bool cut_short() const { return state_.cancelled && !stream_.rested(); }
    /// Waits until the producer has ended or `give_up` says so.
    void wait(const std::atomic<bool>& give_up) const;
    /// Waits until it has nothing to draft, for now or for good, or until `give_up`.
    void wait_for_rest(const std::atomic<bool>& give_up) const;

    /// A drafter behind what this run, which has ended, said on its own history; empty when the encoder
    /// failed.
    std::unique_ptr<mnn::WhisperDrafter> drafter() const;
    const std::vector<DraftPiece>& said() const { return said_; }

  private:
    std::shared_ptr<WindowDrafting> drafting_;
    std::shared_ptr<const TextEncoder> target_text_;
    Token target_end_;
    std::shared_ptr<const DraftRun> before_;
    std::optional<Assignments> inbox_;
    DraftStream stream_;
    ProducerState state_;
    std::unique_ptr<mnn::WhisperDrafter> drafter_;  // kept for requests that go on from here
    std::vector<DraftPiece> said_;
};

/// Nanoseconds that the preparation of a window's audio took.
struct PreparationTimes {
    Nanos encoder = 0;
    Nanos cross = 0;
};

/// A drafter in the hands of the target's thread; the producer's thread stands still meanwhile.
class DrafterLoan {
  public:
    /// Waits until the producer's thread stands still, or until `give_up`.
    DrafterLoan(Worker& worker, const std::atomic<bool>& give_up);
    ~DrafterLoan();
    DrafterLoan(const DrafterLoan&) = delete;
    DrafterLoan& operator=(const DrafterLoan&) = delete;

    /// False when it was given up before the producer's thread stood still: nothing may be touched then.
    bool stands() const { return stands_; }

    /// @param said what the drafter, which stands behind it, says again at no cost
    void take(std::unique_ptr<mnn::WhisperDrafter> drafter, std::vector<DraftPiece> said);
    Drafter& drafter() { return *pre_drafted_; }

  private:
    std::unique_ptr<mnn::WhisperDrafter> own_;
    std::optional<PreDrafted> pre_drafted_;
    std::shared_ptr<std::promise<void>> returned_;
    bool stands_ = false;
};

/// The drafter's side of a prepared window: its audio state, kept for any number of runs.
class WindowDrafting : public std::enable_shared_from_this<WindowDrafting> {
  public:
    WindowDrafting(std::shared_ptr<mnn::WhisperDrafterModel> model, Worker& worker, std::string window,
                   std::shared_ptr<const std::vector<float>> samples, protocol::EventWriter& writer,
                   const Clock& clock);

    mnn::WhisperDrafterModel& model() { return *model_; }
    /// Of the drafter's encoder, which has ended.
    const PreparationTimes& times() const { return times_; }

    /// Posts the drafter's encoder to its thread; skipped when nobody holds this any more by then.
    void start_encoder();
    /// Waits for the encoder or until `give_up`.
    void wait_for_encoder(const std::atomic<bool>& give_up) const;
    /// A run of the producer; it is cancelled when nobody holds what is returned.
    std::shared_ptr<DraftRun> make_run(std::shared_ptr<const TextEncoder> target_text, Token target_end,
                                       std::shared_ptr<const DraftRun> before, bool coupled);
    /// Posts a run to the producer's thread.
    void start(const std::shared_ptr<DraftRun>& run);
    /// Lends a drafter to the target's thread, behind what `before` said; null when there is no audio to
    /// draft from, or after `give_up`.
    std::unique_ptr<DrafterLoan> lend(const std::shared_ptr<const DraftRun>& before,
                                      const std::atomic<bool>& give_up);

  private:
    friend class DraftRun;
    void encode();
    std::unique_ptr<mnn::WhisperDrafter> new_drafter();

    std::shared_ptr<mnn::WhisperDrafterModel> model_;
    Worker& worker_;
    std::shared_ptr<const std::vector<float>> samples_;
    const Clock& clock_;
    WindowSink sink_;
    std::optional<mnn::AudioState> audio_;
    PreparationTimes times_;
    std::promise<void> encoded_promise_;
    std::shared_future<void> encoded_ = encoded_promise_.get_future().share();
};

}  // namespace as2d::helper
