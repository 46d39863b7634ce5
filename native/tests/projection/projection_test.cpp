#include "projection/projection.hpp"

#include "core/errors.hpp"
#include "projection/half.hpp"
#include "projection/softmax.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace as2d;
using namespace as2d::projection;

namespace {

/// Weights in memory of their own.
Halves kept(std::vector<std::uint16_t> weights) {
    auto owner = std::make_shared<const std::vector<std::uint16_t>>(std::move(weights));
    return {owner, *owner};
}

/// Rows as of a trained model: most alike in length, some tiny, some equal, some all zero.
Halves make_weights(int vocab, int width, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, 0.05F);
    std::vector<std::uint16_t> weights(static_cast<std::size_t>(vocab) * static_cast<std::size_t>(width));
    for (int row = 0; row < vocab; ++row) {
        auto* at = weights.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
        const auto kind = random() % 20;
        if (kind == 0 && row > 0) {
            const auto other = random() % static_cast<std::uint32_t>(row);
            std::copy_n(weights.data() + other * static_cast<std::size_t>(width), width, at);
        } else if (kind > 1) {
            const float size = kind == 2 ? 0x1p-12F : kind == 3 ? 500.0F : 1.0F;
            for (int i = 0; i < width; ++i)
                at[i] = float_to_half(size * normal(random));
        }
    }
    return kept(std::move(weights));
}

/// @param large what every 50th column is larger by
Halves normal_weights(int vocab, int width, std::mt19937& random, float large = 1.0F) {
    std::normal_distribution<float> normal(0.0F, 0.05F);
    std::vector<std::uint16_t> weights(static_cast<std::size_t>(vocab) * static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] =
            float_to_half((i % static_cast<std::size_t>(width) % 50 == 3 ? large : 1.0F) * normal(random));
    return kept(std::move(weights));
}

enum class Kind { ordinary, one_large, huge, tiny, denormal, zero, equal, along_a_row };
constexpr Kind kinds[] = {Kind::ordinary, Kind::one_large, Kind::huge,  Kind::tiny,
                          Kind::denormal, Kind::zero,      Kind::equal, Kind::along_a_row};

std::vector<float> make_state(const Rows& rows, Kind kind, std::mt19937& random) {
    std::normal_distribution<float> normal(0.0F, 1.0F);
    std::vector<float> state(static_cast<std::size_t>(rows.width()));
    const auto row = random() % static_cast<std::uint32_t>(rows.vocab());
    for (std::size_t i = 0; i < state.size(); ++i) {
        const float value = normal(random);
        switch (kind) {
            case Kind::ordinary:
                state[i] = 5.0F * value;
                break;
            case Kind::one_large:
                state[i] = i == 0 ? 4000.0F : 0.01F * value;
                break;
            case Kind::huge:
                state[i] = 1e37F * value;
                break;
            case Kind::tiny:
                state[i] = 1e-30F * value;
                break;
            case Kind::denormal:
                state[i] = 1e-44F * value;
                break;
            case Kind::zero:
                state[i] = i % 2 == 0 ? 0.0F : -0.0F;
                break;
            case Kind::equal:
                state[i] = 1.0F;
                break;
            case Kind::along_a_row:
                state[i] = half_to_float(rows.weights(row)[i]);
                break;
        }
    }
    return state;
}

std::vector<float> make_bias(int vocab, std::mt19937& random) {
    std::vector<float> bias(static_cast<std::size_t>(vocab), 0.0F);
    const auto part = random() % 4;
    for (auto& value : bias) {
        if (part > 0 && random() % 4 < part) value = -std::numeric_limits<float>::infinity();
    }
    bias[random() % bias.size()] = 0.0F;
    return bias;
}

/// Every logit computed, the best two by a plain scan.
BestTwo by_all_rows(const Rows& rows, std::span<const float> state, std::span<const float> bias) {
    const auto dot = plain_kernels().exact_dot;
    BestTwo out{-1, -1, -std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                0};
    for (std::size_t row = 0; row < bias.size(); ++row) {
        if (bias[row] < 0.0F) continue;
        const double logit = dot(rows.weights(row), state.data(), state.size());
        if (out.best < 0 || logit > out.best_logit) {
            out.second = out.best;
            out.second_logit = out.best_logit;
            out.best = static_cast<std::int32_t>(row);
            out.best_logit = logit;
        } else if (out.second < 0 || logit > out.second_logit) {
            out.second = static_cast<std::int32_t>(row);
            out.second_logit = logit;
        }
    }
    return out;
}

void check_same(const BestTwo& found, const BestTwo& expected) {
    CHECK(found.best == expected.best);
    CHECK(found.second == expected.second);
    CHECK(found.best_logit == expected.best_logit);
    CHECK(found.second_logit == expected.second_logit);
}

}  // namespace

TEST_CASE("the best two tokens are those of all logits, however many are asked, on any number of threads") {
    std::mt19937 random(1);
    for (const auto& [vocab, width] :
         {std::pair{1, 1}, {2, 3}, {300, 17}, {1500, 64}, {2000, 384}, {700, 768}}) {
        const auto rows = std::make_shared<const Rows>(make_weights(vocab, width, random()), vocab, width);
        Projection alone(rows, 1);
        Projection plain(rows, 1, plain_kernels());
        Projection two(rows, 2);
        Projection three(rows, 3);
        std::vector<std::vector<float>> states;
        std::vector<std::vector<float>> biases;
        for (const auto kind : kinds) {
            for (int round = 0; round < 3; ++round) {
                states.push_back(make_state(*rows, kind, random));
                biases.push_back(make_bias(vocab, random));
            }
        }
        std::vector<Question> questions;
        for (std::size_t i = 0; i < states.size(); ++i)
            questions.push_back({states[i], biases[i], i % 2 == 0});
        std::vector<BestTwo> together(questions.size());
        two.best_two(questions, together);
        std::vector<BestTwo> of_three(questions.size());
        three.best_two(questions, of_three);
        for (std::size_t i = 0; i < questions.size(); ++i) {
            const auto expected = by_all_rows(*rows, states[i], biases[i]);
            std::vector<BestTwo> single(1);
            alone.best_two(std::span(questions).subspan(i, 1), single);
            check_same(single[0], expected);
            plain.best_two(std::span(questions).subspan(i, 1), single);
            check_same(single[0], expected);
            check_same(together[i], expected);
            check_same(of_three[i], expected);
        }
    }
}

TEST_CASE("a trained model's kind of state needs few rows, and finds the same with images in nibbles") {
    constexpr int vocab = 4000;
    constexpr int width = 512;
    std::mt19937 random(2);
    const auto weights = normal_weights(vocab, width, random);
    const auto rows = std::make_shared<const Rows>(weights, vocab, width);
    Projection projection(rows, 2);
    const auto half_rows = std::make_shared<const Rows>(weights, vocab, width, Image::nibbles);
    Projection halves(half_rows, 2);
    Projection plain(half_rows, 1, plain_kernels());
    const std::vector<float> bias(vocab, 0.0F);
    for (int round = 0; round < 20; ++round) {
        const auto state = make_state(*rows, Kind::ordinary, random);
        const std::vector<Question> question{{state, bias, false}};
        std::vector<BestTwo> answer(1);
        projection.best_two(question, answer);
        CHECK(answer[0].recomputed >= 2);
        CHECK(answer[0].recomputed < vocab / 20);
        std::vector<BestTwo> likely(1);
        halves.best_two(question, likely);
        check_same(likely[0], answer[0]);
        CHECK(likely[0].recomputed < vocab / 8);
        const auto needed = likely[0].recomputed;
        plain.best_two(question, likely);
        check_same(likely[0], answer[0]);
        CHECK(likely[0].recomputed == needed);
    }
}

TEST_CASE("a few large columns do not make images in nibbles useless") {
    constexpr int vocab = 4000;
    constexpr int width = 400;
    std::mt19937 random(11);
    const auto rows = std::make_shared<const Rows>(normal_weights(vocab, width, random, 30.0F), vocab, width,
                                                   Image::nibbles);
    Projection projection(rows, 1);
    for (int round = 0; round < 20; ++round) {
        const auto state = make_state(*rows, Kind::ordinary, random);
        const auto bias = make_bias(vocab, random);
        std::vector<BestTwo> answer(1);
        projection.best_two(std::vector<Question>{{state, bias, false}}, answer);
        check_same(answer[0], by_all_rows(*rows, state, bias));
        CHECK(answer[0].recomputed < vocab / 8);
    }
}

TEST_CASE("rows too narrow for chance have their proven bound in nibbles too") {
    std::mt19937 random(9);
    const auto rows = std::make_shared<const Rows>(make_weights(500, 20, 10), 500, 20, Image::nibbles);
    Projection projection(rows, 2);
    for (const auto kind : kinds) {
        const auto state = make_state(*rows, kind, random);
        const auto bias = make_bias(500, random);
        std::vector<BestTwo> answer(1);
        projection.best_two(std::vector<Question>{{state, bias, false}}, answer);
        check_same(answer[0], by_all_rows(*rows, state, bias));
    }
}

TEST_CASE("kernels agree with plain C++ bit by bit, at the largest sums too") {
    std::mt19937 random(3);
    const auto plain = plain_kernels();
    const auto all = kernels_of_this_processor();
    MESSAGE("fastest kernels: ", std::string(best_kernels().name));
    for (const int width : {1, 63, 64, 65, 512, 768, 1280, 4096}) {
        const auto stride = static_cast<std::size_t>((width + 63) / 64 * 64);
        const auto limit = largest_state(width);
        CHECK(static_cast<std::int64_t>(limit) * 127 * width <= std::numeric_limits<std::int32_t>::max());
        for (int round = 0; round < 4; ++round) {
            constexpr std::size_t count = 7;
            Aligned<std::int8_t> rows(count * stride, 0);
            Aligned<std::int16_t> states(widest_scan * stride, 0);
            const bool extreme = round < 2;
            for (std::size_t i = 0; i < stride; ++i) {
                if (i >= static_cast<std::size_t>(width)) break;
                for (std::size_t row = 0; row < count; ++row) {
                    const int value =
                        extreme ? (row % 2 == 0 ? 127 : -127) : static_cast<int>(random() % 255) - 127;
                    rows[row * stride + i] = static_cast<std::int8_t>(value);
                }
                for (std::size_t k = 0; k < widest_scan; ++k) {
                    const int any =
                        static_cast<int>(random() % static_cast<std::uint32_t>(2 * limit + 1)) - limit;
                    const int value = extreme ? (round == 0 ? limit : -limit) : any;
                    states[k * stride + i] = static_cast<std::int16_t>(value);
                }
            }
            Aligned<std::uint8_t> nibbles(count * stride / 2);
            for (std::size_t i = 0; i < nibbles.size(); ++i)
                nibbles[i] =
                    extreme ? (i / (stride / 2) % 2 == 0 ? 0xFF : 0x00) : static_cast<std::uint8_t>(random());
            for (int k = 1; k <= widest_scan; ++k) {
                std::vector<std::int32_t> expected(static_cast<std::size_t>(k) * count);
                auto found = expected;
                plain.scan(rows.data(), count, stride, states.data(), k, expected.data());
                for (const auto& kernels : all) {
                    kernels.scan(rows.data(), count, stride, states.data(), k, found.data());
                    CHECK(found == expected);
                }
                plain.scan_nibbles(nibbles.data(), count, stride, states.data(), k, expected.data());
                for (const auto& kernels : all) {
                    kernels.scan_nibbles(nibbles.data(), count, stride, states.data(), k, found.data());
                    CHECK(found == expected);
                }
            }
        }
        const auto table = std::make_shared<const Rows>(make_weights(5, width, random()), 5, width);
        for (const auto kind : kinds) {
            const auto state = make_state(*table, kind, random);
            for (std::size_t row = 0; row < 5; ++row) {
                const double expected = plain.exact_dot(table->weights(row), state.data(), state.size());
                for (const auto& kernels : all)
                    CHECK(kernels.exact_dot(table->weights(row), state.data(), state.size()) == expected);
            }
        }
    }
}

TEST_CASE("no logit lies outside its bound") {
    std::mt19937 random(4);
    for (const int width : {5, 64, 384, 1024}) {
        constexpr int vocab = 600;
        const Rows rows(make_weights(vocab, width, random()), vocab, width);
        const auto stride = static_cast<std::size_t>(rows.stride());
        Aligned<std::int16_t> image(stride);
        std::vector<std::int32_t> sums(vocab);
        for (const auto kind : kinds) {
            const auto state = make_state(rows, kind, random);
            const auto quantised = quantise_state(state, image);
            plain_kernels().scan(rows.image(), vocab, stride, image.data(), 1, sums.data());
            for (std::size_t row = 0; row < vocab; ++row) {
                long double truth = 0.0L;
                for (std::size_t i = 0; i < state.size(); ++i)
                    truth += static_cast<long double>(half_to_float(rows.weights(row)[i])) * state[i];
                const double score =
                    static_cast<double>(sums[row]) * static_cast<double>(rows.scale()[row]) * quantised.step;
                const double bound = static_cast<double>(rows.error()[row]) * quantised.norm +
                                     static_cast<double>(rows.norm()[row]) * quantised.error;
                CHECK(std::abs(truth - static_cast<long double>(score)) <= static_cast<long double>(bound));
            }
        }
    }
}

TEST_CASE("single logits, all logits and the largest possible change belong together") {
    constexpr int vocab = 900;
    constexpr int width = 100;
    std::mt19937 random(5);
    const auto rows = std::make_shared<const Rows>(make_weights(vocab, width, 6), vocab, width);
    Projection projection(rows, 2);
    for (const auto kind : kinds) {
        const auto state = make_state(*rows, kind, random);
        std::vector<float> logits(vocab);
        projection.logits(state, logits);
        double largest = 0.0;
        for (int row = 0; row < vocab; ++row) {
            const double logit = projection.logit(state, row);
            CHECK(logits[static_cast<std::size_t>(row)] == static_cast<float>(logit));
            largest = std::max(largest, std::abs(logit));
        }
        CHECK(projection.largest_logit_above(state) >= largest);
    }
}

TEST_CASE("the normaliser is that of all logits, to the bound of a row") {
    constexpr int vocab = 3000;
    constexpr int width = 200;
    std::mt19937 random(8);
    const auto weights = normal_weights(vocab, width, random);
    for (const auto image : {Image::bytes, Image::nibbles}) {
        const auto rows = std::make_shared<const Rows>(weights, vocab, width, image);
        for (const int threads : {1, 2, 3}) {
            Projection projection(rows, threads);
            std::vector<float> logits(vocab);
            for (int round = 0; round < 10; ++round) {
                const auto state =
                    make_state(*rows, round % 2 == 0 ? Kind::ordinary : Kind::one_large, random);
                const auto bias = make_bias(vocab, random);
                std::vector<BestTwo> answer(1);
                projection.best_two(std::vector<Question>{{state, bias, true}}, answer);
                projection.logits(state, logits);
                const double expected = static_cast<double>(log_sum_exp(logits, bias));
                Aligned<std::int16_t> quantised_state(static_cast<std::size_t>(rows->stride()));
                const double size = quantise_state(state, quantised_state).norm;
                auto evened = state;
                for (std::size_t i = 0; i < rows->columns().size(); ++i)
                    evened[i] *= rows->columns()[i];
                const auto quantised = quantise_state(evened, quantised_state);
                double bound = 0.0;
                for (int row = 0; row < vocab; ++row) {
                    bound = std::max(bound, static_cast<double>(rows->error()[row]) * quantised.norm +
                                                static_cast<double>(rows->norm()[row]) * quantised.error);
                }
                CHECK(std::abs(answer[0].log_sum - expected) < bound + 1e-6 * std::abs(expected));
                CHECK(bound < (image == Image::bytes ? 0.02 : 0.1) * size);
            }
        }
    }
}

TEST_CASE("what decides nothing is refused") {
    constexpr int vocab = 40;
    constexpr int width = 8;
    const auto rows = std::make_shared<const Rows>(make_weights(vocab, width, 7), vocab, width);
    Projection projection(rows, 1);
    std::vector<BestTwo> answer(1);
    const std::vector<float> free(vocab, 0.0F);
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
        std::vector<float> state(width, 1.0F);
        state[3] = bad;
        CHECK_THROWS_AS(projection.best_two(std::vector<Question>{{state, free, false}}, answer),
                        EngineError);
    }
    const std::vector<float> state(width, 1.0F);
    const std::vector<float> none(vocab, -std::numeric_limits<float>::infinity());
    CHECK_THROWS_AS(projection.best_two(std::vector<Question>{{state, none, false}}, answer), EngineError);
    std::vector<std::uint16_t> infinite(vocab * width, 0x3C00);
    infinite[17] = 0x7C00;
    CHECK_THROWS_AS(Rows(kept(infinite), vocab, width), EngineError);
    infinite[17] = 0;
    infinite.pop_back();
    CHECK_THROWS_AS(Rows(kept(infinite), vocab, width), EngineError);
}

TEST_CASE("a team does every task once on each of its threads") {
    for (const int size : {1, 2, 4}) {
        Team team(size);
        std::vector<int> done(static_cast<std::size_t>(size), 0);
        for (int round = 0; round < 2000; ++round)
            team.run([&](int index) { ++done[static_cast<std::size_t>(index)]; });
        for (const int count : done)
            CHECK(count == 2000);
    }
}
