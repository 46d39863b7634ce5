#include "engine_mnn/decoder_weights.hpp"

#include "core/errors.hpp"
#include "projection/half.hpp"

#include <MNN_generated.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <span>

namespace as2d::mnn {

namespace {

constexpr std::size_t norms_of_a_layer = 3;
// Query, key and value in any order, then as they need each other: out; cross query, cross out; inner, outer.
constexpr std::size_t matrices_of_a_layer = 8;
constexpr std::size_t matrices_of_one_input = 3;
constexpr std::int8_t in_halves = 3;  // what MNN calls weights in binary16

struct BadFile {
    const char* reason;
};

std::vector<char> read_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary | std::ios::ate);
    if (!stream) throw BadFile{"it cannot be read"};
    std::vector<char> bytes(static_cast<std::size_t>(stream.tellg()));
    stream.seekg(0);
    if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        throw BadFile{"it cannot be read"};
    return bytes;
}

std::vector<float> floats(const flatbuffers::Vector<float>* values) {
    if (values == nullptr) throw BadFile{"a layer has no weights"};
    return {values->begin(), values->end()};
}

std::vector<float> weights_of(const MNN::Convolution2D& op) {
    const auto* packed = op.quanParameter();
    if (packed == nullptr) return floats(op.weight());
    if (packed->type() != in_halves || packed->buffer() == nullptr)
        throw BadFile{"its weights are not stored as floating-point numbers"};
    std::vector<float> weights(packed->buffer()->size() / sizeof(std::uint16_t));
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, packed->buffer()->data() + i * sizeof half, sizeof half);
        weights[i] = projection::half_to_float(half);
    }
    return weights;
}

/// The graph's operators by what the decoder needs of them.
struct Operators {
    std::vector<const MNN::Op*> matrices;
    std::vector<const MNN::Op*> norms;
    std::map<int, const MNN::Op*> by_output;
    bool precise_gelu = false;
    bool tanh_gelu = false;
};

Operators sort_operators(const MNN::Net& net) {
    Operators found;
    for (const auto* op : *net.oplists()) {
        if (op->type() == MNN::OpType_Convolution) found.matrices.push_back(op);
        if (op->type() == MNN::OpType_LayerNorm) found.norms.push_back(op);
        if (op->type() == MNN::OpType_UnaryOp) {
            found.precise_gelu |= op->main_as_UnaryOp()->opType() == MNN::UnaryOpOperation_SIGMOID;
            found.tanh_gelu |= op->main_as_UnaryOp()->opType() == MNN::UnaryOpOperation_GELU;
        }
        if (op->outputIndexes() == nullptr) continue;
        for (const int output : *op->outputIndexes())
            found.by_output[output] = op;
    }
    return found;
}

/// The nearest matrix that a tensor comes from, through operators that only move values.
const MNN::Op* matrix_behind(const MNN::Net& net, const Operators& operators, const std::string& name) {
    for (int tensor = 0; tensor < static_cast<int>(net.tensorName()->size()); ++tensor) {
        if (net.tensorName()->Get(static_cast<unsigned>(tensor))->str() != name) continue;
        for (std::size_t step = 0; step < operators.by_output.size();
             ++step) {  // a damaged file may turn in circles
            const auto found = operators.by_output.find(tensor);
            if (found == operators.by_output.end()) break;
            if (found->second->type() == MNN::OpType_Convolution) return found->second;
            const auto* inputs = found->second->inputIndexes();
            if (inputs == nullptr || inputs->size() == 0) break;
            tensor = inputs->Get(0);
        }
        break;
    }
    throw BadFile{"its keys and values are not where they are expected"};
}

/// The one of three that is neither of two.
const MNN::Op* other_of(std::span<const MNN::Op* const> three, const MNN::Op* one, const MNN::Op* two) {
    const MNN::Op* other = nullptr;
    int known = 0;
    for (const auto* op : three) {
        if (op == one || op == two)
            ++known;
        else
            other = op;
    }
    if (known != 2 || other == nullptr) throw BadFile{"its layers are not in the order that is expected"};
    return other;
}

decoder::Matrix matrix(const MNN::Op& op, int outputs, int inputs) {
    const auto* layer = op.main_as_Convolution2D();
    const auto weights = weights_of(*layer);
    return {weights, floats(layer->bias()), outputs, inputs};
}

decoder::Norm norm(const MNN::Op& op, int width) {
    const auto* values = op.main_as_LayerNorm();
    decoder::Norm out{floats(values->gamma()), floats(values->beta())};
    if (static_cast<int>(out.gamma.size()) != width || static_cast<int>(out.beta.size()) != width)
        throw BadFile{"a normalisation has a wrong width"};
    return out;
}

std::shared_ptr<const decoder::Weights> read_layers(const MNN::Net& net,
                                                    const models::WhisperManifest& manifest) {
    if (net.oplists() == nullptr || net.tensorName() == nullptr) throw BadFile{"it holds no operators"};
    const auto operators = sort_operators(net);
    const auto layers = static_cast<std::size_t>(manifest.layers);
    if (operators.matrices.size() != layers * matrices_of_a_layer ||
        operators.norms.size() != layers * norms_of_a_layer + 1)
        throw BadFile{"it does not have the layers that the manifest tells"};
    if (operators.precise_gelu == operators.tanh_gelu)
        throw BadFile{"its activation is not one that is known"};
    auto weights = std::make_shared<decoder::Weights>();
    weights->heads = manifest.heads;
    weights->head_dim = manifest.head_dim;
    weights->gelu = operators.precise_gelu ? decoder::precise_gelu : decoder::tanh_gelu;
    const int width = manifest.width;
    for (std::size_t l = 0; l < layers; ++l) {
        const auto* matrices = operators.matrices.data() + l * matrices_of_a_layer;
        const auto* norms = operators.norms.data() + l * norms_of_a_layer;
        const auto* key = matrix_behind(net, operators, "nk" + std::to_string(l));
        const auto* value = matrix_behind(net, operators, "nv" + std::to_string(l));
        const auto* query = other_of(std::span(matrices, matrices_of_one_input), key, value);
        const auto square = [&](const MNN::Op* op) { return matrix(*op, width, width); };
        const int inner = matrices[6]->main_as_Convolution2D()->common()->outputCount();
        weights->layers.push_back({norm(*norms[0], width), square(query), square(key), square(value),
                                   square(matrices[3]), norm(*norms[1], width), square(matrices[4]),
                                   square(matrices[5]), norm(*norms[2], width),
                                   matrix(*matrices[6], inner, width), matrix(*matrices[7], width, inner)});
    }
    weights->last_norm = norm(*operators.norms.back(), width);
    return weights;
}

}  // namespace

std::shared_ptr<const decoder::Weights> read_decoder_weights(const std::string& path,
                                                             const models::WhisperManifest& manifest) {
    try {
        const auto bytes = read_file(path);
        flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        if (!MNN::VerifyNetBuffer(verifier)) throw BadFile{"it is damaged"};
        return read_layers(*MNN::GetNet(bytes.data()), manifest);
    } catch (const BadFile& bad) {
        throw EngineError("'" + path + "' is not a decoder graph this engine can load: " + bad.reason);
    }
}

}  // namespace as2d::mnn
