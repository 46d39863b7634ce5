#pragma once

#include "core/decode.hpp"
#include "engine_mnn/whisper_target.hpp"
#include "helper/boottime_clock.hpp"
#include "helper/drafting.hpp"
#include "helper/placement.hpp"
#include "helper/worker.hpp"
#include "protocol/commands.hpp"
#include "protocol/event_writer.hpp"

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace as2d::helper {

/// A loaded target: weights, KV cache, rules and vocabulary.
struct TargetModel {
    mnn::WhisperTarget target;
    std::shared_ptr<const TextEncoder> text;
    TargetRules rules;
    std::vector<int> cpus;  // where its threads run, as the system says
};

/// A window of audio and everything that was computed from it. Touched by the target's thread only, when it
/// is prepared.
struct Window {
    std::string id;
    std::shared_ptr<TargetModel> target;
    std::shared_ptr<mnn::WhisperDrafterModel> drafter;  // null: target-only
    protocol::StartCondition start_condition = protocol::StartCondition::pre_drafted;
    std::string task;
    std::optional<std::string> language;
    std::optional<float> language_probability;  // empty when the language was given
    std::shared_ptr<const std::vector<float>> samples;
    mnn::AudioState audio;
    PreparationTimes times;  // of the target
    Nanos audio_ready = 0;
    std::shared_ptr<WindowDrafting> drafting;  // null when the drafter can't do this language and task
    std::shared_ptr<DraftRun> draft;           // of a pre-drafted window
};

/// Carries out protocol commands. The reader's thread calls `handle`; the target's and the producer's thread
/// do the work, and the preparer's, which encodes windows while the target decodes others; answers and events
/// go to the writer.
class Server {
  public:
    Server(protocol::EventWriter& writer, const Clock& clock);
    ~Server();

    /// Takes one protocol line. Never throws; what is wrong is answered with an `error` event.
    /// @returns false when the command was to shut down.
    bool handle(const std::string& line);

    /// Waits until everything that was asked for is done; afterwards only `stop` may be called.
    void finish();

    /// Ends all work within one step of each thread, then says `bye` if a command asked for the end.
    void stop();

  private:
    /// A request at work, or that waits for its turn.
    struct Ongoing {
        std::atomic<bool> cancelled{false};
        std::promise<void> begins;  // behind its prefill, or when it is over
        std::shared_future<void> begun = begins.get_future().share();
        std::once_flag has_begun;
        void begin() {
            std::call_once(has_begun, [this] { begins.set_value(); });
        }
        std::shared_ptr<DraftRun> run;  // that drafts beside it
    };

    /// Ends a request within one step; the mutex of the requests is held.
    static void cancel(Ongoing& ongoing);
    void refuse(std::optional<std::int64_t> id, const char* code, const std::string& message);
    /// Runs a job on the target's thread; what it throws is answered as the failure of command `id`.
    void post(std::int64_t id, std::function<void()> job);
    /// As `post`, for jobs that run graphs of models: no other thread runs those of a target meanwhile.
    void post_with_graphs(std::int64_t id, std::function<void()> job);
    /// A job that answers what it throws.
    std::function<void()> answering(std::int64_t id, std::function<void()> job);

    void start(std::int64_t id, const protocol::LoadCommand& command);
    void start(std::int64_t id, const protocol::SelfTestCommand& command);
    void start(std::int64_t id, const protocol::MeasureCallsCommand& command);
    void start(std::int64_t id, const protocol::MeasureDrafterCommand& command);
    void start(std::int64_t id, const protocol::MeasureEncoderCommand& command);
    void start(std::int64_t id, const protocol::MeasureInterferenceCommand& command);
    void start(std::int64_t id, const protocol::MeasureTurnsCommand& command);
    void start(std::int64_t id, const protocol::PrepareCommand& command);
    void start(std::int64_t id, const protocol::AppendCommand& command);
    void start(std::int64_t id, const protocol::RequestCommand& command);
    void start(std::int64_t id, const protocol::TraceCommand& command);
    void start(std::int64_t id, const protocol::CancelCommand& command);
    void start(std::int64_t id, const protocol::ReleaseCommand& command);
    void start(std::int64_t id, const protocol::UnloadCommand& command);
    void start(std::int64_t id, const protocol::PingCommand& command);
    void start(std::int64_t id, const protocol::ShutdownCommand& command);

    void load(std::int64_t id, const protocol::LoadCommand& command);
    void warn_of(const Placed& placed);
    /// Lets a window be prepared once `samples` can be asked for: by the target's thread, or by the
    /// preparer's beside a request.
    void start_preparing(std::int64_t id, const protocol::PrepareCommand& command,
                         std::function<std::vector<float>()> samples);
    void prepare(std::int64_t id, const protocol::PrepareCommand& command, std::vector<float> samples);
    void detect(Window& window);
    static std::optional<std::string> likely_language(const Window& window);
    void begin_drafting(Window& window, const std::string& language);
    /// Decodes; returns what fills in the `result` event.
    protocol::EventWriter::Fill request(std::int64_t id, const protocol::RequestCommand& command,
                                        Ongoing& ongoing);
    /// What drafts for a request; nothing when it runs target-only.
    struct Drafts {
        std::shared_ptr<DraftRun> run;      // beside the target
        bool starts = false;                // with this request
        std::unique_ptr<DrafterLoan> loan;  // in the target's thread
    };
    Drafts drafts_for(Window& window, const protocol::RequestCommand& command, const std::string& language,
                      const std::atomic<bool>& cancelled);
    std::shared_ptr<DraftRun> pre_draft(Window& window, bool to_its_end, const std::atomic<bool>& cancelled);
    bool too_many_threads(const Window& window) const;
    void report_words(const Window& window, const protocol::RequestCommand& command,
                      const std::string& language, const DecodeResult& result);

    std::shared_ptr<TargetModel> find_target(const std::string& model) const;
    std::shared_ptr<mnn::WhisperDrafterModel> find_drafter(const std::string& model) const;
    /// The network of a target or drafter for one of its thread settings.
    mnn::WhisperNetwork& find_network(const std::string& model, int threads) const;
    /// Where that network runs when it is a drafter's, on the producer's thread; empty: where the target
    /// does.
    std::vector<int> producer_cpus(const std::string& model, int threads) const;
    Window& find_window(const std::string& id);

    protocol::EventWriter& writer_;
    const Clock& clock_;
    std::atomic<bool> stopping_{false};

    // Changed under the mutex: models by the target's thread, windows by the preparer's too. The target's may
    // read models without it.
    mutable std::mutex kept_mutex_;
    std::map<std::string, std::shared_ptr<TargetModel>> targets_;
    std::map<std::string, std::shared_ptr<mnn::WhisperDrafterModel>> drafters_;
    std::map<std::string, Window> windows_;

    // Whoever runs graphs of targets: MNN computes one of a model at a time. No decode waits for it.
    std::mutex graphs_mutex_;

    // The target's thread only.
    std::optional<Placement> placement_;  // made when the threads are there

    // The reader's thread only: the shutdown to be answered, and windows whose audio is still arriving.
    std::optional<std::int64_t> shutdown_id_;
    struct Arriving {
        std::int64_t prepare_id;
        protocol::PrepareCommand command;
        std::vector<float> samples;
    };
    std::map<std::string, Arriving> arriving_;
    std::set<std::string> prepared_beside_;  // windows that the preparer was given and nobody released

    std::mutex requests_mutex_;
    std::map<std::string, std::shared_ptr<Ongoing>> requests_;  // their runs too

    // Last: their threads end before what they use.
    Worker producer_worker_;
    Worker target_worker_;
    Worker preparer_worker_;
};

}  // namespace as2d::helper
