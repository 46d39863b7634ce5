#include "helper/server.hpp"

#include "core/errors.hpp"
#include "engine_mnn/timings.hpp"
#include "helper/thread_cpus.hpp"
#include "protocol/input_error.hpp"

#include <nlohmann/json.hpp>

#include <future>
#include <optional>

namespace as2d::helper {

using namespace protocol;

namespace {

Json milliseconds(const std::vector<Nanos>& times) {
    auto out = Json::array();
    for (const auto ns : times)
        out.push_back(static_cast<double>(ns) / 1e6);
    return out;
}

Json rows_json(const std::vector<int>& widths, const mnn::WidthTimes& times) {
    auto rows = Json::array();
    for (std::size_t i = 0; i < times.size(); ++i)
        rows.push_back({{"k", widths[i]}, {"ms", milliseconds(times[i])}});
    return rows;
}

/// The producer's thread must stand still, so that nothing computes beside what is timed.
void require_standing(const DrafterLoan& loan) {
    if (!loan.stands()) throw EngineError("the helper was ended before it could measure");
}

/// A target that hears a window of silence, until this ends.
class Listening {
  public:
    Listening(mnn::WhisperTarget& target, bool cores_shared)
        : target_(target), audio_(mnn::silence(target.network(cores_shared))) {
        target_.bind(audio_);
        target_.share_cores(cores_shared);
    }
    ~Listening() {
        target_.share_cores(false);
        target_.unbind();
    }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

  private:
    mnn::WhisperTarget& target_;
    mnn::AudioState audio_;
};

template <typename Command>
EventWriter::Fill width_times(std::int64_t id, const Command& command, const mnn::WidthTimes& times) {
    return [id, command, times](Json& line) {
        line["re"] = id;
        line["model"] = command.model;
        line["threads"] = command.threads;
        line["context"] = command.context;
        if constexpr (requires { command.seconds; }) line["seconds"] = command.seconds;
        line["rows"] = rows_json(command.widths, times);
    };
}

}  // namespace

void Server::start(std::int64_t id, const MeasureCallsCommand& command) {
    post_with_graphs(id, [this, id, command] {
        auto& target = find_target(command.model)->target;
        find_network(command.model, command.threads);  // or the refusal of other threads
        const Listening listening(target, command.threads != target.threads());
        const auto times =
            mnn::TargetTimer(target, command.context).measure(command.widths, command.repeats, clock_);
        writer_.post("measured_calls", width_times(id, command, times));
    });
}

void Server::start(std::int64_t id, const MeasureDrafterCommand& command) {
    post_with_graphs(id, [this, id, command] {
        const auto model = find_drafter(command.model);
        auto& network = find_network(command.model, command.threads);
        const DrafterLoan loan(producer_worker_, stopping_);
        require_standing(loan);
        const OnCpus there(producer_cpus(command.model, command.threads));
        mnn::DrafterTimer timer(*model, network, mnn::silence(network, command.seconds), command.context);
        const auto times = timer.measure(command.widths, command.repeats, clock_);
        writer_.post("measured_drafter", width_times(id, command, times));
    });
}

void Server::start(std::int64_t id, const MeasureEncoderCommand& command) {
    post_with_graphs(id, [this, id, command] {
        auto& network = find_network(command.model, command.threads);
        const DrafterLoan loan(producer_worker_, stopping_);
        require_standing(loan);
        const OnCpus there(producer_cpus(command.model, command.threads));
        const auto times = mnn::measure_encoder(network, command.seconds, command.repeats, clock_);
        writer_.post("measured_encoder", [id, command, times](Json& line) {
            line["re"] = id;
            line["model"] = command.model;
            line["seconds"] = command.seconds;
            line["threads"] = command.threads;
            line["ms"] = milliseconds(times.encoder);
            line["cross_ms"] = milliseconds(times.cross);
        });
    });
}

void Server::start(std::int64_t id, const MeasureInterferenceCommand& command) {
    post_with_graphs(id, [this, id, command] {
        auto& target = find_target(command.target)->target;
        const auto model = find_drafter(command.drafter);
        const Listening listening(target, true);
        const std::vector<int> width{command.k};
        const auto measure = [&] {
            return mnn::TargetTimer(target, command.context).measure(width, command.repeats, clock_).front();
        };
        const std::vector<int> one{1};
        std::optional<mnn::DrafterTimer> drafter;
        std::vector<Nanos> target_alone;
        std::vector<Nanos> drafter_alone;
        {
            const DrafterLoan loan(producer_worker_, stopping_);
            require_standing(loan);
            target_alone = measure();
            const OnCpus there(model->cpus());
            auto& network = model->network(true);
            drafter.emplace(*model, network, mnn::silence(network), command.context);
            drafter_alone = drafter->measure(one, command.repeats, clock_).front();
        }

        std::atomic<bool> enough{false};
        std::promise<void> started;
        std::packaged_task<std::vector<Nanos>()> draft([&] {
            std::vector<Nanos> times;
            started.set_value();
            while (!enough)
                times.push_back(drafter->measure(one, 1, clock_).front().front());
            return times;
        });
        auto drafted = draft.get_future();
        producer_worker_.post([&] { draft(); });
        started.get_future().wait();
        std::vector<Nanos> target_beside;
        try {
            target_beside = measure();
        } catch (...) {
            enough = true;
            drafted.wait();  // it works on what is here
            throw;
        }
        enough = true;
        const auto drafter_beside = drafted.get();
        writer_.post("measured_interference",
                     [id, command, target_alone, target_beside, drafter_alone, drafter_beside](Json& line) {
                         line["re"] = id;
                         line["target"] = command.target;
                         line["drafter"] = command.drafter;
                         line["k"] = command.k;
                         line["target_alone_ms"] = milliseconds(target_alone);
                         line["target_beside_ms"] = milliseconds(target_beside);
                         line["drafter_alone_ms"] = milliseconds(drafter_alone);
                         line["drafter_beside_ms"] = milliseconds(drafter_beside);
                     });
    });
}

std::vector<int> Server::producer_cpus(const std::string& model, int threads) const {
    const auto found = drafters_.find(model);
    if (found == drafters_.end() || found->second->shared_threads() != threads) return {};
    return found->second->cpus();
}

void Server::start(std::int64_t id, const MeasureTurnsCommand& command) {
    post_with_graphs(id, [this, id, command] {
        auto& target = find_target(command.target)->target;
        const auto model = find_drafter(command.drafter);
        const DrafterLoan loan(producer_worker_, stopping_);
        require_standing(loan);
        const Listening listening(target, false);
        mnn::TargetTimer calls(target, command.context);
        auto& network = model->network(false);
        mnn::DrafterTimer steps(*model, network, mnn::silence(network, command.seconds), command.context);
        std::vector<mnn::Turn> turns;
        for (std::size_t i = 0; i < command.widths.size(); ++i)
            turns.push_back({command.widths[i], command.step_widths[i], {}, {}});
        mnn::measure_turns(calls, steps, turns, command.repeats, clock_);
        writer_.post("measured_turns", [id, command, turns = std::move(turns)](Json& line) {
            line["re"] = id;
            line["target"] = command.target;
            line["drafter"] = command.drafter;
            line["context"] = command.context;
            line["seconds"] = command.seconds;
            auto rows = Json::array();
            for (const auto& turn : turns) {
                auto of_steps = Json::array();
                for (const auto& step : turn.steps)
                    of_steps.push_back(milliseconds(step));
                rows.push_back({{"k", turn.k},
                                {"width", turn.width},
                                {"call_ms", milliseconds(turn.call)},
                                {"steps_ms", std::move(of_steps)}});
            }
            line["turns"] = std::move(rows);
        });
    });
}

mnn::WhisperNetwork& Server::find_network(const std::string& model, int threads) const {
    const auto pick = [&](auto& of, auto&& network) -> mnn::WhisperNetwork& {
        if (threads == of.shared_threads()) return network(true);
        if (threads == of.threads()) return network(false);
        throw RequestError("the model '" + model + "' was loaded for " + std::to_string(of.threads()) +
                           " and " + std::to_string(of.shared_threads()) + " threads, not for " +
                           std::to_string(threads));
    };
    if (const auto found = drafters_.find(model); found != drafters_.end()) {
        return pick(*found->second,
                    [&](bool shared) -> mnn::WhisperNetwork& { return found->second->network(shared); });
    }
    auto& target = find_target(model)->target;
    return pick(target, [&](bool shared) -> mnn::WhisperNetwork& { return target.network(shared); });
}

}  // namespace as2d::helper
