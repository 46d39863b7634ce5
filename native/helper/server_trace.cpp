#include "helper/server.hpp"

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "core/utf8.hpp"
#include "protocol/input_error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace as2d::helper {

using namespace protocol;

namespace {

/// Keeps how long target-only calls took.
class CallTimes final : public EventSink {
  public:
    void on_call(const CallEvent& event) override { times_.push_back(event.end - event.start); }
    Nanos median() {
        if (times_.empty()) return 0;
        const auto middle = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 2);
        std::nth_element(times_.begin(), middle, times_.end());
        return *middle;
    }

  private:
    std::vector<Nanos> times_;
};

bool whole_characters(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto front = utf8_front(bytes);
        if (front.status != Utf8Status::valid) return false;
        bytes.remove_prefix(front.length);
    }
    return true;
}

Json text_json(std::string_view bytes) {
    if (whole_characters(bytes)) return bytes;
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        hex += digits[byte >> 4U];
        hex += digits[byte & 15U];
    }
    return {{"hex", hex}};
}

Json pieces_json(const std::vector<DraftPiece>& pieces) {
    auto out = Json::array();
    for (const auto& piece : pieces) {
        out.push_back(Json::array({text_json(piece.text), piece.confidence, piece.width, piece.end_of_text}));
    }
    return out;
}

std::vector<DraftPiece> to_its_end(Drafter& drafter, const std::atomic<bool>& cancelled) {
    std::vector<DraftPiece> pieces;
    while (!cancelled && (pieces.empty() || !pieces.back().end_of_text))
        pieces.push_back(drafter.step());
    return pieces;
}

/// What the drafter says after every beginning of the answer. Where that is what it is saying anyway, nothing
/// is recorded.
class Continuations {
  public:
    Continuations(Drafter& drafter, std::vector<DraftPiece> own, const std::atomic<bool>& cancelled)
        : drafter_(drafter), saying_(std::move(own)), cancelled_(cancelled) {}

    void follow(std::string_view token) {
        text_ += token;
        ++after_;
        if (agrees(token)) return;
        drafter_.restart(text_);
        saying_ = to_its_end(drafter_, cancelled_);
        next_ = 0;
        recorded_.push_back({{"after", after_}, {"pieces", pieces_json(saying_)}});
    }
    const Json& recorded() const { return recorded_; }

  private:
    /// Whether the next pieces spell the token, up to an end of one of them.
    bool agrees(std::string_view token) {
        auto at = next_;
        while (!token.empty() && at < saying_.size() && token.starts_with(saying_[at].text)) {
            token.remove_prefix(saying_[at].text.size());
            ++at;
        }
        if (!token.empty()) return false;
        next_ = at;
        return true;
    }

    Drafter& drafter_;
    std::vector<DraftPiece> saying_;
    const std::atomic<bool>& cancelled_;
    std::size_t next_ = 0;  // piece of saying_ that comes next
    std::string text_;
    int after_ = 0;
    Json recorded_ = Json::array();
};

double milliseconds(Nanos span) { return static_cast<double>(span) / 1e6; }

}  // namespace

void Server::start(std::int64_t id, const TraceCommand& command) {
    post(id, [this, id, command] {
        auto& window = find_window(command.window);
        auto& model = *window.target;
        const auto language = command.language.value_or(*window.language);
        if (!window.drafter || window.start_condition != StartCondition::request_start ||
            command.task != window.task || language != *window.language) {
            throw InputError("the window '" + command.window +
                             "' was not prepared to be drafted with the request in this language and task");
        }
        const auto alone = make_method("target-only", {});
        EventSink unheard;
        CallTimes calls;
        DecodeResult answer;
        for (EventSink* sink : {&unheard, static_cast<EventSink*>(&calls)}) {  // the first one warms up
            model.target.bind(window.audio);
            answer = decode({model.target, model.rules, *model.text, *alone, clock_, *sink},
                            {language, command.task}, stopping_);
        }
        // A drafter that does not know the language says nothing, as in a request.
        std::vector<DraftPiece> own;
        auto recorded = Json::array();
        PreparationTimes drafter_times;
        if (window.drafting) {
            const auto loan = window.drafting->lend(nullptr, stopping_);
            if (!loan) throw EngineError("the drafter could not encode the window '" + command.window + "'");
            own = to_its_end(loan->drafter(), stopping_);
            Continuations continuations(loan->drafter(), own, stopping_);
            for (const auto token : answer.committed) {
                if (token != model.rules.end) continuations.follow(model.text->bytes(token));
            }
            recorded = continuations.recorded();
            drafter_times = window.drafting->times();
        }
        if (stopping_) throw EngineError("the helper was ended while it recorded a trace");
        writer_.post(
            "trace", [id, command, language, answer, own = pieces_json(own), recorded = std::move(recorded),
                      end = model.rules.end, limit = model.rules.token_limit, gap = model.target.logit_gap(),
                      prompt = model.rules.prompt(language, command.task).size(),
                      call_ms = milliseconds(calls.median()), times = window.times,
                      drafter = drafter_times](Json& line) {
                line["re"] = id;
                line["window"] = command.window;
                line["language"] = language;
                line["task"] = command.task;
                line["prompt_tokens"] = prompt;
                line["tokens"] = answer.committed;
                line["margins"] = answer.margins;
                line["stop"] = name_of(answer.stop);
                line["no_speech_prob"] = answer.no_speech_prob;
                line["end_token"] = end;
                line["token_limit"] = limit;
                line["logit_gap"] = gap;
                line["own"] = own;
                line["continuations"] = recorded;
                line["encoder"] = {{"target_ms", milliseconds(times.encoder)},
                                   {"target_cross_ms", milliseconds(times.cross)},
                                   {"drafter_ms", milliseconds(drafter.encoder)},
                                   {"drafter_cross_ms", milliseconds(drafter.cross)}};
                line["prefill_ms"] = milliseconds(answer.times.first_token - answer.times.prefill_start);
                line["call_ms"] = call_ms;
            });
    });
}

}  // namespace as2d::helper
