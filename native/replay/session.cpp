#include "replay/session.hpp"

#include <charconv>
#include <chrono>
#include <utility>

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "models/tokenizer_json.hpp"
#include "replay/line_writer.hpp"

namespace as2d::replay {
namespace {

constexpr std::size_t kFlushAt = 1U << 16U;
constexpr int kMostBudget = 1024;
constexpr int kMostPatience = 1 << 20;

void write_span(LineWriter& out, Nanos start, Nanos end) {
    out.raw("[");
    out.number(start);
    out.raw(",");
    out.number(end);
}

}  // namespace

bool Session::handle(std::string_view line) {
    if (line.size() > kLongestLine) throw BadInput("A line is longer than 64 MiB.");
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_discarded()) throw BadInput("A line is not valid JSON.");
    const Fields fields(object, "line");
    const std::string& kind = fields.text("kind");
    if (kind == "setup") {
        set_up(object);
    } else if (kind == "trace") {
        add_trace(object);
    } else if (kind == "arm") {
        add_arm(object);
    } else if (kind == "run") {
        return run(object);
    } else {
        fields.fail("kind", "must be setup, trace, arm or run");
    }
    return true;
}

void Session::set_up(const Json& line) {
    const Fields fields(line, "setup");
    const std::string& path = fields.text("tokenizer");
    CostProfile profile = parse_cost_profile(fields.required("profile"));
    if (path != tokenizer_path_) {
        try {
            tokenizer_ = load_tokenizer(path);
        } catch (const std::invalid_argument& error) {
            throw BadInput(error.what());
        }
        tokenizer_path_ = path;
    }
    traces_.clear();
    arms_.clear();
    encoder_ = std::make_unique<MemoEncoder>(*tokenizer_);
    replayer_.emplace(*encoder_, std::move(profile));
}

void Session::add_trace(const Json& line) {
    if (!replayer_) throw BadInput("A trace needs a setup before it.");
    traces_.emplace_back(line, replayer_->encoder());
}

void Session::add_arm(const Json& line) {
    if (!replayer_) throw BadInput("An arm needs a setup before it.");
    const Fields fields(line, "arm");
    Arm arm;
    arm.name = Json(fields.text("name")).dump();
    arm.method = fields.text("method");
    arm.settings.budget = fields.integer("budget", 0, kMostBudget);
    const std::string& admission = fields.text("admission");
    if (admission != "root" && admission != "text") fields.fail("admission", "must be root or text");
    arm.settings.admission = admission == "root" ? Admission::root : Admission::text;
    const std::string& start = fields.text("start_condition");
    if (start != "request-start" && start != "pre-drafted") {
        fields.fail("start_condition", "must be request-start or pre-drafted");
    }
    arm.start_condition =
        start == "request-start" ? StartCondition::request_start : StartCondition::pre_drafted;
    if (!fields.optional("confidence").is_null()) {
        arm.settings.confidence = static_cast<float>(fields.number("confidence", 0.0, 1.0));
    }
    if (!fields.optional("patience").is_null()) {
        arm.settings.patience = fields.integer("patience", 0, kMostPatience);
    }
    try {
        make_method(arm.method, arm.settings);
    } catch (const RequestError& error) {
        throw BadInput(error.what());
    }
    arms_.push_back(std::move(arm));
}

bool Session::run(const Json& line) {
    const bool detail = Fields(line, "run").flag("detail");
    if (!replayer_) throw BadInput("A run needs a setup before it.");
    const auto start = std::chrono::steady_clock::now();
    for (const Arm& arm : arms_) {
        for (const Trace& trace : traces_) {
            if (detail) {
                Timeline timeline;
                report(arm, trace, replayer_->replay(arm, trace, &timeline));
                report(arm, trace, timeline);
            } else {
                report(arm, trace, replayer_->replay(arm, trace));
            }
            if (!flush(kFlushAt)) return false;
        }
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    LineWriter out(answers_);
    out.begin("done");
    out.field("replays", arms_.size() * traces_.size());
    out.key("seconds");
    out.raw(Json(taken.count()).dump());
    out.end();
    return flush(0);
}

void Session::report(const Arm& arm, const Trace& trace, const ReplayOutcome& outcome) {
    const Counters& counters = outcome.counters;
    LineWriter out(answers_);
    const auto number = [&out](int value) { out.number(value); };
    out.begin("window");
    out.key("arm");
    out.raw(arm.name);
    out.key("window");
    out.raw(trace.window());
    out.field("tokens", counters.tokens);
    out.field("decode_ns", outcome.times.end - outcome.times.first_token);
    out.field("response_ns", outcome.times.end);
    out.field("first_token_ns", outcome.times.first_token);
    out.field("draft_ns", outcome.draft.time);
    out.field("draft_steps", outcome.draft.steps);
    out.field("differing", outcome.differing);
    out.raw(",\"counters\":{\"tokens\":");
    out.number(counters.tokens);
    out.field("calls", counters.calls);
    out.field("guard_calls", counters.guard_calls);
    out.field("proposed", counters.proposed);
    out.field("accepted", counters.accepted);
    out.key("accepted_by_position");
    out.list(counters.accepted_by_position, number);
    out.key("proposed_by_position");
    out.list(counters.proposed_by_position, number);
    out.field("hits", counters.hits);
    out.key("end_accepted");
    out.raw(counters.end_accepted ? "true}" : "false}");
    out.end();
}

void Session::report(const Arm& arm, const Trace& trace, const Timeline& timeline) {
    LineWriter out(answers_);
    out.begin("timeline");
    out.key("arm");
    out.raw(arm.name);
    out.key("window");
    out.raw(trace.window());
    out.key("calls");
    out.list(timeline.calls, [&out](const CallSpan& call) {
        write_span(out, call.start, call.end);
        out.raw(",");
        out.number(call.k);
        out.raw(",");
        out.number(call.accepted);
        out.raw(",");
        out.text(name_of(call.reason));
        out.raw(",");
        out.number(call.published);
        out.raw(",");
        if (call.cursor) {
            out.number(*call.cursor);
        } else {
            out.raw("null");
        }
        out.raw("]");
    });
    out.key("drafts");
    out.list(timeline.drafts, [&out](const DraftSpan& draft) {
        write_span(out, draft.start, draft.end);
        out.raw(",");
        out.number(draft.width);
        out.raw(",");
        out.number(draft.epoch);
        out.raw("]");
    });
    out.end();
}

bool Session::flush(std::size_t at_least) {
    if (answers_.size() < at_least || answers_.empty()) return true;
    const bool read = write_(answers_);
    answers_.clear();
    return read;
}

}  // namespace as2d::replay
