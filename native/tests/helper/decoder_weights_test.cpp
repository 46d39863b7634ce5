// Decoder files that are not what they should be are refused with the reason; one of 8-bit weights is read.
// Right ones of real models are decoded with in the end-to-end tests, against target-only and against the
// audit.
#include "engine_mnn/decoder_weights.hpp"

#include "core/errors.hpp"
#include "tests/telemetry/file_tree.hpp"

#include <MNN_generated.h>
#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace as2d;

namespace {

constexpr int width = 64;
constexpr int block = 32;

models::WhisperManifest small_manifest() {
    models::WhisperManifest manifest;
    manifest.layers = 1;
    manifest.heads = 1;
    manifest.head_dim = width;
    manifest.width = width;
    return manifest;
}

/// As MNN's converter stores weights in 8 bits: all of them 3 steps of 1/128 above -1.
std::unique_ptr<MNN::OpT> linear(int outputs, int inputs) {
    auto op = std::make_unique<MNN::OpT>();
    op->type = MNN::OpType_Convolution;
    op->main.Set(MNN::Convolution2DT());
    auto& layer = *op->main.AsConvolution2D();
    layer.common = std::make_unique<MNN::Convolution2DCommonT>();
    layer.common->outputCount = outputs;
    layer.common->inputCount = inputs;
    layer.bias.assign(static_cast<std::size_t>(outputs), 0.5F);
    layer.quanParameter = std::make_unique<MNN::IDSTQuanT>();
    auto& packed = *layer.quanParameter;
    const int blocks = outputs * inputs / block;
    packed.type = 1;
    packed.aMin = -128;
    packed.quantScale = 1.0F;
    packed.readType = blocks;
    packed.buffer = {
        2, static_cast<std::int8_t>(blocks & 255), static_cast<std::int8_t>(blocks >> 8), block, 0, 0};
    for (int value = -128; value < 128; ++value)
        packed.buffer.push_back(static_cast<std::int8_t>(value));
    packed.buffer.insert(packed.buffer.end(), static_cast<std::size_t>(outputs * inputs), 3);
    for (int b = 0; b < blocks; ++b) {
        packed.alpha.push_back(-1.0F);
        packed.alpha.push_back(0x1p-7F);
    }
    return op;
}

std::unique_ptr<MNN::OpT> norm() {
    auto op = std::make_unique<MNN::OpT>();
    op->type = MNN::OpType_LayerNorm;
    op->main.Set(MNN::LayerNormT());
    op->main.AsLayerNorm()->gamma.assign(width, 1.0F);
    op->main.AsLayerNorm()->beta.assign(width, 0.0F);
    return op;
}

/// Writes a decoder of one layer, whose second matrix was changed.
void write_decoder(const std::string& path, const std::function<void(MNN::Convolution2DT&)>& change) {
    MNN::NetT net;
    net.tensorName = {"x", "q", "nk0", "nv0"};
    for (int n = 0; n < 4; ++n)
        net.oplists.push_back(norm());
    for (int n = 0; n < 6; ++n)
        net.oplists.push_back(linear(width, width));
    net.oplists.push_back(linear(4 * width, width));
    net.oplists.push_back(linear(width, 4 * width));
    for (int n = 0; n < 3; ++n)  // query, key and value
        net.oplists[static_cast<std::size_t>(4 + n)]->outputIndexes = {1 + n};
    change(*net.oplists[5]->main.AsConvolution2D());
    net.oplists.push_back(std::make_unique<MNN::OpT>());
    net.oplists.back()->type = MNN::OpType_UnaryOp;
    net.oplists.back()->main.Set(MNN::UnaryOpT());
    net.oplists.back()->main.AsUnaryOp()->opType = MNN::UnaryOpOperation_SIGMOID;
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(MNN::Net::Pack(builder, &net));
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}

std::string refusal(const std::string& path) {
    try {
        mnn::read_decoder_weights(path, small_manifest());
    } catch (const EngineError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a decoder file that is missing, empty or damaged is refused, and named") {
    const FileTree tree;
    const auto path = tree.root() + "/decoder.mnn";
    CHECK(refusal(path).find(path + "' is not a decoder graph this engine can load: it cannot be read") !=
          std::string::npos);
    for (const std::string& content : {std::string(), std::string("RIFF"), std::string(4096, '\x7f')}) {
        std::ofstream(path, std::ios::binary) << content;
        CHECK(refusal(path).find("it is damaged") != std::string::npos);
    }
}

TEST_CASE("weights in 8 bits are read as the numbers that they stand for") {
    const FileTree tree;
    const auto path = tree.root() + "/decoder.mnn";
    for (const bool offsets : {true, false}) {
        write_decoder(path, [&](MNN::Convolution2DT& layer) {
            if (offsets) return;
            // The step alone, then 0 stands for 0: here the key's weights are -125 steps.
            layer.quanParameter->readType = 0;
            layer.quanParameter->alpha.assign(width * width / block, 0x1p-7F);
        });
        const auto weights = mnn::read_decoder_weights(path, small_manifest());
        CHECK(weights->block() == block);
        const std::vector<float> x(width, 1.0F);
        const auto kernels = decoder::best_kernels();
        decoder::QuantisedRows rows;
        rows.set(x.data(), 1, width, block, kernels);
        std::vector<float> out(width);
        weights->layers[0].key.apply(kernels, 0, width / decoder::panel_width, {x.data(), rows.view()}, 1,
                                     out.data(), width);
        const double weight = offsets ? -1.0 + 3.0 / 128 : -125.0 / 128;
        CHECK(static_cast<double>(out[7]) == doctest::Approx(0.5 + width * weight).epsilon(1e-6));
    }
}

TEST_CASE("weights in 8 bits that are damaged or of another kind are refused with the reason") {
    const FileTree tree;
    const auto path = tree.root() + "/decoder.mnn";
    const auto told = [&](const std::function<void(MNN::IDSTQuanT&)>& change) {
        write_decoder(path, [&](MNN::Convolution2DT& layer) { change(*layer.quanParameter); });
        return refusal(path);
    };
    CHECK(told([](MNN::IDSTQuanT&) {}).empty());
    const std::string size = "its weights do not have the size that they should have";
    const std::string kind = "its weights are not stored as 8-bit numbers";
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer.pop_back(); }).find(size) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.alpha.pop_back(); }).find(size) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.alpha.clear(); }).find(size) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer[1] = q.buffer[2] = -1; }).find(size) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer[3] = 0; }).find(size) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer[4] = 127; }).find(size) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.shapeInt32 = true; }).find(kind) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer.resize(5); }).find(kind) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer[0] = 3; }).find(kind) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer[5] = 16; }).find(kind) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer[9] = 0; }).find(kind) != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.type = 2; }).find("in a way that is not known") !=
          std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) { q.buffer.clear(); }).find("not") != std::string::npos);
    CHECK(told([](MNN::IDSTQuanT& q) {
              q.alpha[1] = std::numeric_limits<float>::infinity();
          }).find("holds a number that is not finite") != std::string::npos);
    // Blocks of 64 in one layer, of 32 in all others.
    CHECK(told([](MNN::IDSTQuanT& q) {
              q.buffer[1] = width;
              q.buffer[3] = 2 * block;
              q.alpha.resize(2 * width);
          }).find("do not all store their weights in the same way") != std::string::npos);
}
