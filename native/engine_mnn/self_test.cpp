#include "engine_mnn/whisper_target.hpp"

#include <algorithm>
#include <array>

namespace as2d::mnn {

namespace {

constexpr std::size_t longest_text = 72;  // enough context for the cache to grow
// What budgets are used, and the widest calls there can be.
constexpr std::array<int, 11> tested_widths = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, widest_call};

}  // namespace

/// Greedy text token by token; keeps every hidden state. The end token is followed by more text, so that
/// short recordings test long histories too.
std::vector<Token> WhisperTarget::scalar_history(std::vector<Token> prompt, std::vector<float>& states) {
    auto& network = *alone_;
    cache_.truncate(0);
    auto text = std::move(prompt);
    std::size_t done = 0;
    while (text.size() < longest_text) {
        const auto state = network.decode(std::span(text).subspan(done, 1), *audio_, cache_);
        states.insert(states.end(), state.begin(), state.end());
        ++done;
        if (done < text.size()) continue;
        projection::BestTwo two;
        network.projection().best_two(std::array{projection::Question{state, text_, false}},
                                      std::span(&two, 1));
        text.push_back(two.best);
    }
    text.resize(done);
    return text;
}

/// Runs the same text in calls of the given widths, in turn; every third call carries a wrong tail that is
/// rolled back; how far the hidden states differ from `reference` [text.size()][width], in logits: a bound,
/// a little above the largest difference. Pattern 0 keeps the cores alone, 1 shares them, 2 changes at every
/// call.
float WhisperTarget::replay_gap(std::span<const Token> text, std::span<const float> reference,
                                std::span<const int> widths, int pattern) {
    std::vector<float> change(static_cast<std::size_t>(manifest_->width));
    cache_.truncate(0);
    double gap = 0.0;
    std::size_t done = 0;
    for (std::size_t call = 0; done < text.size(); ++call) {
        const auto left = text.size() - done;
        const auto width = std::min(static_cast<std::size_t>(widths[call % widths.size()]), left);
        const auto kept = call % 3 == 2 ? (width + 1) / 2 : width;
        std::vector<Token> tokens(text.begin() + static_cast<std::ptrdiff_t>(done),
                                  text.begin() + static_cast<std::ptrdiff_t>(done + width));
        std::reverse(tokens.begin() + static_cast<std::ptrdiff_t>(kept), tokens.end());
        const bool share = pattern == 1 || (pattern == 2 && call % 2 == 1);
        auto& network = this->network(share);
        const auto states = network.decode(tokens, *audio_, cache_);
        for (std::size_t row = 0; row < kept; ++row) {
            for (std::size_t i = 0; i < change.size(); ++i)
                change[i] = states[row * change.size() + i] - reference[(done + row) * change.size() + i];
            gap = std::max(gap, network.projection().largest_logit_above(change));
        }
        done += kept;
        cache_.truncate(static_cast<int>(done));
    }
    return static_cast<float>(gap);
}

SelfTest WhisperTarget::self_test(std::span<const float> pcm, std::string_view language) {
    const auto audio = alone_->project(alone_->encode(pcm), static_cast<int>(pcm.size()));
    bind(audio);
    SelfTest result;
    result.widths.assign(tested_widths.begin(), tested_widths.end());
    result.thread_settings = {threads()};
    if (shared_threads() != threads()) result.thread_settings.push_back(shared_threads());

    std::vector<float> reference;
    const auto text = scalar_history(rules().prompt(language, "transcribe"), reference);
    const auto compare = [&](std::span<const int> widths, int pattern) {
        result.logit_gap = std::max(result.logit_gap, replay_gap(text, reference, widths, pattern));
        result.positions += static_cast<int>(text.size());
    };
    for (const int width : tested_widths) {
        if (width != 1) compare(std::array{width}, 0);
    }
    compare(tested_widths, 0);
    if (shared_) {
        compare(std::array{1}, 1);
        compare(tested_widths, 1);
        compare(tested_widths, 2);
    }
    logit_gap_ = result.logit_gap;
    unbind();
    return result;
}

}  // namespace as2d::mnn
