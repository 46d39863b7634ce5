#include "projection/projection.hpp"

#include "core/errors.hpp"
#include "projection/softmax.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace as2d::projection {

namespace {

constexpr std::size_t block = 256;  // rows whose scores stay in the first-level cache
constexpr std::size_t lanes = 16;   // sums that grow side by side
constexpr double lowest = -std::numeric_limits<double>::infinity();

/// Rows [begin, end) of one thread.
std::pair<std::size_t, std::size_t> share(std::size_t rows, int index, int threads) {
    const auto part = (rows / block + 1 + static_cast<std::size_t>(threads) - 1) /
                      static_cast<std::size_t>(threads) * block;
    const auto begin = std::min(rows, part * static_cast<std::size_t>(index));
    return {begin, std::min(rows, begin + part)};
}

}  // namespace

void take_better(BestTwo& two, std::int32_t token, double logit) {
    const auto better = [&](std::int32_t other, double than) {
        return other < 0 || logit > than || (logit == than && token < other);
    };
    if (better(two.best, two.best_logit)) {
        two.second = two.best;
        two.second_logit = two.best_logit;
        two.best = token;
        two.best_logit = logit;
    } else if (better(two.second, two.second_logit)) {
        two.second = token;
        two.second_logit = logit;
    }
}

void Projection::Scored::clear() {
    best_lower = second_lower = largest_score = lowest;
    exponentials = 0.0;
    possible.clear();
}

void Projection::Scored::add_lower(double bound) {
    if (bound > best_lower)
        second_lower = std::exchange(best_lower, bound);
    else if (bound > second_lower)
        second_lower = bound;
}

void Projection::Scored::add_exponentials(std::span<const double> scores) {
    const double largest = *std::ranges::max_element(scores);
    if (largest == lowest) return;
    if (largest > largest_score) {
        exponentials *= std::exp(largest_score - largest);
        largest_score = largest;
    }
    std::array<float, lanes> sums{};
    const auto whole = scores.size() / lanes * lanes;
    for (std::size_t i = 0; i < whole; i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += exp_nonpositive(static_cast<float>(scores[i + lane] - largest_score));
    }
    for (auto i = whole; i < scores.size(); ++i)
        sums[0] += exp_nonpositive(static_cast<float>(scores[i] - largest_score));
    for (const float sum : sums)
        exponentials += static_cast<double>(sum);
}

Projection::Projection(std::shared_ptr<const Rows> rows, int threads, Kernels kernels)
    : Projection(std::move(rows), std::make_shared<Team>(std::max(threads, 1)), kernels) {}

Projection::Projection(std::shared_ptr<const Rows> rows, std::shared_ptr<Team> team, Kernels kernels)
    : rows_(std::move(rows)), kernels_(kernels), team_(std::move(team)) {
    images_.resize(static_cast<std::size_t>(widest_scan) * static_cast<std::size_t>(rows_->stride()));
    states_.resize(static_cast<std::size_t>(widest_scan));
    scored_.resize(static_cast<std::size_t>(team_->size()) * widest_scan);
}

void Projection::best_two(std::span<const Question> questions, std::span<BestTwo> answers) {
    for (std::size_t begin = 0; begin < questions.size(); begin += widest_scan) {
        const auto count = std::min<std::size_t>(widest_scan, questions.size() - begin);
        scan(questions.subspan(begin, count), answers.subspan(begin, count));
    }
}

/// The image of a state, as the `index`-th of a scan.
QuantisedState Projection::quantise(std::span<const float> state, std::size_t index) {
    const auto stride = static_cast<std::size_t>(rows_->stride());
    const auto columns = rows_->columns();
    if (!columns.empty()) {
        evened_.resize(state.size());
        for (std::size_t i = 0; i < state.size(); ++i)
            evened_[i] = state[i] * columns[i];
        state = evened_;
    }
    return quantise_state(state, std::span(images_).subspan(index * stride, stride));
}

void Projection::scan(std::span<const Question> questions, std::span<BestTwo> answers) {
    const auto& rows = *rows_;
    for (std::size_t k = 0; k < questions.size(); ++k)
        states_[k] = quantise(questions[k].state, k);

    team_->run([&](int index) {
        const auto mine =
            std::span(scored_).subspan(static_cast<std::size_t>(index) * widest_scan, questions.size());
        for (auto& scored : mine)
            scored.clear();
        std::array<std::int32_t, block * widest_scan> sums;
        std::array<double, block> lower;
        std::array<double, block> upper;
        std::array<double, block> scores;
        const auto [first, last] = share(static_cast<std::size_t>(rows.vocab()), index, team_->size());
        for (auto begin = first; begin < last; begin += block) {
            const auto count = std::min(block, last - begin);
            score(begin, count, static_cast<int>(questions.size()), sums.data());
            for (std::size_t k = 0; k < questions.size(); ++k) {
                const auto& state = states_[k];
                const auto* sum = sums.data() + k * count;
                const auto* bias = questions[k].bias.data() + begin;
                const auto *scale = rows.scale() + begin, *error = rows.error() + begin,
                           *norm = rows.norm() + begin;
                double highest = lowest;
                for (std::size_t i = 0; i < count; ++i) {
                    const double score =
                        static_cast<double>(sum[i]) * static_cast<double>(scale[i]) * state.step;
                    const double bound = static_cast<double>(error[i]) * state.norm +
                                         static_cast<double>(norm[i]) * state.error;
                    lower[i] = score - bound + static_cast<double>(bias[i]);
                    upper[i] = score + bound + static_cast<double>(bias[i]);
                    highest = upper[i] > highest ? upper[i] : highest;
                }
                if (questions[k].log_sum) {
                    for (std::size_t i = 0; i < count; ++i)
                        scores[i] = (lower[i] + upper[i]) / 2;
                    mine[k].add_exponentials(std::span(scores).first(count));
                }
                if (highest < mine[k].second_lower) continue;
                for (std::size_t i = 0; i < count; ++i) {
                    if (upper[i] < mine[k].second_lower || upper[i] == lowest) continue;
                    mine[k].add_lower(lower[i]);
                    mine[k].possible.push_back({static_cast<std::uint32_t>(begin + i), lower[i], upper[i]});
                }
            }
        }
    });

    for (std::size_t k = 0; k < questions.size(); ++k)
        answers[k] = join(questions[k], k);
}

/// I of `states` images and the rows from `first` on.
void Projection::score(std::size_t first, std::size_t count, int states, std::int32_t* sums) const {
    const auto stride = static_cast<std::size_t>(rows_->stride());
    if (rows_->image_kind() == Image::nibbles) {
        kernels_.scan_nibbles(rows_->nibbles() + first * stride / 2, count, stride, images_.data(), states,
                              sums);
    } else {
        kernels_.scan(rows_->image() + first * stride, count, stride, images_.data(), states, sums);
    }
}

/// The answer to one question from what the threads found.
BestTwo Projection::join(const Question& question, std::size_t index) const {
    Scored all;
    all.clear();
    for (auto i = index; i < scored_.size(); i += widest_scan) {
        all.add_lower(scored_[i].best_lower);
        all.add_lower(scored_[i].second_lower);
        all.largest_score = std::max(all.largest_score, scored_[i].largest_score);
    }
    BestTwo answer{-1, -1, lowest, lowest, 0.0, 0};
    double sum = 0.0;         // of exponentials, relative to the largest score
    double recomputed = 0.0;  // likewise, of rows whose logit is known
    for (auto i = index; i < scored_.size(); i += widest_scan) {
        if (question.log_sum)
            sum += scored_[i].exponentials * std::exp(scored_[i].largest_score - all.largest_score);
        for (const auto& possible : scored_[i].possible) {
            if (possible.upper < all.second_lower) continue;
            const auto token = static_cast<std::int32_t>(possible.row);
            const double exact = logit(question.state, token);
            take_better(answer, token, exact);
            ++answer.recomputed;
            if (!question.log_sum) continue;
            sum -= std::exp((possible.lower + possible.upper) / 2 - all.largest_score);
            recomputed += std::exp(exact - all.largest_score);
        }
    }
    if (answer.best < 0) throw EngineError("the model's suppress list leaves no token that may win");
    if (question.log_sum) answer.log_sum = all.largest_score + std::log(std::max(sum, 0.0) + recomputed);
    return answer;
}

double Projection::logit(std::span<const float> state, std::int32_t token) const {
    return kernels_.exact_dot(rows_->weights(static_cast<std::size_t>(token)), state.data(), state.size());
}

void Projection::logits(std::span<const float> state, std::span<float> logits) {
    team_->run([&](int index) {
        const auto [first, last] = share(static_cast<std::size_t>(rows_->vocab()), index, team_->size());
        for (auto row = first; row < last; ++row)
            logits[row] =
                static_cast<float>(kernels_.exact_dot(rows_->weights(row), state.data(), state.size()));
    });
}

double Projection::largest_logit_above(std::span<const float> state) {
    const auto& rows = *rows_;
    const auto quantised = quantise(state, 0);
    std::vector<double> largest(static_cast<std::size_t>(team_->size()), 0.0);
    team_->run([&](int index) {
        std::array<std::int32_t, block> sums;
        double found = 0.0;
        const auto [first, last] = share(static_cast<std::size_t>(rows.vocab()), index, team_->size());
        for (auto begin = first; begin < last; begin += block) {
            const auto count = std::min(block, last - begin);
            score(begin, count, 1, sums.data());
            for (std::size_t i = 0; i < count; ++i) {
                const double score = static_cast<double>(sums[i]) *
                                     static_cast<double>(rows.scale()[begin + i]) * quantised.step;
                const double bound = static_cast<double>(rows.error()[begin + i]) * quantised.norm +
                                     static_cast<double>(rows.norm()[begin + i]) * quantised.error;
                found = std::max(found, std::abs(score) + bound);
            }
        }
        largest[static_cast<std::size_t>(index)] = found;
    });
    return *std::ranges::max_element(largest);
}

}  // namespace as2d::projection
