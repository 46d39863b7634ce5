#include "helper/server.hpp"

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "core/thread_link.hpp"
#include "helper/thread_cpus.hpp"
#include "protocol/input_error.hpp"

#include <nlohmann/json.hpp>

#include <thread>

namespace as2d::helper {

using namespace protocol;

namespace {

Json counters_json(const Counters& counters) {
    return {{"tokens", counters.tokens},
            {"calls", counters.calls},
            {"guard_calls", counters.guard_calls},
            {"proposed", counters.proposed},
            {"accepted", counters.accepted},
            {"accepted_by_position", counters.accepted_by_position},
            {"proposed_by_position", counters.proposed_by_position},
            {"hits", counters.hits},
            {"end_accepted", counters.end_accepted}};
}

/// A run of the producer on its own history.
std::shared_ptr<DraftRun> own_run(const Window& window) {
    return window.drafting->make_run(window.target->text, window.target->rules.end, nullptr, false);
}

/// Starts the producer's own run anew where a request before this one ended it before its end of text.
void draft_to_the_end(Window& window) {
    if (!window.draft->cut_short()) return;
    window.draft = own_run(window);
    window.drafting->start(window.draft);
}

Json audit_json(const std::optional<Difference>& audit) {
    if (!audit) return nullptr;
    const bool same = audit->first < 0;
    return {{"tokens", audit->tokens},
            {"differing", audit->differing},
            {"first_difference", same ? Json(nullptr) : Json(audit->first)},
            {"margin", same ? Json(nullptr) : Json(audit->margin)}};
}

}  // namespace

void Server::prepare(std::int64_t id, const PrepareCommand& command, std::vector<float> samples) {
    {
        const std::lock_guard lock(kept_mutex_);
        if (windows_.contains(command.window))
            throw InputError("a window '" + command.window + "' is prepared already");
    }
    Window window;
    window.id = command.window;
    window.target = find_target(command.target);
    if (command.drafter) window.drafter = find_drafter(*command.drafter);
    auto& target = window.target->target;
    const auto longest = static_cast<std::size_t>(target.manifest().window_seconds) * mnn::sample_rate;
    if (samples.empty() || samples.size() > longest)
        throw InputError("a window must hold more than 0 and at most 30 s of audio");
    window.start_condition = command.start_condition;
    window.task = command.task;
    window.language = command.language;
    window.samples = std::make_shared<const std::vector<float>>(std::move(samples));
    if (window.language) window.target->rules.prompt(*window.language, window.task);

    const OnCpus there(command.beside ? window.target->cpus : std::vector<int>());
    Nanos start = 0;
    std::optional<std::string> guess;
    {
        // What the graphs give is freed under the lock too: MNN's memory has none of its own.
        const std::lock_guard graphs(graphs_mutex_);
        start = clock_.now();
        // Until the language is detected, the drafter's own is as good as any: a wrong one costs a draft.
        guess = window.language ? window.language : likely_language(window);
        if (guess) begin_drafting(window, *guess);
        WindowSink sink(writer_, window.id);
        // Always at the same thread setting: the encoder's last digits depend on it, and the answer must not.
        auto& network = target.network(false);
        const auto states = network.encode(*window.samples);
        const auto encoded = clock_.now();
        sink.stage("target", "encoder", start, encoded, network.threads());
        window.audio = network.project(states, static_cast<int>(window.samples->size()));
        const auto projected = clock_.now();
        sink.stage("target", "cross", encoded, projected, network.threads());
        window.times = {encoded - start, projected - encoded};
    }
    if (!window.language) {
        detect(window);
        if (window.language != guess) {
            window.draft.reset();
            window.drafting.reset();
            begin_drafting(window, *window.language);
        }
    }
    // In `request-start` the audio is prepared for everybody, the drafter included.
    if (window.drafting && window.start_condition == StartCondition::request_start) {
        window.drafting->wait_for_encoder(stopping_);
    }
    window.audio_ready = clock_.now();
    auto ready = window.audio_ready;
    if (command.drafted && window.draft) {
        window.draft->wait(stopping_);
        ready = clock_.now();
    }
    EventWriter::Fill answer = [id, name = window.id, start, end = ready,
                                seconds = static_cast<double>(window.samples->size()) /
                                          mnn::sample_rate](Json& line) {
        line["re"] = id;
        line["window"] = name;
        line["seconds"] = seconds;
        line["start"] = start;
        line["end"] = end;
    };
    {
        const std::lock_guard lock(kept_mutex_);
        if (!windows_.try_emplace(command.window, std::move(window)).second)
            throw InputError("a window '" + command.window + "' is prepared already");
    }
    writer_.post("prepared", std::move(answer));  // whoever reads it may ask for the window
}

void Server::detect(Window& window) {
    auto& target = window.target->target;
    if (window.target->rules.languages.empty()) throw InputError("this target knows one language: name it");
    target.share_cores(false);
    target.bind(window.audio);
    const auto start = clock_.now();
    const auto found = detect_language(target, window.target->rules);
    WindowSink(writer_, window.id).stage("target", "language", start, clock_.now(), target.threads());
    window.language = found.language;
    window.language_probability = found.probability;
    writer_.post("language", [name = window.id, found](Json& line) {
        line["window"] = name;
        line["language"] = found.language;
        line["probability"] = found.probability;
    });
}

/// The language of a drafter that knows only one, for a window to be drafted with its audio; else none.
std::optional<std::string> Server::likely_language(const Window& window) {
    if (!window.drafter || window.start_condition != StartCondition::pre_drafted) return std::nullopt;
    const auto& declared = window.drafter->manifest().declared_languages;
    return declared.size() == 1 ? std::optional(declared.front()) : std::nullopt;
}

/// Starts the drafter's side of a window if it declares this language and task; else no thread is spent on
/// it.
void Server::begin_drafting(Window& window, const std::string& language) {
    if (!window.drafter || !window.drafter->can(window.task, language)) return;
    window.drafting = std::make_shared<WindowDrafting>(window.drafter, producer_worker_, window.id,
                                                       window.samples, writer_, clock_);
    window.drafting->start_encoder();
    if (window.start_condition == StartCondition::pre_drafted) {
        window.draft = own_run(window);
        window.drafting->start(window.draft);
    }
}

/// What the drafter said on its own history before the request: to its end, or as far as it has come.
std::shared_ptr<DraftRun> Server::pre_draft(Window& window, bool to_its_end,
                                            const std::atomic<bool>& cancelled) {
    if (to_its_end) {
        draft_to_the_end(window);
    } else {
        window.draft->cancel();
    }
    window.draft->wait(cancelled);
    return window.draft;
}

Server::Drafts Server::drafts_for(Window& window, const RequestCommand& command, const std::string& language,
                                  const std::atomic<bool>& cancelled) {
    const auto drafting = find_method(command.method).drafting;
    const bool as_prepared = command.task == window.task && language == *window.language;
    if (drafting == Drafting::none || !as_prepared || !window.drafting) {
        if (window.draft) window.draft->cancel();
        return {};
    }
    const bool drafted = window.start_condition == StartCondition::pre_drafted;
    if (drafting == Drafting::decoupled) {
        if (!drafted) return {own_run(window), true, nullptr};
        draft_to_the_end(window);
        if (command.producer_done) window.draft->wait(cancelled);
        return {window.draft, false, nullptr};
    }
    const auto before = drafted ? pre_draft(window, command.producer_done, cancelled) : nullptr;
    if (drafting == Drafting::serial) return {nullptr, false, window.drafting->lend(before, cancelled)};
    const auto& target = *window.target;
    auto run = window.drafting->make_run(target.text, target.rules.end, before, true);
    if (!before || !command.producer_done) return {std::move(run), true, nullptr};
    // What was said before the request is published before it.
    window.drafting->start(run);
    run->wait_for_rest(cancelled);
    return {std::move(run), false, nullptr};
}

/// Whether the target and a producer want more cores than there are: MNN's threads spin, and a call that
/// shares a core with another thread takes many times as long.
bool Server::too_many_threads(const Window& window) const {
    const auto wanted = window.target->target.threads() + window.drafting->model().shared_threads();
    return wanted > static_cast<int>(std::thread::hardware_concurrency());
}

EventWriter::Fill Server::request(std::int64_t id, const RequestCommand& command, Ongoing& ongoing) {
    const auto& cancelled = ongoing.cancelled;
    auto& window = find_window(command.window);
    auto& model = *window.target;
    const auto language = command.language.value_or(*window.language);
    const auto method = make_method(
        command.method, {command.budget, command.admission, command.confidence, command.patience});
    model.rules.prompt(language, command.task);

    const auto asked = clock_.now();
    // A producer that a request before this one left may be in its last step.
    if (command.producer_done) DrafterLoan(producer_worker_, cancelled);
    const auto drafts = drafts_for(window, command, language, cancelled);
    const auto start_producer = [&] { window.drafting->start(drafts.run); };
    // Prefill has all the cores, as the exactness of the answer wants it.
    const bool after_prefill = drafts.starts && too_many_threads(window);
    // Benchmarks wait for the drafts before they request; whatever else is waited for delays the response.
    const auto requested = command.producer_done ? clock_.now() : asked;
    if (drafts.starts && !after_prefill) start_producer();
    model.target.bind(window.audio);
    WindowSink sink(writer_, window.id, command.request, model.target, clock_.now(), [&] {
        if (after_prefill) start_producer();
        ongoing.begin();  // behind the producer, so that no other window's drafter is before it
    });
    const DecodeRequest what{language, command.task};
    DecodeContext context{model.target, model.rules, *model.text, *method, clock_, sink};
    std::optional<ThreadLink> link;
    if (drafts.run) {
        {
            const std::lock_guard lock(requests_mutex_);
            ongoing.run = drafts.run;
        }
        link.emplace(drafts.run->state(), cancelled);
        context.stream = &drafts.run->stream();
        context.producer = &drafts.run->state();
        context.assignments = drafts.run->inbox();
        context.link = &*link;
    }
    if (drafts.loan) context.drafter = &drafts.loan->drafter();
    const auto result = decode(context, what, cancelled);
    if (drafts.run) drafts.run->cancel();

    std::optional<Difference> audit;
    if (command.audit && result.stop != Stop::cancelled) {
        EventSink unheard;
        const auto alone = make_method("target-only", {0, command.admission});
        model.target.bind(window.audio);
        const auto reference =
            decode({model.target, model.rules, *model.text, *alone, clock_, unheard}, what, cancelled);
        if (reference.stop != Stop::cancelled) audit = compare(reference, result);
    }
    if (command.words && !result.tokens.empty() && result.stop != Stop::cancelled) {
        report_words(window, command, language, result);
    }
    // What was detected says nothing about another language that a request names.
    const auto probability =
        language == *window.language ? window.language_probability : std::optional<float>();
    return [id, command, language, requested, result, audit, name = window.id,
            condition = window.start_condition, ready = window.audio_ready, probability](Json& line) {
        line["re"] = id;
        line["request"] = command.request;
        line["window"] = name;
        line["method"] = command.method;
        line["budget"] = command.budget;
        line["admission"] = name_of(command.admission);
        line["confidence"] = command.confidence;
        line["patience"] = command.patience;
        line["start_condition"] = name_of(condition);
        line["language"] = language;
        line["language_probability"] = probability ? Json(*probability) : Json(nullptr);
        line["tokens"] = result.tokens;
        line["text"] = result.text;
        line["stop"] = name_of(result.stop);
        line["counters"] = counters_json(result.counters);
        line["times"] = {{"request", requested},
                         {"prefill_start", result.times.prefill_start},
                         {"first_token", result.times.first_token},
                         {"end", result.times.end},
                         {"audio_ready", ready}};
        line["no_speech_prob"] = result.no_speech_prob;
        line["audit"] = audit_json(audit);
    };
}

}  // namespace as2d::helper
