#include "scenario.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>

#include "core/errors.hpp"
#include "core/pre_drafted.hpp"

namespace as2d::test {
namespace {

struct Ids {
    Token end, start, no_speech, language, task;
};

Ids ids_of(int words) {
    const Token first = words + 256;
    return {first, first + 1, first + 2, first + 3, first + 4};
}

std::vector<Token> random_words(Random& random, int words, int count) {
    std::vector<Token> tokens;
    const bool repeats = random.chance(0.3);  // phrases that come again, near and far
    while (static_cast<int>(tokens.size()) < count) {
        if (repeats && tokens.size() > 2 && random.chance(0.3)) {
            const auto length =
                static_cast<std::size_t>(random.number(1, std::min(12, static_cast<int>(tokens.size()))));
            const auto from =
                static_cast<std::size_t>(random.number(0, static_cast<int>(tokens.size() - length)));
            for (std::size_t i = 0; i < length; ++i)
                tokens.push_back(tokens[from + i]);
        } else if (random.chance(0.03)) {
            tokens.push_back(words + random.number(0, 255));  // a lone byte, often no UTF-8
        } else {
            tokens.push_back(random.number(0, words - 1));
        }
    }
    if (random.chance(0.15)) {  // a text that loops
        const auto period = static_cast<std::size_t>(random.number(1, 18));
        while (tokens.size() < 230 && tokens.size() >= period)
            tokens.push_back(tokens[tokens.size() - period]);
    }
    return tokens;
}

std::vector<Token> mutate(const std::vector<Token>& answer, Random& random, int words) {
    const double rate = random.chance(0.5) ? 0.05 : 0.25;
    std::vector<Token> tokens;
    for (const Token token : answer) {
        if (random.chance(rate)) {
            const int change = random.number(0, 2);
            if (change == 0) continue;                                       // dropped
            if (change == 1) tokens.push_back(random.number(0, words - 1));  // inserted
            if (change == 2) {                                               // another word
                tokens.push_back(random.number(0, words - 1));
                continue;
            }
        }
        tokens.push_back(token);
    }
    return tokens;
}

std::string text_of(const std::vector<Token>& tokens, const ScriptedEncoder& encoder) {
    std::string text;
    for (const Token token : tokens)
        text += encoder.bytes(token);
    return text;
}

std::vector<Token> draft_of(DraftKind kind, const std::vector<Token>& answer, Random& random, int words) {
    switch (kind) {
        case DraftKind::perfect:
            return answer;
        case DraftKind::mutated:
        case DraftKind::slow:
        case DraftKind::throwing:
        case DraftKind::throwing_restart:
            return mutate(answer, random, words);
        case DraftKind::random:
        case DraftKind::endless:
            return random_words(random, words, random.number(1, 120));
        case DraftKind::empty:
            return {};
        case DraftKind::shifted: {
            std::vector<Token> shifted = answer;
            const auto by = static_cast<std::size_t>(random.number(0, static_cast<int>(answer.size())));
            std::rotate(shifted.begin(), shifted.begin() + static_cast<std::ptrdiff_t>(by), shifted.end());
            return shifted;
        }
        case DraftKind::repeating: {
            std::vector<Token> repeated;
            const int times = random.number(2, 5);
            for (int i = 0; i < times; ++i)
                repeated.insert(repeated.end(), answer.begin(), answer.end());
            return repeated;
        }
    }
    return {};
}

}  // namespace

TargetRules rules_of(const Scenario& scenario) {
    const Ids ids = ids_of(scenario.words);
    TargetRules rules;
    rules.start = ids.start;
    rules.end = ids.end;
    rules.transcribe = ids.task;
    rules.no_speech = scenario.no_speech_rule ? ids.no_speech : kNoToken;
    rules.languages = {{"en", ids.language}};
    rules.token_limit = scenario.token_limit;
    return rules;
}

std::vector<ScriptedPiece> pieces_of(const std::string& text, Random& random, int low, int high) {
    std::vector<ScriptedPiece> pieces;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = std::min(text.size() - at, static_cast<std::size_t>(random.number(0, 9)));
        const float confidence = static_cast<float>(random.number(0, 100)) / 100.0F;
        pieces.push_back({text.substr(at, length), confidence, random.number(low, high)});
        at += length;
    }
    return pieces;
}

Scenario random_scenario(Random& random, DraftKind kind) {
    Scenario s;
    s.words = random.of<int>({2, 5, 30, 200});
    const Ids ids = ids_of(s.words);
    s.target.prompt_length = 3;
    s.target.answer = random_words(random, s.words, random.number(0, random.chance(0.2) ? 230 : 60));
    s.target.end = ids.end;
    s.target.vocabulary = ids.end;
    s.target.seed = static_cast<std::uint64_t>(random.number(0, 1 << 30));
    if (random.chance(0.5)) {
        s.target.logit_gap = 0.05F;
        s.target.near_tie_share = random.of<float>({0.0F, 0.02F, 0.3F, 1.0F});
        s.target.reference_width = random.of<int>({1, 1, 2, 3});
        s.target.threads_matter = random.chance(0.5);
    }
    s.no_speech_rule = random.chance(0.3);
    s.target.no_speech_prob = random.of<float>({0.1F, 0.9F});
    s.target.log_prob = random.of<float>({-0.3F, -0.99F, -1.01F, -2.0F});
    s.token_limit = random.of<int>({1, 2, 5, 40, 224});
    s.settings.budget = random.of<int>({0, 1, 2, 3, 4, 5, 6, 7, 11});
    s.settings.admission = random.chance(0.5) ? Admission::root : Admission::text;

    const ScriptedEncoder encoder(s.words);
    const std::string text = text_of(draft_of(kind, s.target.answer, random, s.words), encoder);
    const int slow = kind == DraftKind::slow ? random.number(10, 60) : random.of<int>({0, 2, 20, 500});
    s.drafter.pieces = pieces_of(text, random, slow / 2, slow);
    if (random.chance(0.2)) {  // long pauses between bursts
        for (ScriptedPiece& piece : s.drafter.pieces)
            piece.cost = random.chance(0.8) ? 0 : piece.cost * 5;
        if (kind == DraftKind::endless) s.drafter.pieces.front().cost = slow;
    }
    s.drafter.endless = kind == DraftKind::endless && slow > 0;
    if (kind == DraftKind::throwing) s.drafter.fail_at = static_cast<std::size_t>(random.number(0, 20));
    s.head_start = random.of<int>({0, 0, 10, 1000});
    s.settings.confidence = random.of<float>({0.0F, 0.2F, 0.4F, 0.8F, 1.0F});
    s.settings.patience = random.of<int>({0, 1, 1, 2, 3, 10});
    s.drafter.end_cost = slow / 2;
    s.drafter.catch_up_cost = random.number(0, slow);
    if (kind == DraftKind::throwing_restart) {
        s.drafter.fail_restart_at = static_cast<std::size_t>(random.number(0, 5));
    }
    if (random.chance(0.4)) s.said = random.chance(0.5) ? 300 : random.number(0, 20);
    return s;
}

namespace {

/// What a drafter says before the request, at no cost.
std::vector<DraftPiece> say_before(const Scenario& scenario, ScriptedDrafter& drafter) {
    std::vector<DraftPiece> said;
    while (scenario.said && static_cast<int>(said.size()) < *scenario.said) {
        try {
            said.push_back(drafter.step());
        } catch (const EngineError&) {
            break;
        }
        if (said.back().end_of_text) break;
    }
    return said;
}

/// Counts the steps of a drafter and cancels within one of them.
class CountedDrafter final : public Drafter {
  public:
    CountedDrafter(Drafter& inner, int cancel_in, std::atomic<bool>& cancelled)
        : inner_(inner), cancel_in_(cancel_in), cancelled_(cancelled) {}
    bool can(std::string_view task, std::string_view language) const override {
        return inner_.can(task, language);
    }
    bool says_again() const override { return inner_.says_again(); }
    DraftPiece step() override {
        if (cancelled_) ++after_cancel_;
        if (steps_++ == cancel_in_) cancelled_ = true;
        return inner_.step();
    }
    void restart(std::string_view text) override { inner_.restart(text); }
    int after_cancel() const { return after_cancel_; }

  private:
    Drafter& inner_;
    int cancel_in_;
    std::atomic<bool>& cancelled_;
    int steps_ = 0;
    int after_cancel_ = 0;
};

Waits waits_of(std::string_view method) {
    if (method == "lookahead") return Waits::for_producer;
    return find_method(method).drafting == Drafting::serial ? Waits::for_drafts : Waits::never;
}

}  // namespace

Outcome run(const Scenario& scenario, std::string_view method, const CancelAt& cancel_at) {
    const ScriptedEncoder encoder(scenario.words);
    const TargetRules rules = rules_of(scenario);
    const Drafting drafting = find_method(method).drafting;
    const bool beside = drafting == Drafting::decoupled || drafting == Drafting::coupled;
    VirtualClock target_clock(scenario.head_start);
    VirtualClock producer_clock;
    const auto cost = [&scenario](int k, int /*length*/) {
        return scenario.scalar_cost + scenario.candidate_cost * (k - 1);
    };
    ScriptedTarget target(scenario.target, &target_clock, cost);
    CheckingSink sink(encoder, rules.end, scenario.settings.budget, waits_of(method));

    std::atomic<bool> cancelled{false};
    ScriptedDrafter scripted(scenario.drafter);
    PreDrafted pre_drafted(say_before(scenario, scripted), scripted);
    scripted.set_clock(beside ? &producer_clock : &target_clock);
    CountedDrafter drafter(pre_drafted, cancel_at.step, cancelled);

    DraftStream stream;
    Assignments assignments;
    Producer producer(drafter, encoder, stream, rules.end, producer_clock, sink,
                      drafting == Drafting::coupled ? &assignments : nullptr);
    ProducerState state;
    std::optional<ProducerTimeline> timeline;
    std::optional<TimelineLink> link;
    if (beside) {
        timeline.emplace(producer, producer_clock, state);
        link.emplace(*timeline, target_clock);
        timeline->run_until(scenario.head_start);
    }
    Outcome outcome;
    target.set_hook([&](Nanos end) {
        if (cancelled) ++outcome.calls_after_cancel;
        outcome.shared_calls.push_back(target.shares().back());
        if (target.calls() - 1 == cancel_at.call) cancelled = true;
        if (timeline && !cancelled) timeline->run_until(end);
    });
    const std::unique_ptr<Method> chosen = make_method(method, scenario.settings);
    DecodeContext context{target, rules, encoder, *chosen, target_clock, sink};
    if (beside) {
        context.stream = &stream;
        context.producer = &state;
        context.link = &*link;
    }
    if (drafting == Drafting::coupled) context.assignments = &assignments;
    if (drafting == Drafting::serial) context.drafter = &drafter;
    outcome.result = decode(context, {"en", "transcribe"}, cancelled);
    sink.finish(outcome.result);
    outcome.shares = target.shares();
    outcome.broken = sink.broken();
    outcome.warnings = sink.warnings();
    outcome.published = sink.published();
    outcome.calls = sink.calls();
    outcome.drafts = sink.drafts();
    outcome.steps_after_cancel = drafter.after_cancel();
    return outcome;
}

std::vector<CheckingSink::Entry> published_alone(const Scenario& scenario) {
    const ScriptedEncoder encoder(scenario.words);
    const Token end = rules_of(scenario).end;
    VirtualClock clock;
    ScriptedDrafter scripted(scenario.drafter);
    PreDrafted drafter(say_before(scenario, scripted), scripted);
    scripted.set_clock(&clock);
    DraftStream stream;
    CheckingSink sink(encoder, end, 0, Waits::never);
    Producer producer(drafter, encoder, stream, end, clock, sink);
    // An endless drafter is left when it has said more than any answer needs.
    while (!producer.done() && stream.published() < 3000)
        producer.step();
    return sink.published();
}

}  // namespace as2d::test
