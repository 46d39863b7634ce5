#include "helper/server.hpp"

#include "core/errors.hpp"
#include "models/tokenizer_json.hpp"
#include "protocol/audio_input.hpp"
#include "protocol/input_error.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <future>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace as2d::helper {

using namespace protocol;

namespace {

std::size_t model_bytes(const models::WhisperManifest& manifest) {
    std::size_t bytes = 0;
    for (const auto& [role, path] : manifest.files)
        bytes += std::filesystem::file_size(path);
    return bytes;
}

EventWriter::Fill loaded_event(std::int64_t id, const LoadCommand& command,
                               const models::WhisperManifest& manifest, int threads, int shared_threads,
                               std::string backend, std::vector<int> cpus, Nanos start, Nanos end) {
    return [id, model = command.model, name = manifest.name, integers = manifest.integer_arithmetic,
            bytes = model_bytes(manifest), threads, shared_threads, backend = std::move(backend),
            cpus = std::move(cpus), start, end](Json& line) {
        line["re"] = id;
        line["model"] = model;
        line["kind"] = "whisper";
        line["name"] = name;
        line["threads"] = threads;
        line["shared_threads"] = shared_threads;
        line["backend"] = backend;
        line["cpus"] = cpus;
        line["arithmetic"] = {{"memory", integers ? "low" : "normal"}, {"precision", "normal"}};
        line["bytes"] = bytes;
        line["start"] = start;
        line["end"] = end;
    };
}

}  // namespace

Server::Server(EventWriter& writer, const Clock& clock) : writer_(writer), clock_(clock) {
    placement_.emplace(producer_worker_.thread_id());
}

Server::~Server() { stop(); }

bool Server::handle(const std::string& line) {
    try {
        const auto command = parse_command(line);
        std::visit([&](const auto& body) { start(command.id, body); }, command.body);
        return !std::holds_alternative<ShutdownCommand>(command.body);
    } catch (const InputError& error) {
        refuse(command_id(line), "bad-command", error.what());
    } catch (const std::exception& error) {
        refuse(std::nullopt, "internal", error.what());
    }
    return true;
}

void Server::finish() {
    for (const auto& [name, arriving] : arriving_) {
        refuse(arriving.prepare_id, "incomplete",
               "the input ended before all audio of the window '" + name + "' was there");
    }
    arriving_.clear();
    std::promise<void> done;
    auto reached = done.get_future();
    preparer_worker_.post([this, done = std::make_shared<std::promise<void>>(std::move(done))] {
        target_worker_.post([done] { done->set_value(); });
    });
    reached.wait();
}

void Server::stop() {
    stopping_ = true;
    {
        const std::lock_guard lock(requests_mutex_);
        for (const auto& [name, ongoing] : requests_)
            cancel(*ongoing);
    }
    preparer_worker_.stop();
    target_worker_.stop();
    for (const auto& [name, window] : windows_) {
        if (window.draft) window.draft->cancel();
    }
    producer_worker_.stop();
    if (const auto id = std::exchange(shutdown_id_, std::nullopt)) {
        writer_.post("bye", [id](Json& line) { line["re"] = *id; });
    }
}

void Server::refuse(std::optional<std::int64_t> id, const char* code, const std::string& message) {
    writer_.post("error", [id, code, message](Json& line) {
        line["re"] = id ? Json(*id) : Json(nullptr);
        line["code"] = code;
        line["message"] = message;
    });
}

void Server::post(std::int64_t id, std::function<void()> job) {
    target_worker_.post(answering(id, std::move(job)));
}

void Server::post_with_graphs(std::int64_t id, std::function<void()> job) {
    post(id, [this, job = std::move(job)] {
        const std::lock_guard graphs(graphs_mutex_);
        job();
    });
}

std::function<void()> Server::answering(std::int64_t id, std::function<void()> job) {
    return [this, id, job = std::move(job)] {
        try {
            job();
        } catch (const InputError& error) {
            refuse(id, "bad-command", error.what());
        } catch (const std::invalid_argument& error) {
            refuse(id, "bad-request", error.what());
        } catch (const EngineError& error) {
            refuse(id, "engine", error.what());
        } catch (const std::bad_alloc&) {
            refuse(id, "out-of-memory", "there is not enough memory for this model and window");
        } catch (const std::exception& error) {
            refuse(id, "internal", error.what());
        }
    };
}

void Server::start(std::int64_t id, const LoadCommand& command) {
    post_with_graphs(id, [this, id, command] { load(id, command); });
}

void Server::load(std::int64_t id, const LoadCommand& command) {
    if (command.backend != "cpu") throw InputError("this helper computes on the CPU only");
    if (targets_.contains(command.model) || drafters_.contains(command.model)) {
        throw InputError("a model '" + command.model + "' is loaded already");
    }
    const auto start = clock_.now();
    if (command.role == Role::drafter) {
        const auto manifest = models::read_whisper_manifest(command.path);
        std::shared_ptr<mnn::WhisperDrafterModel> model;
        auto placed = placement_->drafter(command.cpus, command.shared_threads, [&] {
            model = std::make_shared<mnn::WhisperDrafterModel>(
                command.path, command.threads, command.shared_threads,
                load_tokenizer(manifest.file("tokenizer")), command.cpus);
        });
        warn_of(placed);
        writer_.post("loaded",
                     loaded_event(id, command, model->manifest(), model->threads(), model->shared_threads(),
                                  model->backend_name(), std::move(placed.cpus), start, clock_.now()));
        const std::lock_guard lock(kept_mutex_);
        drafters_[command.model] = std::move(model);
        return;
    }
    std::shared_ptr<TargetModel> model;
    auto placed = placement_->target(command.cpus, command.threads, [&] {
        model = std::shared_ptr<TargetModel>(new TargetModel{
            mnn::WhisperTarget(command.path, command.threads, command.shared_threads), nullptr, {}, {}});
    });
    const auto tokenizer = load_tokenizer(model->target.manifest().file("tokenizer"));
    if (tokenizer->size() > static_cast<std::size_t>(model->target.manifest().vocab)) {
        throw EngineError("the tokenizer of '" + model->target.manifest().name +
                          "' has more tokens than the model knows");
    }
    model->text = tokenizer;
    model->rules = model->target.rules();
    model->target.set_logit_gap(command.logit_gap.value_or(0.0F));
    model->cpus = placed.cpus;
    warn_of(placed);
    writer_.post("loaded", loaded_event(id, command, model->target.manifest(), model->target.threads(),
                                        model->target.shared_threads(), model->target.backend_name(),
                                        std::move(placed.cpus), start, clock_.now()));
    const std::lock_guard lock(kept_mutex_);
    targets_[command.model] = std::move(model);
}

void Server::warn_of(const Placed& placed) {
    if (!placed.warning) return;
    writer_.post("warning", [message = *placed.warning](Json& line) {
        line["code"] = "placement";
        line["message"] = message;
    });
}

void Server::start(std::int64_t id, const SelfTestCommand& command) {
    post_with_graphs(id, [this, id, command] {
        const auto model = find_target(command.model);
        const auto start = clock_.now();
        const auto result = model->target.self_test(read_wav(command.audio), command.language);
        writer_.post("self_test", [id, name = command.model, result, start, end = clock_.now()](Json& line) {
            line["re"] = id;
            line["model"] = name;
            line["logit_gap"] = result.logit_gap;
            line["positions"] = result.positions;
            line["widths"] = result.widths;
            line["thread_settings"] = result.thread_settings;
            line["start"] = start;
            line["end"] = end;
        });
    });
}

void Server::start(std::int64_t id, const PrepareCommand& command) {
    if (!command.audio) {
        if (arriving_.contains(command.window)) {
            throw InputError("the window '" + command.window + "' is being prepared already");
        }
        arriving_[command.window] = {id, command, {}};
        return;
    }
    start_preparing(id, command, [audio = *command.audio] { return read_wav(audio); });
}

void Server::start(std::int64_t, const AppendCommand& command) {
    const auto found = arriving_.find(command.window);
    if (found == arriving_.end())
        throw InputError("no audio is expected for the window '" + command.window + "'");
    auto& arriving = found->second;
    try {
        append_base64_pcm(command.pcm, arriving.samples);
    } catch (const InputError& error) {
        // An append has no answer of its own: it is the preparation that has failed.
        refuse(arriving.prepare_id, "bad-command", error.what());
        arriving_.erase(found);
        return;
    }
    if (!command.last) return;
    start_preparing(arriving.prepare_id, arriving.command,
                    [samples = std::make_shared<std::vector<float>>(std::move(arriving.samples))] {
                        return std::move(*samples);
                    });
    arriving_.erase(found);
}

void Server::start_preparing(std::int64_t id, const PrepareCommand& command,
                             std::function<std::vector<float>()> samples) {
    const auto job = [this, id, command, samples = std::move(samples)] { prepare(id, command, samples()); };
    if (!command.beside) return post(id, job);
    std::shared_future<void> begun;
    {
        const std::lock_guard lock(requests_mutex_);
        const auto found = requests_.find(*command.beside);
        if (found != requests_.end()) begun = found->second->begun;
    }
    prepared_beside_.insert(command.window);
    preparer_worker_.post(answering(id, [job, begun] {
        if (begun.valid()) begun.wait();
        job();
    }));
}

void Server::start(std::int64_t id, const RequestCommand& command) {
    const auto ongoing = std::make_shared<Ongoing>();
    {
        const std::lock_guard lock(requests_mutex_);
        if (!requests_.emplace(command.request, ongoing).second) {
            throw InputError("a request '" + command.request + "' is at work already");
        }
    }
    post(id, [this, id, command, ongoing] {
        const auto forget = [&] {
            const std::lock_guard lock(requests_mutex_);
            requests_.erase(command.request);
            ongoing->begin();
        };
        EventWriter::Fill result;
        try {
            result = request(id, command, *ongoing);
        } catch (...) {
            forget();
            throw;
        }
        forget();  // whoever reads the result may use the name again
        writer_.post("result", std::move(result));
    });
}

void Server::start(std::int64_t, const CancelCommand& command) {
    const std::lock_guard lock(requests_mutex_);
    const auto found = requests_.find(command.request);
    if (found != requests_.end()) cancel(*found->second);
}

void Server::cancel(Ongoing& ongoing) {
    ongoing.cancelled = true;
    ongoing.begin();
    // It may wait for a producer that has not begun: another window's encoder is before it.
    if (ongoing.run) ongoing.run->state().wake_target();
}

void Server::start(std::int64_t id, const ReleaseCommand& command) {
    if (const auto found = arriving_.find(command.window); found != arriving_.end()) {
        refuse(found->second.prepare_id, "released",
               "the window '" + command.window + "' was released before all of its audio was there");
        arriving_.erase(found);
    }
    const auto job = [this, id, command] {
        {
            const std::lock_guard lock(kept_mutex_);
            windows_.erase(command.window);
        }
        writer_.post("released", [id, window = command.window](Json& line) {
            line["re"] = id;
            line["window"] = window;
        });
    };
    if (prepared_beside_.erase(command.window) == 0) return post(id, job);
    preparer_worker_.post([this, id, job] { post(id, job); });  // behind its preparation
}

void Server::start(std::int64_t id, const UnloadCommand& command) {
    post(id, [this, id, command] {
        const std::lock_guard lock(kept_mutex_);
        if (targets_.erase(command.model) + drafters_.erase(command.model) == 0) {
            throw InputError("no model '" + command.model + "' is loaded");
        }
        writer_.post("unloaded", [id, model = command.model](Json& line) {
            line["re"] = id;
            line["model"] = model;
        });
    });
}

void Server::start(std::int64_t id, const PingCommand&) {
    writer_.post("pong", [id](Json& line) { line["re"] = id; });
}

void Server::start(std::int64_t id, const ShutdownCommand&) { shutdown_id_ = id; }

std::shared_ptr<TargetModel> Server::find_target(const std::string& model) const {
    const std::lock_guard lock(kept_mutex_);
    const auto found = targets_.find(model);
    if (found == targets_.end()) throw InputError("no target '" + model + "' is loaded");
    return found->second;
}

std::shared_ptr<mnn::WhisperDrafterModel> Server::find_drafter(const std::string& model) const {
    const std::lock_guard lock(kept_mutex_);
    const auto found = drafters_.find(model);
    if (found == drafters_.end()) throw InputError("no drafter '" + model + "' is loaded");
    return found->second;
}

Window& Server::find_window(const std::string& id) {
    const std::lock_guard lock(kept_mutex_);
    const auto found = windows_.find(id);
    if (found == windows_.end()) throw InputError("no window '" + id + "' is prepared");
    return found->second;
}

}  // namespace as2d::helper
