#include "core/decode.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <exception>
#include <optional>

#include "core/guard.hpp"
#include "core/utf8.hpp"

namespace as2d {
namespace {

class DecodeLoop {
  public:
    DecodeLoop(const DecodeContext& context, const DecodeRequest& request, const std::atomic<bool>& cancelled)
        : context_(context),
          target_(context.target),
          rules_(context.rules),
          cancelled_(cancelled),
          guard_(context.target),
          history_(context.rules.prompt(request.language, request.task)),
          prompt_length_(static_cast<int>(history_.size())) {}

    DecodeResult run() {
        result_.times.prefill_start = context_.clock.now();
        result_.times.first_token = result_.times.prefill_start;
        ask_method([&] {
            context_.method.begin({context_.text, rules_.end, context_.stream, context_.producer,
                                   context_.assignments, context_.link, context_.drafter, context_.clock,
                                   context_.sink, cancelled_});
        });
        target_.truncate(0);
        share_cores(false);  // prefill runs the same way for every method
        if (!stop_when_cancelled()) prefill();
        while (!stop_)
            call();
        if (*stop_ != Stop::cancelled) apply_no_speech_rule();
        return finish();
    }

  private:
    int answer_length() const { return static_cast<int>(result_.committed.size()); }

    bool stop_when_cancelled() {
        if (!cancelled_.load(std::memory_order_acquire)) return false;
        stop_ = Stop::cancelled;
        return true;
    }

    bool producer_runs() const {
        return context_.producer != nullptr && context_.producer->running.load(std::memory_order_acquire);
    }

    void share_cores(bool shared) {
        if (shared_ != shared) target_.share_cores(shared);
        shared_ = shared;
    }

    /// A method that fails must never cost the answer: the run goes on without candidates.
    template <typename Question>
    void ask_method(Question question) {
        if (method_failed_) return;
        try {
            question();
        } catch (const std::exception& error) {
            method_failed_ = true;
            proposal_.candidates.clear();
            proposal_.reason = CallReason::producer_none;
            context_.sink.on_warning({"method-failed", error.what()});
        }
    }

    void prefill() {
        const bool probes = rules_.no_speech != kNoToken;
        queries_.assign(probes ? history_.size() : 1, RowQuery{});
        if (probes) queries_.front().probe = rules_.no_speech;
        queries_.back().mask = RowMask::text_begin;
        queries_.back().log_prob = probes;
        rows_.assign(queries_.size(), Row{});
        target_.forward(history_, queries_, rows_);
        result_.times.first_token = context_.clock.now();
        guard_.start(prompt_length_);
        if (probes) result_.no_speech_prob = rows_.front().probe_prob;
        wants_log_prob_ = probes && result_.no_speech_prob > rules_.no_speech_probability;
        first_log_prob_ = rows_.back().log_prob;
        push(rows_.back(), Origin::prefill);
        commit(0);
    }

    void propose() {
        proposal_.candidates.clear();
        proposal_.reason = CallReason::producer_none;
        proposal_.published = 0;
        proposal_.cursor.reset();
        const int room = rules_.token_limit - answer_length() - 1;
        ask_method([&] { context_.method.propose({result_.committed, room}, proposal_); });
        if (proposal_.candidates.size() > static_cast<std::size_t>(room)) {
            proposal_.candidates.resize(static_cast<std::size_t>(room));
        }
    }

    /// One target call: root and candidates, acceptance, commit. Nothing when cancelled.
    void call() {
        if (stop_when_cancelled()) return;
        propose();
        if (stop_when_cancelled()) return;
        share_cores(producer_runs());  // a proposal may have given the producer work
        const std::vector<Token>& candidates = proposal_.candidates;
        const int most = static_cast<int>(candidates.size());
        const int length = target_.length();
        assert(length + 1 == static_cast<int>(history_.size()));
        input_.assign(1, history_.back());
        input_.insert(input_.end(), candidates.begin(), candidates.end());
        forward(CallKind::verify);

        const std::size_t first = result_.committed.size();
        int accepted = 0;
        bool undecided = false;
        for (;; ++accepted) {
            const Row& row = rows_[static_cast<std::size_t>(accepted)];
            undecided = guard_.undecided(row.margin);
            if (undecided) break;
            if (accepted == most || candidates[static_cast<std::size_t>(accepted)] != row.best) break;
            push(row, Origin::accepted);
            if (stop_) {
                ++accepted;
                result_.counters.rootless = true;
                break;
            }
        }
        report_call(most, accepted);
        if (!stop_) {
            const Row row = rows_[static_cast<std::size_t>(accepted)];
            if (undecided) {
                decide(length + accepted);
            } else {
                push(row, most > 0 ? Origin::correction : Origin::target_only);
                roll_back(length + 1 + accepted);
            }
        }
        count(most, accepted);
        commit(first);
        const std::span<const Token> advanced = std::span(result_.committed).subspan(first);
        ask_method([&] { context_.method.verified({most, accepted, advanced}); });
    }

    void forward(CallKind kind) {
        const RowQuery query{RowMask::text, wants_log_prob_, kNoToken};
        queries_.assign(kind == CallKind::verify ? input_.size() : 1, query);
        rows_.assign(queries_.size(), Row{});
        guard_.before_call(target_.length(), static_cast<int>(input_.size()), shared_ == true);
        call_start_ = context_.clock.now();
        target_.forward(input_, queries_, rows_);
        call_end_ = context_.clock.now();
        if (!guard_.exact()) all_exact_ = false;
    }

    /// The guard's decision for the row at `position` of the history: the cache is written again at
    /// the reference width from the last reference point, and the last row of that decides.
    void decide(int position) {
        roll_back(guard_.reference_length());
        const std::optional<Row> row = rewrite(position, nullptr);
        if (row) {
            push(*row, Origin::guard);
        } else {
            stop_ = Stop::cancelled;
            result_.counters.rootless = true;
        }
    }

    /// Runs history tokens up to `position` at the reference width, with unshared cores. Adds ln p of every
    /// row to `sum` when it is given. Returns the last row; nothing when cancelled.
    std::optional<Row> rewrite(int position, double* sum) {
        const int width = sum != nullptr ? 1 : std::max(1, target_.reference_width());
        Row last;
        share_cores(false);
        while (target_.length() <= position) {
            if (cancelled_.load(std::memory_order_acquire)) return std::nullopt;
            const int from = target_.length();
            const int count = std::min(width, position + 1 - from);
            input_.assign(history_.begin() + from, history_.begin() + from + count);
            forward(CallKind::guard);
            last = rows_.back();
            if (sum != nullptr) *sum += static_cast<double>(last.log_prob);
            ++result_.counters.guard_calls;
            choices_.assign(1, last.best);
            margins_.assign(1, last.margin);
            CallEvent event;
            event.index = result_.counters.calls;
            event.kind = CallKind::guard;
            event.reason = CallReason::guard;
            event.start = call_start_;
            event.end = call_end_;
            event.k = count;
            event.root = input_.front();
            event.choices = choices_;
            event.margins = margins_;
            event.published = proposal_.published;
            context_.sink.on_call(event);
        }
        return last;
    }

    void roll_back(int length) {
        target_.truncate(length);
        guard_.rolled_back(length);
    }

    /// Takes one token into the answer and looks at the stops.
    void push(const Row& row, Origin origin) {
        const Token token = row.best;
        const bool repeats = token != rules_.end && repetition_.push(result_.committed, token);
        result_.committed.push_back(token);
        result_.margins.push_back(row.margin);
        result_.origins.push_back(origin);
        history_.push_back(token);
        log_prob_sum_ += static_cast<double>(row.log_prob);
        if (token == rules_.end) {
            stop_ = Stop::end_of_text;
            if (origin == Origin::accepted) result_.counters.end_accepted = true;
        } else if (repeats) {
            stop_ = Stop::repetition;
        } else if (answer_length() >= rules_.token_limit) {
            stop_ = Stop::length_limit;
        }
    }

    void count(int most, int accepted) {
        Counters& counters = result_.counters;
        ++counters.calls;
        // Candidates behind an accepted stop are neither proposed nor accepted.
        const bool stopped_inside = stop_ && *stop_ != Stop::cancelled && counters.rootless;
        if (most > 0) counters.count_proposal(stopped_inside ? accepted : most, accepted);
    }

    void report_call(int most, int accepted) {
        choices_.clear();
        margins_.clear();
        for (const Row& row : rows_) {
            choices_.push_back(row.best);
            margins_.push_back(row.margin);
        }
        CallEvent event;
        event.index = result_.counters.calls;
        event.kind = most > 0 ? CallKind::verify : CallKind::target_only;
        event.reason = proposal_.reason;
        event.start = call_start_;
        event.end = call_end_;
        event.k = most + 1;
        event.root = input_.front();
        event.candidates = proposal_.candidates;
        event.choices = choices_;
        event.margins = margins_;
        event.accepted = accepted;
        event.published = proposal_.published;
        event.cursor = proposal_.cursor;
        context_.sink.on_call(event);
    }

    /// Reports what was pushed since `first`.
    void commit(std::size_t first) {
        std::string text;
        for (std::size_t i = first; i < result_.committed.size(); ++i) {
            text += assembler_.push(context_.text.bytes(result_.committed[i]));
        }
        if (stop_ && *stop_ != Stop::cancelled) text += assembler_.flush();
        result_.text += text;
        result_.counters.tokens = answer_length();
        result_.times.end = context_.clock.now();
        context_.sink.on_commit({result_.times.end, first, std::span(result_.committed).subspan(first),
                                 std::span(result_.origins).subspan(first), text});
    }

    void apply_no_speech_rule() {
        if (!wants_log_prob_) return;
        double mean = log_prob_sum_ / answer_length();
        const double limit = static_cast<double>(rules_.no_speech_log_prob);
        if (!all_exact_ && std::abs(mean - limit) < static_cast<double>(guard_.threshold())) {
            // Too close to call with wide rows: the whole answer is scored at the reference width.
            double sum = static_cast<double>(first_log_prob_);
            roll_back(prompt_length_);
            if (answer_length() > 1 && !rewrite(prompt_length_ + answer_length() - 2, &sum)) {
                stop_ = Stop::cancelled;
                return;
            }
            mean = sum / answer_length();
        }
        result_.mean_log_prob = static_cast<float>(mean);
        if (mean < limit) stop_ = Stop::no_speech;
    }

    DecodeResult finish() {
        result_.stop = *stop_;
        if (result_.stop == Stop::no_speech) {
            result_.text.clear();
        } else {
            result_.tokens = result_.committed;
            if (!result_.tokens.empty() && result_.tokens.back() == rules_.end) result_.tokens.pop_back();
        }
        if (result_.stop == Stop::cancelled) result_.times.end = context_.clock.now();
        assert(result_.counters.broken().empty());
        return std::move(result_);
    }

    const DecodeContext& context_;
    Target& target_;
    const TargetRules& rules_;
    const std::atomic<bool>& cancelled_;
    MarginGuard guard_;
    std::vector<Token> history_;  // prompt and answer
    int prompt_length_;
    DecodeResult result_;
    std::optional<Stop> stop_;
    std::optional<bool> shared_;  // as the target was told last
    Proposal proposal_;
    std::vector<Token> input_;
    std::vector<RowQuery> queries_;
    std::vector<Row> rows_;
    std::vector<Token> choices_;
    std::vector<float> margins_;
    RepetitionStop repetition_;
    Utf8Assembler assembler_;
    Nanos call_start_ = 0;
    Nanos call_end_ = 0;
    double log_prob_sum_ = 0.0;
    float first_log_prob_ = 0.0F;
    bool wants_log_prob_ = false;
    bool all_exact_ = true;
    bool method_failed_ = false;
};

}  // namespace

std::string_view name_of(Stop stop) {
    switch (stop) {
        case Stop::end_of_text:
            return "end_of_text";
        case Stop::length_limit:
            return "length_limit";
        case Stop::repetition:
            return "repetition";
        case Stop::no_speech:
            return "no_speech";
        case Stop::cancelled:
            return "cancelled";
    }
    return "unknown";
}

DecodeResult decode(const DecodeContext& context, const DecodeRequest& request,
                    const std::atomic<bool>& cancelled) {
    return DecodeLoop(context, request, cancelled).run();
}

Difference compare(const DecodeResult& reference, const DecodeResult& other) {
    const std::size_t shared = std::min(reference.committed.size(), other.committed.size());
    const std::size_t longest = std::max(reference.committed.size(), other.committed.size());
    const bool one_dropped = (reference.stop == Stop::no_speech) != (other.stop == Stop::no_speech);
    Difference difference;
    difference.tokens = static_cast<int>(reference.committed.size());
    for (std::size_t i = 0; i < longest; ++i) {
        if (!one_dropped && i < shared && reference.committed[i] == other.committed[i]) continue;
        ++difference.differing;
        if (difference.first >= 0) continue;
        difference.first = static_cast<int>(i);
        if (i < reference.margins.size()) difference.margin = reference.margins[i];
    }
    return difference;
}

}  // namespace as2d
