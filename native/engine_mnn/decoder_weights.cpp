#include "engine_mnn/decoder_weights.hpp"

#include "core/errors.hpp"
#include "models/mapped_file.hpp"
#include "projection/half.hpp"

#include <MNN_generated.h>

#include <cstring>
#include <map>
#include <span>

namespace as2d::mnn {

namespace {

constexpr std::size_t norms_of_a_layer = 3;
// Query, key and value in any order, then as they need each other: out; cross query, cross out; inner, outer.
constexpr std::size_t matrices_of_a_layer = 8;
constexpr std::size_t matrices_of_one_input = 3;
// How MNN calls weights in binary16, and whole numbers in a table of their own.
constexpr std::int8_t in_halves = 3;
constexpr std::int8_t in_table = 1;

struct BadFile {
    const char* reason;
};

std::vector<float> floats(const flatbuffers::Vector<float>* values) {
    if (values == nullptr) throw BadFile{"a layer has no weights"};
    return {values->begin(), values->end()};
}

std::vector<float> halves_of(const MNN::IDSTQuan& packed) {
    std::vector<float> weights(packed.buffer()->size() / sizeof(std::uint16_t));
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, packed.buffer()->data() + i * sizeof half, sizeof half);
        weights[i] = projection::half_to_float(half);
    }
    return weights;
}

/// Weights in blocks of 8 bits. The buffer holds the number of dimensions (1 byte), these (2 bytes each, or
/// 4): blocks and the inputs of one; the number of values that occur (256, as the byte 0) and the values -128
/// … 127 themselves; then for each weight the index of its value, so value + 128. `alpha` holds, for each
/// block, the weight of the value `aMin` and the step, or the step alone, then 0 is the weight of the value
/// 0.
decoder::ByteWeights bytes_of(const MNN::IDSTQuan& packed, int inputs) {
    constexpr std::size_t values = 256;
    constexpr int zero = 128;
    const auto* at = reinterpret_cast<const std::uint8_t*>(packed.buffer()->data());
    const std::size_t size = packed.buffer()->size();
    const std::size_t width = packed.shapeInt32() ? sizeof(std::uint32_t) : sizeof(std::uint16_t);
    const auto header = 1 + 2 * width + 1 + values;
    if (size < header || at[0] != 2 || at[1 + 2 * width] != 0)
        throw BadFile{"its weights are not stored as 8-bit numbers"};
    const auto dimension = [&](std::size_t index) {
        std::size_t value = 0;
        for (std::size_t byte = 0; byte < width; ++byte)
            value |= static_cast<std::size_t>(at[1 + index * width + byte]) << (8 * byte);
        return value;
    };
    const auto blocks = dimension(0);
    const auto block = dimension(1);
    for (std::size_t i = 0; i < values; ++i) {
        if (at[2 + 2 * width + i] != static_cast<std::uint8_t>(i + values / 2))
            throw BadFile{"its weights are not stored as 8-bit numbers"};
    }
    const auto* factors = packed.alpha();
    const auto per_block = packed.readType() != 0 ? std::size_t{2} : std::size_t{1};
    if (factors == nullptr || block == 0 || block > static_cast<std::size_t>(inputs) ||
        size - header != blocks * block || factors->size() != blocks * per_block)
        throw BadFile{"its weights do not have the size that they should have"};
    decoder::ByteWeights weights;
    weights.block = static_cast<int>(block);
    weights.values.reserve(blocks * block);
    for (std::size_t i = header; i < size; ++i)
        weights.values.push_back(static_cast<std::int8_t>(at[i] - zero));
    const double lowest = packed.aMin() == 0 ? -double{zero} : static_cast<double>(packed.aMin());
    const auto unit = static_cast<double>(packed.quantScale());
    for (std::size_t b = 0; b < blocks; ++b) {
        const auto factor = [&](std::size_t which) {
            return static_cast<double>(factors->Get(static_cast<unsigned>(b * per_block + which))) * unit;
        };
        const double step = factor(per_block - 1);
        weights.scale.push_back(static_cast<float>(step));
        weights.offset.push_back(per_block == 1 ? 0.0F : static_cast<float>(factor(0) - lowest * step));
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
    const auto bias = floats(layer->bias());
    const auto* packed = layer->quanParameter();
    if (packed == nullptr) return {floats(layer->weight()), bias, outputs, inputs};
    if (packed->buffer() != nullptr && packed->type() == in_halves)
        return {halves_of(*packed), bias, outputs, inputs};
    if (packed->buffer() != nullptr && packed->type() == in_table)
        return {bytes_of(*packed, inputs), bias, outputs, inputs};
    throw BadFile{"its weights are stored in a way that is not known"};
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
    weights->block();  // or the refusal
    return weights;
}

}  // namespace

std::shared_ptr<const decoder::Weights> read_decoder_weights(const std::string& path,
                                                             const models::WhisperManifest& manifest) {
    try {
        const auto file = models::MappedFile::open(path);
        if (!file) throw BadFile{"it cannot be read"};
        const auto bytes = file->bytes();
        flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        if (!MNN::VerifyNetBuffer(verifier)) throw BadFile{"it is damaged"};
        return read_layers(*MNN::GetNet(bytes.data()), manifest);
    } catch (const BadFile& bad) {
        throw EngineError("'" + path + "' is not a decoder graph this engine can load: " + bad.reason);
    }
}

}  // namespace as2d::mnn
