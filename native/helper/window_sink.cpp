#include "helper/window_sink.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace as2d::helper {

using protocol::Json;
using protocol::Weight;

void WindowSink::on_draft(const DraftEvent& event) {
    writer_.post(
        "draft",
        [window = window_, event, text = std::string(event.text)](Json& line) {
            line["window"] = window;
            line["epoch"] = event.epoch;
            line["step"] = event.step;
            line["start"] = event.start;
            line["end"] = event.end;
            line["text"] = text;
            line["drafter_tokens"] = event.drafter_tokens;
            line["width"] = event.width;
            line["confidence"] = event.confidence;
            line["end_of_text"] = event.end_of_text;
        },
        Weight::may_drop);
}

void WindowSink::on_publish(const PublishEvent& event) {
    std::vector<Token> tokens(event.tokens.begin(), event.tokens.end());
    std::vector<std::string> texts(event.texts.begin(), event.texts.end());
    writer_.post(
        "publish",
        [window = window_, epoch = event.epoch, first = event.first, length = event.length,
         tokens = std::move(tokens), texts = std::move(texts)](Json& line) {
            line["window"] = window;
            line["epoch"] = epoch;
            line["first"] = first;
            line["tokens"] = tokens;
            line["texts"] = texts;
            line["length"] = length;
        },
        Weight::may_drop);
}

void WindowSink::on_call(const CallEvent& event) {
    std::vector<Token> candidates(event.candidates.begin(), event.candidates.end());
    std::vector<Token> choices(event.choices.begin(), event.choices.end());
    std::vector<float> margins(event.margins.begin(), event.margins.end());
    // The spans of `event` end with this call: only its plain fields may be read later.
    writer_.post("call", [window = window_, request = request_, threads = target_->threads_in_use(), event,
                          candidates = std::move(candidates), choices = std::move(choices),
                          margins = std::move(margins)](Json& line) {
        line["request"] = request;
        line["window"] = window;
        line["index"] = event.index;
        line["kind"] = name_of(event.kind);
        line["start"] = event.start;
        line["end"] = event.end;
        line["threads"] = threads;
        line["k"] = event.k;
        line["root"] = event.root;
        line["candidates"] = candidates;
        line["choices"] = choices;
        line["margins"] = margins;
        line["accepted"] = event.accepted;
        line["published"] = event.published;
        line["cursor"] = event.cursor ? Json(*event.cursor) : Json(nullptr);
        line["reason"] = name_of(event.reason);
    });
}

void WindowSink::on_commit(const CommitEvent& event) {
    if (prefill_start_) {
        stage("target", "prefill", *prefill_start_, event.t, target_->threads_in_use());
        prefill_start_.reset();
        if (prefilled_) prefilled_();
    }
    std::vector<Token> tokens(event.tokens.begin(), event.tokens.end());
    std::vector<Origin> origins(event.origins.begin(), event.origins.end());
    writer_.post("commit",
                 [window = window_, request = request_, first = event.first, text = std::string(event.text),
                  tokens = std::move(tokens), origins = std::move(origins)](Json& line) {
                     line["request"] = request;
                     line["window"] = window;
                     line["first"] = first;
                     line["tokens"] = tokens;
                     line["text"] = text;
                     auto names = Json::array();
                     for (const auto origin : origins)
                         names.push_back(name_of(origin));
                     line["origins"] = std::move(names);
                 });
}

void WindowSink::on_warning(const WarningEvent& event) {
    writer_.post("warning", [window = window_, request = request_, code = std::string(event.code),
                             message = std::string(event.message)](Json& line) {
        line["code"] = code;
        line["message"] = message;
        line["window"] = window;
        if (!request.empty()) line["request"] = request;
    });
}

void WindowSink::stage(const char* actor, const char* stage, Nanos start, Nanos end, int threads) {
    writer_.post("stage", [window = window_, actor, stage, start, end, threads](Json& line) {
        line["window"] = window;
        line["actor"] = actor;
        line["stage"] = stage;
        line["start"] = start;
        line["end"] = end;
        line["threads"] = threads;
    });
}

}  // namespace as2d::helper
