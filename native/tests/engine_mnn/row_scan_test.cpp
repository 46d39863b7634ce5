#include "engine_mnn/row_scan.hpp"

#include "core/errors.hpp"
#include "engine_mnn/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace as2d;
using namespace as2d::mnn;

namespace {

BestTwo plain(const std::vector<float>& logits, const std::vector<float>& bias) {
    BestTwo out;
    out.best_logit = out.second_logit = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const float value = logits[i] + bias[i];
        if (value > out.best_logit) {
            out.second = out.best;
            out.second_logit = out.best_logit;
            out.best = static_cast<std::int32_t>(i);
            out.best_logit = value;
        } else if (value > out.second_logit) {
            out.second = static_cast<std::int32_t>(i);
            out.second_logit = value;
        }
    }
    return out;
}

}  // namespace

TEST_CASE("the two best tokens are those of a plain scan, ties to the lowest id") {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> coarse(-6, 6);  // few values: many ties
    for (int round = 0; round < 300; ++round) {
        const auto vocab = static_cast<int>(2 + random() % 5000);
        std::vector<float> logits(static_cast<std::size_t>(vocab));
        for (auto& logit : logits)
            logit = static_cast<float>(coarse(random));
        std::vector<std::int32_t> forbidden;
        for (int i = 0; i < vocab / 10; ++i)
            forbidden.push_back(static_cast<std::int32_t>(random() % logits.size()));
        const auto bias = forbid(vocab, forbidden);
        const auto expected = plain(logits, bias);
        const auto found = best_two(logits, bias);
        CHECK(found.best == expected.best);
        CHECK(found.second == expected.second);
        CHECK(found.best_logit == expected.best_logit);
    }
}

TEST_CASE("a row with a logit that is not finite is refused wherever it is") {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
        for (const std::size_t place : {0UL, 1023UL, 1024UL, 2999UL}) {
            std::vector<float> logits(3000, 1.0F);
            logits[place] = bad;
            CHECK_THROWS_AS(best_two(logits, forbid(3000, {})), EngineError);
        }
    }
}

TEST_CASE("a row in which no token may win is refused") {
    const std::vector<float> logits = {1.0F, 2.0F};
    CHECK_THROWS_AS(best_two(logits, forbid(2, std::vector<std::int32_t>{0, 1})), EngineError);
    CHECK(best_two(logits, forbid(2, std::vector<std::int32_t>{1})).second == -1);
}

TEST_CASE("log_sum_exp agrees with double precision") {
    std::mt19937 random(2);
    std::normal_distribution<float> normal(0.0F, 8.0F);
    for (int round = 0; round < 50; ++round) {
        std::vector<float> logits(4099);
        for (auto& logit : logits)
            logit = normal(random);
        const auto bias = forbid(4099, std::vector<std::int32_t>{5, 7});
        double sum = 0.0;
        for (std::size_t i = 0; i < logits.size(); ++i)
            sum += std::exp(static_cast<double>(logits[i] + bias[i]));
        CHECK(std::abs(log_sum_exp(logits, bias) - std::log(sum)) < 2e-5);
    }
}

TEST_CASE("half precision is read exactly") {
    CHECK(half_to_float(0x3C00) == 1.0F);
    CHECK(half_to_float(0xC000) == -2.0F);
    CHECK(half_to_float(0x3555) == 0.333251953125F);
    CHECK(half_to_float(0x0001) == 0x1p-24F);
    CHECK(half_to_float(0x83FF) == -0x3FFp-24F);
    CHECK(half_to_float(0x7BFF) == 65504.0F);
    CHECK(std::isinf(half_to_float(0x7C00)));
    CHECK(std::isnan(half_to_float(0x7E00)));
}
