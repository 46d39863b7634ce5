#include "engine_mnn/row_scan.hpp"
#include "engine_mnn/whisper_target.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace as2d::mnn {

namespace {

constexpr std::size_t longest_text = 72;  // enough context for the cache to grow
// What budgets are used, and the widest calls there can be.
constexpr std::array<int, 11> tested_widths = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, widest_call};

float largest_difference(std::span<const float> a, std::span<const float> b) {
    float largest = 0.0F;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

}  // namespace

/// Greedy text token by token; keeps every row of logits. The end token is followed by more text, so that
/// short recordings test long histories too.
std::vector<Token> WhisperTarget::scalar_history(std::vector<Token> prompt, std::vector<float>& logits) {
    auto& network = *alone_;
    cache_.truncate(0);
    auto text = std::move(prompt);
    std::size_t done = 0;
    while (text.size() < longest_text) {
        const auto row = network.decode(std::span(text).subspan(done, 1), *audio_, cache_);
        logits.insert(logits.end(), row.begin(), row.end());
        ++done;
        if (done == text.size()) text.push_back(best_two(row, text_).best);
    }
    text.resize(done);
    return text;
}

/// Runs the same text in calls of the given widths, in turn; every third call carries a wrong tail that is
/// rolled back. Pattern 0 keeps the cores alone, 1 shares them, 2 changes at every call.
float WhisperTarget::replay_gap(std::span<const Token> text, std::span<const float> reference,
                                std::span<const int> widths, int pattern) {
    const auto vocab = static_cast<std::size_t>(manifest_->vocab);
    cache_.truncate(0);
    float gap = 0.0F;
    std::size_t done = 0;
    for (std::size_t call = 0; done < text.size(); ++call) {
        const auto left = text.size() - done;
        const auto width = std::min(static_cast<std::size_t>(widths[call % widths.size()]), left);
        const auto kept = call % 3 == 2 ? (width + 1) / 2 : width;
        std::vector<Token> tokens(text.begin() + static_cast<std::ptrdiff_t>(done),
                                  text.begin() + static_cast<std::ptrdiff_t>(done + width));
        std::reverse(tokens.begin() + static_cast<std::ptrdiff_t>(kept), tokens.end());
        const bool share = pattern == 1 || (pattern == 2 && call % 2 == 1);
        const auto rows = network(share).decode(tokens, *audio_, cache_);
        gap = std::max(
            gap, largest_difference(rows.first(kept * vocab), reference.subspan(done * vocab, kept * vocab)));
        done += kept;
        cache_.truncate(static_cast<int>(done));
    }
    return gap;
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
