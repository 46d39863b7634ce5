#include "projection/softmax.hpp"

#include "core/errors.hpp"
#include "projection/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace as2d;
using namespace as2d::projection;

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

TEST_CASE("a row with a logit that is not finite has no normaliser") {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        for (const std::size_t place : {0UL, 1023UL, 1024UL, 2999UL}) {
            std::vector<float> logits(3000, 1.0F);
            logits[place] = bad;
            CHECK_THROWS_AS(log_sum_exp(logits, forbid(3000, {})), EngineError);
        }
    }
}
