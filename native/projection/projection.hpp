// The best two tokens of a hidden state, exactly, at a quarter of the memory traffic.
#pragma once

#include "projection/kernels.hpp"
#include "projection/rows.hpp"
#include "projection/team.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace as2d::projection {

/// The two best tokens of one hidden state. Ties go to the lowest id.
struct BestTwo {
    std::int32_t best = -1;
    std::int32_t second = -1;   ///< -1 when only one token is allowed
    double best_logit = 0.0;    ///< z̃ of `best`, see `Rows`
    double second_logit = 0.0;  ///< z̃ of `second`; -infinity without one
    /// log of the sum of exp(logit) over the allowed tokens, when asked: z̃ of the rows that were recomputed,
    /// the scores of the images of all others, so right to the largest bound of a row that counts (for a
    /// trained model about 0.01 with images in bytes).
    double log_sum = 0.0;
    int recomputed = 0;  ///< rows whose z̃ had to be computed
};

/// Takes a token into account whose logit z̃ is known.
void take_better(BestTwo& two, std::int32_t token, double logit);

/// What is asked of one hidden state.
struct Question {
    std::span<const float> state;  ///< h, [width]
    std::span<const float> bias;   ///< [vocab]: 0 where a token may win, -infinity where it may not
    bool log_sum = false;          ///< fill BestTwo::log_sum
};

/// Answers as if every logit z̃ had been computed: images of all rows are scored, and z̃ is computed only where
/// a row's upper bound reaches the second-best lower bound (`Rows` proves the bound of images in bytes). So
/// the answer depends on the hidden state alone, not on how many are asked at once, on threads, or on the
/// processor. Called by one thread at a time.
class Projection {
  public:
    /// @param rows shared by projections with other thread counts
    Projection(std::shared_ptr<const Rows> rows, int threads, Kernels kernels = best_kernels());
    /// @param team works for others too, not at the same time
    Projection(std::shared_ptr<const Rows> rows, std::shared_ptr<Team> team,
               Kernels kernels = best_kernels());

    const std::shared_ptr<const Rows>& shared_rows() const { return rows_; }
    int threads() const { return team_->size(); }

    /// @param answers as many as questions
    /// @throws EngineError when a state is not finite or no token may win
    void best_two(std::span<const Question> questions, std::span<BestTwo> answers);

    /// z̃ of one row.
    double logit(std::span<const float> state, std::int32_t token) const;

    /// z̃ of every row, rounded to binary32: ten times the cost of `best_two`.
    /// @param logits [vocab]
    void logits(std::span<const float> state, std::span<float> logits);

    /// An upper bound of |w·h| over all rows, a little above the largest: how far a change h of the hidden
    /// state can move a logit.
    double largest_logit_above(std::span<const float> state);

  private:
    /// What one thread found of one question.
    struct Scored {
        struct Possible {
            std::uint32_t row;
            double lower, upper;
        };
        double best_lower;
        double second_lower;
        double largest_score;  // of which `exponentials` are relative
        double exponentials;
        std::vector<Possible> possible;  // upper >= second_lower, as it was then

        void clear();
        void add_lower(double bound);
        void add_exponentials(std::span<const double> scores);
    };

    QuantisedState quantise(std::span<const float> state, std::size_t index);
    void scan(std::span<const Question> questions, std::span<BestTwo> answers);
    void score(std::size_t first, std::size_t count, int states, std::int32_t* sums) const;
    BestTwo join(const Question& question, std::size_t index) const;

    std::shared_ptr<const Rows> rows_;
    Kernels kernels_;
    std::shared_ptr<Team> team_;
    std::vector<float> evened_;  // a state times the columns' sizes
    Aligned<std::int16_t> images_;
    std::vector<QuantisedState> states_;
    std::vector<Scored> scored_;  // [thread][question]
};

}  // namespace as2d::projection
