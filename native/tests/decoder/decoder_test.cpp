// A small random decoder: against a reference in binary64, and against itself in other calls.
#include "decoder/decoder.hpp"

#include "core/errors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace as2d;
using namespace as2d::decoder;

namespace {

constexpr int layers = 2;
constexpr int heads = 2;
constexpr int head_dim = 16;
constexpr int block = 16;
constexpr int width = heads * head_dim;
constexpr int inner = 4 * width;
constexpr int frames = 37;
constexpr int positions = 70;

using Numbers = std::vector<double>;

std::mt19937 random_source(7);

std::vector<float> random_floats(std::size_t count, float size) {
    std::normal_distribution<float> normal(0.0F, size);
    std::vector<float> values(count);
    for (auto& value : values)
        value = normal(random_source);
    return values;
}

/// A linear layer as it was before it was packed.
struct Linear {
    std::vector<float> weights, bias;
    int outputs, inputs;

    Linear(int to, int from)
        : weights(
              random_floats(static_cast<std::size_t>(to * from), 1.0F / std::sqrt(static_cast<float>(from)))),
          bias(random_floats(static_cast<std::size_t>(to), 0.3F)),
          outputs(to),
          inputs(from) {}

    Matrix packed(bool in_bytes) const {
        if (in_bytes) return {bytes(), bias, outputs, inputs};
        return {weights, bias, outputs, inputs};
    }

    /// Rounded to 8 bits, with a step and an offset for each block.
    ByteWeights bytes() const {
        ByteWeights out;
        out.block = block;
        for (auto first = weights.begin(); first != weights.end(); first += block) {
            const auto [least, most] = std::minmax_element(first, first + block);
            const float scale = (*most - *least) / 255.0F;
            const float offset = *least + 128.0F * scale;
            out.scale.push_back(scale);
            out.offset.push_back(offset);
            for (auto at = first; at != first + block; ++at)
                out.values.push_back(static_cast<std::int8_t>(std::lround((*at - offset) / scale)));
        }
        return out;
    }

    /// To the numbers that these 8 bits stand for.
    void round_to_bytes() {
        const auto rounded = bytes();
        for (std::size_t at = 0; at < weights.size(); ++at)
            weights[at] = rounded.scale[at / block] * static_cast<float>(rounded.values[at]) +
                          rounded.offset[at / block];
    }

    Numbers operator()(const Numbers& x) const {
        Numbers out(bias.begin(), bias.end());
        for (std::size_t n = 0; n < out.size(); ++n) {
            for (std::size_t i = 0; i < x.size(); ++i)
                out[n] += static_cast<double>(weights[n * x.size() + i]) * x[i];
        }
        return out;
    }
};

Norm random_norm() { return {random_floats(width, 1.0F), random_floats(width, 0.3F)}; }

Numbers normalised(const Norm& norm, const Numbers& x) {
    double mean = 0.0;
    double variance = 0.0;
    for (const double value : x)
        mean += value / width;
    for (const double value : x)
        variance += (value - mean) * (value - mean) / width;
    Numbers out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(norm.gamma[i]) +
                 static_cast<double>(norm.beta[i]);
    return out;
}

/// Softmax-weighted sum of `values` for one head, [columns][width] both.
Numbers attend(const Numbers& query, const std::vector<Numbers>& keys, const std::vector<Numbers>& values) {
    Numbers out(width, 0.0);
    for (std::size_t head = 0; head < heads; ++head) {
        Numbers powers;
        double sum = 0.0;
        for (const auto& key : keys) {
            double score = 0.0;
            for (std::size_t i = head * head_dim; i < (head + 1) * head_dim; ++i)
                score += query[i] * key[i] / std::sqrt(double{head_dim});
            powers.push_back(std::exp(score));
            sum += powers.back();
        }
        for (std::size_t column = 0; column < values.size(); ++column) {
            for (std::size_t i = head * head_dim; i < (head + 1) * head_dim; ++i)
                out[i] += powers[column] / sum * values[column][i];
        }
    }
    return out;
}

void add(Numbers& to, const Numbers& more) {
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] += more[i];
}

struct Plain {
    struct Block {
        Norm self_norm = random_norm(), cross_norm = random_norm(), feed_norm = random_norm();
        Linear query{width, width}, key{width, width}, value{width, width}, out{width, width};
        Linear cross_query{width, width}, cross_out{width, width};
        Linear inner_layer{inner, width}, outer{width, inner};
        std::vector<float> audio_keys = random_floats(heads * frames * head_dim, 1.0F);
        std::vector<float> audio_values = random_floats(heads * frames * head_dim, 1.0F);
    };
    std::vector<Block> blocks = std::vector<Block>(layers);
    Norm last = random_norm();

    std::shared_ptr<const Weights> packed(bool in_bytes) const {
        auto weights = std::make_shared<Weights>();
        weights->heads = heads;
        weights->head_dim = head_dim;
        for (const auto& b : blocks) {
            weights->layers.push_back({b.self_norm, b.query.packed(in_bytes), b.key.packed(in_bytes),
                                       b.value.packed(in_bytes), b.out.packed(in_bytes), b.cross_norm,
                                       b.cross_query.packed(in_bytes), b.cross_out.packed(in_bytes),
                                       b.feed_norm, b.inner_layer.packed(in_bytes),
                                       b.outer.packed(in_bytes)});
        }
        weights->last_norm = last;
        return weights;
    }

    Audio audio(bool in_bytes, const Kernels& kernels = best_kernels()) const {
        std::vector<const float*> keys;
        std::vector<const float*> values;
        for (const auto& b : blocks) {
            keys.push_back(b.audio_keys.data());
            values.push_back(b.audio_values.data());
        }
        return {*packed(in_bytes), keys, values, frames, kernels};
    }

    /// Hidden states of the whole text at once.
    std::vector<Numbers> run(std::vector<Numbers> x) const {
        for (const auto& b : blocks) {
            std::vector<Numbers> keys;
            std::vector<Numbers> values;
            std::vector<Numbers> audio_keys(frames, Numbers(width));
            std::vector<Numbers> audio_values(frames, Numbers(width));
            for (std::size_t f = 0; f < frames; ++f) {
                for (std::size_t i = 0; i < width; ++i) {
                    const auto head = i / head_dim;
                    const auto part = i % head_dim;
                    audio_keys[f][i] =
                        static_cast<double>(b.audio_keys[(head * frames + f) * head_dim + part]);
                    audio_values[f][i] =
                        static_cast<double>(b.audio_values[(head * head_dim + part) * frames + f]);
                }
            }
            for (auto& row : x) {
                const auto normal = normalised(b.self_norm, row);
                keys.push_back(b.key(normal));
                values.push_back(b.value(normal));
                add(row, b.out(attend(b.query(normal), keys, values)));
                add(row, b.cross_out(
                             attend(b.cross_query(normalised(b.cross_norm, row)), audio_keys, audio_values)));
                auto spread = b.inner_layer(normalised(b.feed_norm, row));
                for (auto& value : spread)
                    value *= 0.5 * std::erfc(-value / std::sqrt(2.0));
                add(row, b.outer(spread));
            }
        }
        for (auto& row : x)
            row = normalised(last, row);
        return x;
    }
};

/// Runs the text in calls of the given widths in turn; every third call carries a wrong tail, rolled back.
std::vector<float> in_calls(Decoder& decoder, const Audio& audio, std::span<const float> text,
                            std::span<const std::size_t> widths) {
    History history(layers, heads, head_dim, positions);
    std::vector<float> states;
    const auto length = text.size() / width;
    for (std::size_t done = 0, call = 0; done < length; ++call) {
        const auto rows = std::min(widths[call % widths.size()], length - done);
        const auto kept = call % 3 == 2 ? (rows + 1) / 2 : rows;
        std::vector<float> tokens(text.begin() + static_cast<std::ptrdiff_t>(done * width),
                                  text.begin() + static_cast<std::ptrdiff_t>((done + rows) * width));
        for (auto i = kept * width; i < tokens.size(); ++i)
            tokens[i] = 3.0F - tokens[i];
        const auto found = decoder.run(tokens, audio, history, static_cast<int>(done));
        states.insert(states.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept * width));
        done += kept;
    }
    return states;
}

constexpr std::size_t one_by_one[] = {1};

Decoder make_decoder(const Plain& plain, int threads, bool in_bytes, Kernels kernels = best_kernels()) {
    return {plain.packed(in_bytes), std::make_shared<projection::Team>(threads), kernels};
}

/// The largest difference between what is computed and the formulas.
double largest_error(const Plain& plain, bool in_bytes) {
    const auto text = random_floats(40 * width, 1.0F);
    std::vector<Numbers> rows;
    for (std::size_t row = 0; row < 40; ++row)
        rows.emplace_back(text.begin() + static_cast<std::ptrdiff_t>(row * width),
                          text.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
    const auto expected = plain.run(rows);
    auto decoder = make_decoder(plain, 1, in_bytes);
    const auto states = in_calls(decoder, plain.audio(in_bytes), text, one_by_one);
    REQUIRE(states.size() == text.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < states.size(); ++i)
        largest =
            std::max(largest, std::abs(static_cast<double>(states[i]) - expected[i / width][i % width]));
    return largest;
}

}  // namespace

TEST_CASE("the hidden states are those of the formulas") {
    // The activation is 5e-6 away from the formula; the rest is rounding.
    CHECK(largest_error(Plain(), false) < 1e-4);
}

TEST_CASE("8-bit weights: the hidden states are those of the weights that the bytes stand for") {
    Plain plain;
    for (auto& b : plain.blocks) {
        for (auto* linear :
             {&b.query, &b.key, &b.value, &b.out, &b.cross_query, &b.cross_out, &b.inner_layer, &b.outer})
            linear->round_to_bytes();
    }
    // Rows are rounded to 16 bits, keys and values of the audio to 11.
    CHECK(largest_error(plain, true) < 5e-3);
}

TEST_CASE("calls of every width, rolled back ones included, threads and kernels change no bit") {
    const Plain plain;
    const auto text = random_floats(64 * width, 1.0F);
    for (const bool in_bytes : {false, true}) {
        CAPTURE(in_bytes);
        auto scalar = make_decoder(plain, 1, in_bytes, plain_kernels());
        const auto expected = in_calls(scalar, plain.audio(in_bytes, plain_kernels()), text, one_by_one);
        for (const auto& kernels : kernels_of_this_processor()) {
            CAPTURE(std::string(kernels.name));
            const auto audio = plain.audio(in_bytes, kernels);
            for (const int threads : {1, 2, 3}) {
                CAPTURE(threads);
                auto decoder = make_decoder(plain, threads, in_bytes, kernels);
                for (const std::size_t rows : {1, 2, 3, 5, 6, 7, 8, 12, 13, 32}) {
                    CAPTURE(rows);
                    const std::size_t widths[] = {rows};
                    REQUIRE(in_calls(decoder, audio, text, widths) == expected);
                }
                const std::size_t mixed[] = {4, 1, 8, 2, 1, 7, 16, 3};
                REQUIRE(in_calls(decoder, audio, text, mixed) == expected);
            }
        }
    }
}

TEST_CASE("a text longer than the history is refused") {
    const Plain plain;
    auto decoder = make_decoder(plain, 1, false);
    History history(layers, heads, head_dim, 16);
    const auto text = random_floats(2 * width, 1.0F);
    CHECK_NOTHROW(decoder.run(text, plain.audio(false), history, 14));
    CHECK_THROWS_AS(decoder.run(text, plain.audio(false), history, 15), EngineError);
}

TEST_CASE("layers that do not all store their weights in the same way are refused") {
    auto mixed = std::make_shared<Weights>(*Plain().packed(true));
    CHECK(mixed->block() == block);
    mixed->layers[1].outer = Linear(width, inner).packed(false);
    CHECK_THROWS_AS(Decoder(mixed, std::make_shared<projection::Team>(1)), EngineError);
}

TEST_CASE("8-bit weights: a state that is not finite shows in what follows from it") {
    const Plain plain;
    auto decoder = make_decoder(plain, 1, true);
    History history(layers, heads, head_dim, 16);
    auto text = random_floats(width, 1.0F);
    text[3] = std::numeric_limits<float>::infinity();
    const auto states = decoder.run(text, plain.audio(true), history, 0);
    CHECK(std::ranges::any_of(states, [](float value) { return !std::isfinite(value); }));
}

TEST_CASE("both forms of the activation follow theirs, far out too") {
    for (int step = -480; step <= 480; step += 5) {
        const double x = step / 40.0;
        std::vector<float> precise(panel_width, static_cast<float>(x));
        auto approximate = precise;
        apply_gelu(precise_gelu, precise.data(), precise.size());
        apply_gelu(tanh_gelu, approximate.data(), approximate.size());
        CHECK(std::abs(static_cast<double>(precise[3]) - x * 0.5 * std::erfc(-x / std::sqrt(2.0))) < 1e-5);
        const double inside = 0.7978845608028654 * (x + 0.044715 * x * x * x);
        CHECK(std::abs(static_cast<double>(approximate[3]) - 0.5 * x * (1.0 + std::tanh(inside))) < 1e-5);
    }
}
