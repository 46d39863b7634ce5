// Replayed decodes: exact, deterministic, and taking the time that one computes by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "core/decode.hpp"
#include "core/registry.hpp"
#include "replay/replayer.hpp"
#include "rig.hpp"
#include "scripted/producer_timeline.hpp"
#include "scripted/scripted_drafter.hpp"
#include "scripted/scripted_target.hpp"

using namespace as2d;
using namespace as2d::replay;
using namespace as2d::test;

namespace {

Arm arm_of(const std::string& method, int budget, StartCondition start_condition) {
    Arm arm;
    arm.method = method;
    arm.settings.budget = budget;
    arm.start_condition = start_condition;
    return arm;
}

ReplayOutcome replayed(const Json& line, const Arm& arm, const Costs& costs = {},
                       Timeline* timeline = nullptr) {
    return Replayer(vocabulary(), profile_of(costs)).replay(arm, Trace(line, vocabulary()), timeline);
}

bool same(const ReplayOutcome& a, const ReplayOutcome& b) {
    return a.times.first_token == b.times.first_token && a.times.end == b.times.end &&
           a.counters.calls == b.counters.calls && a.counters.guard_calls == b.counters.guard_calls &&
           a.counters.proposed_by_position == b.counters.proposed_by_position &&
           a.counters.accepted_by_position == b.counters.accepted_by_position &&
           a.draft.time == b.draft.time && a.draft.steps == b.draft.steps;
}

void check_spans(const Timeline& timeline, const ReplayOutcome& outcome, bool serial) {
    Nanos last = outcome.times.first_token;
    int counted = 0;
    for (const CallSpan& call : timeline.calls) {
        CHECK(call.start >= last);
        CHECK(call.end >= call.start);
        last = call.end;
        if (call.reason == CallReason::guard) continue;
        ++counted;
        CHECK(call.accepted < call.k);
    }
    CHECK(last == outcome.times.end);
    CHECK(counted == outcome.counters.calls);
    Nanos drafted = 0;
    Nanos time = 0;
    for (const DraftSpan& draft : timeline.drafts) {
        CHECK(draft.start >= time);
        CHECK(draft.width >= 1);
        time = draft.end;
        drafted += draft.end - draft.start;
        if (!serial) continue;
        // In the target's time: never while a call runs.
        for (const CallSpan& call : timeline.calls)
            CHECK((draft.end <= call.start || draft.start >= call.end));
    }
    CHECK(drafted == outcome.draft.time);
    CHECK(static_cast<int>(timeline.drafts.size()) == outcome.draft.steps);
}

}  // namespace

TEST_CASE("every method says what was recorded, in the same time again, and its counters add up") {
    std::map<std::string, int> accepted;
    int guarded = 0;
    int windows = 0;
    const std::vector<Arm> all = arms({0, 1, 2, 4, 7});
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Random random(seed);
        const Costs costs{.cores = random.number(2, 4),
                          .drafter_alone = {random.number(0, 9), 0.5},
                          .context = 0.01,
                          .target_beside = random.of<double>({1.0, 1.5}),
                          .drafter_beside = random.of<double>({1.0, 2.0})};
        const Replayer replayer(vocabulary(), profile_of(costs));
        const Trace trace(random_trace(random), vocabulary());
        const ReplayOutcome alone =
            replayer.replay(arm_of("target-only", 0, StartCondition::request_start), trace);
        for (const Arm& arm : all) {
            CAPTURE(seed);
            CAPTURE(arm.name);
            Timeline timeline;
            const ReplayOutcome outcome = replayer.replay(arm, trace, &timeline);
            CHECK(outcome.differing == 0);
            CHECK(outcome.counters.tokens == static_cast<int>(trace.tokens().size()));
            CHECK(outcome.counters.broken().empty());
            CHECK(outcome.counters.calls <= alone.counters.calls);
            CHECK(outcome.times.prefill_start == 0);
            CHECK(outcome.times.first_token >= trace.prefill());
            CHECK(outcome.times.end >= outcome.times.first_token);
            CHECK(same(outcome, replayer.replay(arm, trace)));
            check_spans(timeline, outcome, find_method(arm.method).drafting == Drafting::serial);
            if (!trace.drafted()) CHECK(same(outcome, alone));
            accepted[arm.method] += outcome.counters.accepted;
            guarded += outcome.counters.guard_calls;
            ++windows;
        }
    }
    CHECK(windows == 150 * 8 * 5 * 2);
    CHECK(guarded > 500);
    for (const MethodEntry& entry : methods()) {
        CAPTURE(entry.name);
        CHECK((accepted[std::string(entry.name)] > 1000) == drafts(entry));
    }
}

TEST_CASE("a perfect pre-drafted window takes the time of its calls") {
    // Ten tokens: the first by prefill, then two calls of a root and four candidates, the last of them the
    // end.
    Timeline timeline;
    const Json line = trace_json("abcdefghi", words_and_end("abcdefghi"));
    const ReplayOutcome outcome =
        replayed(line, arm_of("as2d", 4, StartCondition::pre_drafted), {.context = 0.1}, &timeline);
    CHECK(outcome.differing == 0);
    CHECK(outcome.counters.calls == 2);
    CHECK(outcome.counters.accepted == 8);
    CHECK(outcome.counters.end_accepted);
    // 4 ms and one for each candidate, on 4 and on 9 cached tokens; all the cores are the target's.
    const Nanos first = 8 * kMs + 4 * kMs / 10;
    const Nanos second = 8 * kMs + 9 * kMs / 10;
    CHECK(outcome.times.first_token == 10 * kMs);
    CHECK(outcome.times.end == 10 * kMs + first + second);
    REQUIRE(timeline.calls.size() == 2);
    CHECK(timeline.calls[1].start == 10 * kMs + first);
    CHECK(timeline.calls[1].k == 5);
    CHECK(timeline.calls[1].published == 10);
    CHECK(timeline.calls[1].cursor == 6);
    CHECK(outcome.draft.steps == 0);
    CHECK(timeline.drafts.empty());
}

TEST_CASE("as2d from the request on: both slow each other down, and the target alone has the cores again") {
    Timeline timeline;
    const Json line = trace_json("abc", words_and_end("abc"));
    const ReplayOutcome outcome =
        replayed(line, arm_of("as2d", 4, StartCondition::request_start), {}, &timeline);
    // The producer's four steps take 10 ms each and publish a word later: a at 20, b at 30, c and the end
    // at 40.
    REQUIRE(timeline.drafts.size() == 4);
    CHECK(timeline.drafts[0].start == 0);
    CHECK(timeline.drafts[0].width == 2);
    CHECK(timeline.drafts[3].end == 40 * kMs);
    // Prefill: 10 ms, half as long again. Then three scalar calls of 6 ms, the last one beside the producer
    // for 7 ms, in which it does 7 / 1.5.
    CHECK(outcome.times.first_token == 15 * kMs);
    REQUIRE(timeline.calls.size() == 3);
    CHECK(timeline.calls[0].end == 24 * kMs);
    CHECK(timeline.calls[0].published == 0);
    CHECK(timeline.calls[1].end == 33 * kMs);
    CHECK(timeline.calls[2].end == 41'333'333);
    CHECK(outcome.times.end == 41'333'333);
    CHECK(outcome.draft.time == 40 * kMs);
}

TEST_CASE("with too few cores for both the producer starts when prefill is done") {
    Timeline timeline;
    const Json line = trace_json("abc", words_and_end("abc"));
    const ReplayOutcome outcome =
        replayed(line, arm_of("as2d", 4, StartCondition::request_start), {.cores = 2}, &timeline);
    CHECK(outcome.times.first_token == 10 * kMs);
    REQUIRE_FALSE(timeline.drafts.empty());
    CHECK(timeline.drafts.front().start == 10 * kMs);
    CHECK(timeline.calls.front().end == 19 * kMs);
}

TEST_CASE("sd drafts in the target's time, and catches up on the verified text first") {
    Timeline timeline;
    const Json continuations = Json::array({{{"after", 1}, {"pieces", words_and_end("bc")}}});
    const Json line = trace_json("abc", words_and_end("axx"), continuations);
    const ReplayOutcome outcome =
        replayed(line, arm_of("sd", 2, StartCondition::request_start), {}, &timeline);
    // The prompt and " a" are three tokens: 3 + 2 ms. Then 3 ms, then a call of three tokens: 4 + 2 ms.
    REQUIRE(timeline.drafts.size() == 2);
    CHECK(timeline.drafts[0].start == 10 * kMs);
    CHECK(timeline.drafts[0].width == 3);
    CHECK(timeline.drafts[0].end == 15 * kMs);
    CHECK(timeline.drafts[1].end == 18 * kMs);
    REQUIRE(timeline.calls.size() == 1);
    CHECK(timeline.calls[0].start == 18 * kMs);
    CHECK(timeline.calls[0].end == 24 * kMs);
    CHECK(timeline.calls[0].accepted == 2);
    CHECK(outcome.times.end == 24 * kMs);
    CHECK(outcome.draft.time == 8 * kMs);

    // Before the request it said " a x x": that is offered for nothing and is wrong. Then " b" is caught up
    // on, " c" and the end are drafted in 3 ms each.
    const ReplayOutcome pre_drafted = replayed(line, arm_of("sd", 2, StartCondition::pre_drafted));
    CHECK(pre_drafted.counters.proposed == 4);
    CHECK(pre_drafted.counters.accepted == 2);
    CHECK(pre_drafted.draft.time == 6 * kMs);
    CHECK(pre_drafted.times.end == (10 + 6 + 6 + 6) * kMs);
}

TEST_CASE("what drafts in the target's time takes turns with it; what drafts beside it does not") {
    const Json continuations = Json::array({{{"after", 1}, {"pieces", words_and_end("bc")}}});
    const Json line = trace_json("abc", words_and_end("axx"), continuations);
    Timeline timeline;
    const ReplayOutcome outcome =
        replayed(line, arm_of("sd", 2, StartCondition::request_start), {.turns = true}, &timeline);
    // Behind the prefill three tokens: 4 + 2 * 1.5 ms, then one in 3.5 ms, and a call 1 ms longer than alone.
    REQUIRE(timeline.drafts.size() == 2);
    CHECK(timeline.drafts[0].end == 17 * kMs);
    CHECK(timeline.drafts[1].end == 20 * kMs + kMs / 2);
    CHECK(outcome.times.end == 27 * kMs + kMs / 2);
    // Three steps before the first call, the third as by itself; the second call is right behind the first.
    const ReplayOutcome serial =
        replayed(trace_json("abcd", words_and_end("axcd")),
                 arm_of("as2d-serial", 2, StartCondition::request_start), {.turns = true}, &(timeline = {}));
    REQUIRE(timeline.drafts.size() >= 3);
    CHECK(timeline.drafts[0].end == (10 + 4 + 1) * kMs + kMs / 2);
    CHECK(timeline.drafts[1].end == timeline.drafts[0].end + 3 * kMs + kMs / 2);
    CHECK(timeline.drafts[2].end == timeline.drafts[1].end + 3 * kMs);
    CHECK(serial.differing == 0);
    for (const char* method : {"target-only", "as2d", "lookahead"}) {
        CAPTURE(method);
        for (const auto start : {StartCondition::request_start, StartCondition::pre_drafted}) {
            const ReplayOutcome with = replayed(line, arm_of(method, 2, start), {.turns = true});
            CHECK(with.times.end == replayed(line, arm_of(method, 2, start)).times.end);
        }
    }
}

TEST_CASE("as2d-serial drafts as2d's words in the target's time") {
    const Json line = trace_json("abc", words_and_end("abc"));
    const ReplayOutcome outcome = replayed(line, arm_of("as2d-serial", 4, StartCondition::request_start));
    CHECK(outcome.counters.calls == 1);
    // Prefill, the prompt's step and three more, a call of the root and three candidates.
    CHECK(outcome.times.end == (10 + 4 + 3 * 3 + 7) * kMs);
    CHECK(outcome.draft.time == 13 * kMs);
}

TEST_CASE("a drafter beside a target that waits for it is not slowed down") {
    Timeline timeline;
    const Json continuations = Json::array({{{"after", 1}, {"pieces", words_and_end("bc")}}});
    const Json line = trace_json("abc", words_and_end("xyz"), continuations);
    const ReplayOutcome outcome =
        replayed(line, arm_of("lookahead", 2, StartCondition::request_start), {}, &timeline);
    CHECK(outcome.differing == 0);
    CHECK(outcome.counters.accepted == 2);
    REQUIRE_FALSE(timeline.calls.empty());
    const Nanos call = timeline.calls.front().start;
    // Its steps take 10 ms beside prefill and the steps that it waits for take 5 ms.
    CHECK(timeline.drafts.front().end == 10 * kMs);
    const auto waited = std::ranges::find_if(timeline.drafts, [](const auto& d) { return d.epoch == 1; });
    REQUIRE(waited != timeline.drafts.end());
    CHECK(waited->end - waited->start == 5 * kMs);
    CHECK(call == waited->start + 2 * 5 * kMs);
}

TEST_CASE("replay takes the very time of a live decode with the same costs") {
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        Json line = random_trace(random);
        line["logit_gap"] = 0.0;
        const Trace trace(line, vocabulary());
        if (!trace.drafted()) continue;
        const Costs costs{.target_alone = {4, 1},
                          .target_shared = {4, 1},
                          .drafter_shared = {random.number(1, 9), 0},
                          .target_beside = 1.0,
                          .drafter_beside = 1.0};
        const Arm arm = arm_of("as2d", random.number(1, 3), StartCondition::request_start);
        const ReplayOutcome outcome = Replayer(vocabulary(), profile_of(costs)).replay(arm, trace);

        TargetScript script;
        script.prompt_length = 1;
        script.answer = trace.tokens();
        script.end = end_token();
        script.vocabulary = end_token();
        VirtualClock target_clock;
        VirtualClock producer_clock;
        ScriptedTarget target(script, &target_clock, [](int k, int length) {
            return length == 0 ? 10 * kMs : (3 + static_cast<Nanos>(k)) * kMs;
        });
        DrafterScript drafts;
        const auto step = static_cast<Nanos>(costs.drafter_shared.first) * kMs;
        for (const Piece& piece : trace.pieces(trace.continuations().front())) {
            if (piece.end_of_text && piece.begin == piece.end) continue;
            drafts.pieces.push_back({std::string(trace.text_of(piece)), piece.confidence, step});
        }
        drafts.end_cost = step;
        DraftStream stream;
        EventSink sink;
        ScriptedDrafter drafter(drafts, &producer_clock);
        Producer producer(drafter, vocabulary(), stream, end_token(), producer_clock, sink);
        ProducerState state;
        ProducerTimeline timeline(producer, producer_clock, state);
        target.set_hook([&timeline](Nanos end) { timeline.run_until(end); });
        TargetRules rules;
        rules.start = 0;
        rules.end = end_token();
        rules.token_limit = trace.token_limit();
        const auto method = make_method(arm.method, arm.settings);
        const std::atomic<bool> cancelled{false};
        DecodeContext context{target, rules, vocabulary(), *method, target_clock, sink};
        context.stream = &stream;
        context.producer = &state;
        const DecodeResult live = decode(context, {"en", "transcribe"}, cancelled);
        CHECK(live.committed == trace.tokens());
        CHECK(live.times.first_token == outcome.times.first_token);
        CHECK(live.times.end == outcome.times.end);
        CHECK(live.counters.proposed_by_position == outcome.counters.proposed_by_position);
        accepted += outcome.counters.accepted;
    }
    CHECK(accepted > 300);
}
