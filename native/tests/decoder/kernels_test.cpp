// Products of few rows: every kernel of this processor gives the sums that are defined, bit for bit.
#include "decoder/kernels.hpp"
#include "decoder/matrix.hpp"

#include "core/errors.hpp"
#include "projection/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace as2d;
using namespace as2d::decoder;

namespace {

constexpr std::size_t widest = 32;

std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, 1.0F);
    std::vector<float> values(count);
    for (auto& value : values)
        value = normal(random);
    return values;
}

/// Binary16 numbers as floats: whole numbers of 2^-9 below 2.
std::vector<float> halves(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (auto& value : values)
        value = static_cast<float>(static_cast<int>(random() % 2047) - 1023) * 0x1p-9F;
    return values;
}

}  // namespace

TEST_CASE("every kernel gives the plain sums for every number of rows, panels and steps") {
    for (const std::size_t depth : {1, 7, 64, 129}) {
        for (const std::size_t panels : {1, 2, 3, 5}) {
            const auto stride = depth * panel_width + 5;  // as where a cache has room for more
            const auto floats = numbers(panels * stride, 1);
            std::vector<std::uint16_t> packed(panels * stride);
            std::mt19937 random(2);
            for (auto& half : packed)
                half = static_cast<std::uint16_t>(random() % 0x7800U | (random() % 2 << 15));
            const auto x = numbers(widest * (depth + 3), 3);
            const auto out_stride = panels * panel_width + 2;
            const auto product = [&](const Kernels& kernels, std::size_t rows, bool in_halves) {
                std::vector<float> out(rows * out_stride, -1.0F);
                if (in_halves)
                    kernels.halves(packed.data(), stride, panels, depth, x.data(), depth + 3, rows,
                                   out.data(), out_stride);
                else
                    kernels.floats(floats.data(), stride, panels, depth, x.data(), depth + 3, rows,
                                   out.data(), out_stride);
                return out;
            };
            for (const auto& kernels : kernels_of_this_processor()) {
                CAPTURE(std::string(kernels.name));
                CAPTURE(depth);
                CAPTURE(panels);
                for (std::size_t rows = 1; rows <= widest; ++rows) {
                    CAPTURE(rows);
                    REQUIRE(product(kernels, rows, false) == product(plain_kernels(), rows, false));
                    REQUIRE(product(kernels, rows, true) == product(plain_kernels(), rows, true));
                }
            }
        }
    }
}

TEST_CASE("a matrix multiplies and adds its bias, in binary16 where that keeps every weight") {
    constexpr int outputs = 48;
    constexpr int inputs = 37;
    const auto bias = numbers(outputs, 5);
    const auto x = numbers(3 * inputs, 6);
    for (const bool exact : {true, false}) {
        auto weights = halves(outputs * inputs, 4);
        weights[0] = 0x1p-24F;   // the smallest of binary16
        weights[1] = -65504.0F;  // the largest
        weights[2] = -0.0F;
        if (!exact) weights[100] = 0.1F;
        const Matrix matrix(weights, bias, outputs, inputs);
        CHECK(matrix.in_halves() == exact);
        std::vector<float> out(3 * 32);
        matrix.apply(best_kernels(), 1, 2, x.data(), inputs, 3, out.data(), 32);
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t n = 0; n < 32; ++n) {
                double sum = static_cast<double>(bias[16 + n]);
                for (std::size_t i = 0; i < inputs; ++i)
                    sum += static_cast<double>(weights[(16 + n) * inputs + i]) *
                           static_cast<double>(x[row * inputs + i]);
                CHECK(static_cast<double>(out[row * 32 + n]) == doctest::Approx(sum).epsilon(1e-5));
            }
        }
    }
}

TEST_CASE("numbers that binary16 lacks keep a matrix in binary32") {
    for (const float odd : {0x1p-25F, 65536.0F, 1.0F + 0x1p-11F, 0x1.8p-24F}) {
        std::vector<float> weights(16, 1.0F);
        weights[7] = odd;
        CHECK_FALSE(Matrix(weights, std::vector<float>(16), 16, 1).in_halves());
    }
}

TEST_CASE("a matrix of another size than it should have is refused") {
    CHECK_THROWS_AS(Matrix(std::vector<float>(31), std::vector<float>(16), 16, 2), EngineError);
    CHECK_THROWS_AS(Matrix(std::vector<float>(32), std::vector<float>(15), 16, 2), EngineError);
    CHECK_THROWS_AS(Matrix(std::vector<float>(24), std::vector<float>(12), 12, 2), EngineError);
}
