#include "replay/replayer.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "core/assignments.hpp"
#include "core/pre_drafted.hpp"
#include "core/producer.hpp"
#include "core/registry.hpp"
#include "replay/trace_target.hpp"
#include "scripted/producer_timeline.hpp"

namespace as2d::replay {
namespace {

/// Keeps the calls of a timeline, if one is wanted.
class CallRecorder final : public EventSink {
  public:
    explicit CallRecorder(Timeline* timeline) : timeline_(timeline) {}
    void on_call(const CallEvent& event) override {
        if (timeline_ == nullptr) return;
        timeline_->calls.push_back(
            {event.start, event.end, event.k, event.accepted, event.reason, event.published, event.cursor});
    }

  private:
    Timeline* timeline_;
};

/// What the drafter says on its own history before the request, at no cost.
std::vector<DraftPiece> say_before_request(TraceDrafter& drafter, StartCondition start_condition) {
    std::vector<DraftPiece> said;
    if (start_condition == StartCondition::request_start) return said;
    drafter.set_free(true);
    do {
        said.push_back(drafter.step());
    } while (!said.back().end_of_text);
    drafter.set_free(false);
    return said;
}

/// A drafter and what it said before the request.
class WindowDrafter {
  public:
    WindowDrafter(const Trace& trace, const CostProfile& profile, const TextEncoder& encoder,
                  StartCondition start_condition, VirtualClock& clock, Timeline* timeline)
        : drafter_(trace, profile, encoder, clock),
          speaker_(say_before_request(drafter_, start_condition), drafter_) {
        if (timeline != nullptr) drafter_.record(&timeline->drafts);
    }

    TraceDrafter& drafter() { return drafter_; }
    /// Says it again at no cost, then drafts on.
    Drafter& speaker() { return speaker_; }

  private:
    TraceDrafter drafter_;
    PreDrafted speaker_;
};

/// The producer of one replay, on a clock of its own.
class Beside final : public Companion, public ProducerLink {
  public:
    Beside(const Trace& trace, const CostProfile& profile, const TextEncoder& encoder,
           StartCondition start_condition, bool coupled, VirtualClock& target_clock, EventSink& sink,
           Timeline* timeline)
        : start_(profile.oversubscribed() ? trace.prefill() : 0),
          target_clock_(target_clock),
          clock_(start_),
          drafter_(trace, profile, encoder, start_condition, clock_, timeline),
          producer_(drafter_.speaker(), encoder, stream_, trace.end_token(), clock_, sink,
                    coupled ? &assignments_ : nullptr),
          timeline_(producer_, clock_, state_),
          link_(timeline_, target_clock) {
        drafter_.drafter().share_cores(true);
        // What was said before costs no time: it is there when the request comes.
        if (start_condition == StartCondition::pre_drafted) timeline_.run_until_rest(kForever);
    }

    bool working() const override { return state_.running.load() && target_clock_.now() >= start_; }
    std::optional<Nanos> run(Nanos time) override { return timeline_.run_until_rest(time); }
    void let_pass(Nanos time) override { timeline_.run_until(time); }

    // While the target waits the drafter has the memory for itself.
    void wait(const std::function<bool()>& ready) override {
        drafter_.drafter().set_target_waits(true);
        link_.wait(ready);
        drafter_.drafter().set_target_waits(false);
    }

    void give_to(DecodeContext& context, bool coupled) {
        context.stream = &stream_;
        context.producer = &state_;
        if (!coupled) return;
        context.assignments = &assignments_;
        context.link = this;
    }
    const DraftWork& work() { return drafter_.drafter().work(); }

  private:
    static constexpr Nanos kForever = std::numeric_limits<Nanos>::max();

    Nanos start_;
    VirtualClock& target_clock_;
    VirtualClock clock_;
    WindowDrafter drafter_;
    DraftStream stream_;
    Assignments assignments_;
    ProducerState state_;
    Producer producer_;
    ProducerTimeline timeline_;
    TimelineLink link_;
};

int differing(const std::vector<Token>& recorded, const std::vector<Token>& committed) {
    const std::size_t shared = std::min(recorded.size(), committed.size());
    auto count = static_cast<int>(std::max(recorded.size(), committed.size()) - shared);
    for (std::size_t i = 0; i < shared; ++i)
        count += recorded[i] != committed[i] ? 1 : 0;
    return count;
}

/// The recorded target's rules: its prompt's cost is recorded, so one token stands for it, and what the
/// no-speech rule made of the whole answer changes no token.
TargetRules rules_of(const Trace& trace) {
    TargetRules rules;
    rules.start = 0;
    rules.end = trace.end_token();
    rules.token_limit = trace.token_limit();
    return rules;
}

}  // namespace

ReplayOutcome Replayer::replay(const Arm& arm, const Trace& trace, Timeline* timeline) const {
    const std::unique_ptr<Method> method = make_method(arm.method, arm.settings);
    const Drafting drafting = trace.drafted() ? find_method(arm.method).drafting : Drafting::none;
    const bool coupled = drafting == Drafting::coupled;
    VirtualClock clock;
    CallRecorder sink(timeline);
    std::optional<Beside> beside;
    std::optional<WindowDrafter> serial;
    Turns turns;
    if (drafting == Drafting::serial) {
        serial.emplace(trace, profile_, encoder_, arm.start_condition, clock, timeline);
    } else if (drafting != Drafting::none) {
        beside.emplace(trace, profile_, encoder_, arm.start_condition, coupled, clock, sink, timeline);
    }
    TraceTarget target(trace, profile_, clock, beside ? &*beside : nullptr);
    const TargetRules rules = rules_of(trace);
    DecodeContext context{target, rules, encoder_, *method, clock, sink};
    if (beside) beside->give_to(context, coupled);
    if (serial) {
        context.drafter = &serial->speaker();
        serial->drafter().take_turns(turns);
        target.take_turns(turns);
    }
    const std::atomic<bool> cancelled{false};
    const DecodeResult result = decode(context, {"en", "transcribe"}, cancelled);

    ReplayOutcome outcome;
    outcome.counters = result.counters;
    outcome.times = result.times;
    if (beside) outcome.draft = beside->work();
    if (serial) outcome.draft = serial->drafter().work();
    outcome.differing = differing(trace.tokens(), result.committed);
    return outcome;
}

}  // namespace as2d::replay
