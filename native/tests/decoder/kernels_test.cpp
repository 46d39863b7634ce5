// Products of few rows: every kernel of this processor gives the sums that are defined, bit for bit.
#include "decoder/kernels.hpp"
#include "decoder/matrix.hpp"
#include "decoder/quantised_rows.hpp"

#include "core/errors.hpp"
#include "projection/half.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
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

/// Weights in 8 bits, the extreme ones among them.
ByteWeights byte_weights(int outputs, int inputs, int block, std::uint32_t seed) {
    std::mt19937 random(seed);
    ByteWeights weights;
    weights.block = block;
    for (int i = 0; i < outputs * inputs; ++i) {
        const auto kind = random() % 16;
        const auto value = kind == 0 ? -128 : kind == 1 ? 127 : static_cast<int>(random() % 256) - 128;
        weights.values.push_back(static_cast<std::int8_t>(value));
    }
    const auto blocks = static_cast<std::size_t>(outputs * inputs / block);
    weights.scale = numbers(blocks, seed + 1);
    weights.offset = numbers(blocks, seed + 2);
    return weights;
}

double weight(const ByteWeights& weights, std::size_t at) {
    const auto block = at / static_cast<std::size_t>(weights.block);
    return static_cast<double>(weights.scale[block]) * static_cast<double>(weights.values[at]) +
           static_cast<double>(weights.offset[block]);
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
        matrix.apply(best_kernels(), 1, 2, {x.data(), {}}, 3, out.data(), 32);
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

TEST_CASE("8-bit weights: every kernel gives the plain sums, the largest there can be among them") {
    for (const auto& [inputs, block] : {std::pair{16, 16}, {64, 32}, {192, 64}, {512, 256}}) {
        for (const std::size_t panels : {1, 2, 3, 5}) {
            const auto outputs = static_cast<int>(panels * panel_width);
            const auto bias = numbers(panels * panel_width, 7);
            auto weights = byte_weights(outputs, inputs, block, 8);
            // The first output and the first row as large as they can be, of one sign.
            std::fill_n(weights.values.begin(), inputs, std::int8_t{-128});
            const Matrix matrix(weights, bias, outputs, inputs);
            const auto width = static_cast<std::size_t>(inputs);
            auto x = numbers(widest * width, 9);
            std::fill_n(x.begin(), width, -3.0F);
            std::fill_n(x.begin() + inputs, width, 0.0F);
            const auto out_stride = panels * panel_width + 3;
            const auto product = [&](const Kernels& kernels, std::size_t rows) {
                QuantisedRows quantised;
                quantised.set(x.data(), rows, width, matrix.block(), kernels);
                std::vector<float> out(rows * out_stride, -1.0F);
                matrix.apply(kernels, 0, panels, {x.data(), quantised.view()}, rows, out.data(), out_stride);
                return out;
            };
            for (const auto& kernels : kernels_of_this_processor()) {
                CAPTURE(std::string(kernels.name));
                CAPTURE(inputs);
                CAPTURE(panels);
                for (std::size_t rows = 1; rows <= widest; ++rows) {
                    CAPTURE(rows);
                    REQUIRE(product(kernels, rows) == product(plain_kernels(), rows));
                }
            }
        }
    }
}

TEST_CASE("8-bit weights: the product is that of the numbers they stand for, to the rounding of 16 bits") {
    constexpr int outputs = 48;
    constexpr int inputs = 384;
    const auto weights = byte_weights(outputs, inputs, 64, 10);
    const auto bias = numbers(outputs, 11);
    const auto x = numbers(4 * inputs, 12);
    const Matrix matrix(weights, bias, outputs, inputs);
    CHECK_FALSE(matrix.in_halves());
    QuantisedRows quantised;
    quantised.set(x.data(), 4, inputs, matrix.block(), best_kernels());
    std::vector<float> out(4 * 32);
    matrix.apply(best_kernels(), 1, 2, {x.data(), quantised.view()}, 4, out.data(), 32);
    for (std::size_t row = 0; row < 4; ++row) {
        double largest = 0.0;
        for (std::size_t i = 0; i < inputs; ++i)
            largest = std::max(largest, std::abs(static_cast<double>(x[row * inputs + i])));
        for (std::size_t n = 0; n < 32; ++n) {
            double sum = static_cast<double>(bias[16 + n]);
            double sizes = 0.0;
            for (std::size_t i = 0; i < inputs; ++i) {
                const double w = weight(weights, (16 + n) * inputs + i);
                sum += w * static_cast<double>(x[row * inputs + i]);
                sizes += std::abs(w);
            }
            // Half a step an input, and the roundings to binary32 on the way.
            const double bound = sizes * largest * (0.5 / 32639 + 0x1p-20);
            CHECK(std::abs(static_cast<double>(out[row * 32 + n]) - sum) <= bound);
        }
    }
}

TEST_CASE(
    "a row in 16 bits is half a step off at most; what is not finite stays so, what is tiny is nothing") {
    const auto plain = plain_kernels();
    QuantisedRows rows;
    for (const float size : {1e-20F, 1.0F, 3e38F}) {
        auto x = numbers(64, 13);
        float largest = 0.0F;
        for (const float value : x)
            largest = std::max(largest, std::abs(value));
        for (auto& value : x)
            value *= size / largest;
        rows.set(x.data(), 1, 64, 32, plain);
        const auto view = rows.view();
        const auto step = static_cast<double>(view.steps[0]);
        double sums[2] = {0.0, 0.0};
        for (std::size_t i = 0; i < 64; ++i) {
            CHECK(std::abs(static_cast<double>(x[i]) - step * view.values[i]) <=
                  step / 2 + static_cast<double>(size) * 0x1p-22);
            sums[i / 32] += view.values[i];
        }
        CHECK(static_cast<double>(view.sums[0]) == sums[0]);
        CHECK(static_cast<double>(view.sums[1]) == sums[1]);
    }
    for (const float tiny : {0.0F, -0.0F, 1e-44F}) {
        const std::vector<float> x(64, tiny);
        rows.set(x.data(), 1, 64, 32, plain);
        for (std::size_t i = 0; i < 64; ++i)
            CHECK(rows.view().values[i] == 0);
        CHECK(rows.view().steps[0] < 1e-40F);
    }
    for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
        auto x = numbers(64, 14);
        x[40] = bad;
        rows.set(x.data(), 1, 64, 32, plain);
        CHECK(std::isnan(rows.view().steps[0]));
    }
}

TEST_CASE("8-bit weights that are not what they should be are refused") {
    const auto good = byte_weights(16, 64, 32, 15);
    const std::vector<float> bias(16);
    CHECK_NOTHROW(Matrix(good, bias, 16, 64));
    CHECK_THROWS_AS(Matrix(good, bias, 16, 32), EngineError);
    for (const int block : {0, -32, 8, 24, 48, 512}) {
        auto bad = good;
        bad.block = block;
        CHECK_THROWS_AS(Matrix(bad, bias, 16, 64), EngineError);
    }
    for (auto factors : {&ByteWeights::scale, &ByteWeights::offset}) {
        auto bad = good;
        (bad.*factors).pop_back();
        CHECK_THROWS_AS(Matrix(bad, bias, 16, 64), EngineError);
        bad = good;
        (bad.*factors)[5] = std::numeric_limits<float>::infinity();
        CHECK_THROWS_AS(Matrix(bad, bias, 16, 64), EngineError);
    }
}

TEST_CASE("numbers become the nearest binary16, ties to even, by every kernel") {
    std::vector<float> from = {0.0F,         -0.0F,        1.0F,      65504.0F,   65519.996F, 65520.0F,
                               -1e30F,       0x1p-24F,     0x1p-25F,  0x1.002p0F, 0x1.006p0F, 0x1.8p-25F,
                               0x1.ffcp-15F, 0x1.ffep-15F, -0x1p-14F, 3e-8F};
    std::mt19937 random(16);
    for (int i = 0; i < 4000; ++i) {
        const auto bits = static_cast<std::uint32_t>(random());
        const auto value = std::bit_cast<float>(bits);
        if (!std::isnan(value)) from.push_back(value);
        // Most of all numbers are too large or too small: these are not.
        from.push_back(std::bit_cast<float>((bits & 0x81FFFFFFU) | 0x38000000U));
    }
    std::vector<std::uint16_t> expected(from.size());
    plain_kernels().narrow(from.data(), expected.data(), from.size());
    CHECK(expected[2] == 0x3C00);
    CHECK(expected[3] == 0x7BFF);
    CHECK(expected[4] == 0x7BFF);
    CHECK(expected[5] == 0x7C00);
    CHECK(expected[6] == 0xFC00);
    CHECK(expected[7] == 1);
    CHECK(expected[8] == 0);
    CHECK(expected[9] == 0x3C00);
    CHECK(expected[10] == 0x3C02);
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto value = static_cast<double>(from[i]);
        if (std::abs(value) >= 65520.0) continue;
        const auto apart = [&](int by) {
            const auto other = static_cast<std::uint16_t>(expected[i] + by);
            const double there = static_cast<double>(projection::half_to_float(other));
            return std::isfinite(there) ? std::abs(there - value) : std::numeric_limits<double>::infinity();
        };
        CHECK(apart(0) <= apart(1));
        if ((expected[i] & 0x7FFF) != 0) CHECK(apart(0) <= apart(-1));
    }
    for (const auto& kernels : kernels_of_this_processor()) {
        CAPTURE(std::string(kernels.name));
        std::vector<std::uint16_t> found(from.size());
        kernels.narrow(from.data(), found.data(), from.size());
        CHECK(found == expected);
    }
}
