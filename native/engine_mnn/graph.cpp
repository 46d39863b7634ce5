#include "engine_mnn/graph.hpp"

#include "core/errors.hpp"

#include <MNN/MNNDefine.h>
#include <MNN/Interpreter.hpp>
#include <MNN/expr/ExecutorScope.hpp>
#include <MNN/expr/ExprCreator.hpp>

namespace as2d::mnn {

using namespace MNN;
using namespace MNN::Express;

ComputeRuntime::ComputeRuntime(const ComputeSetting& setting) : setting_(setting) {
    BackendConfig backend;
    backend.precision = BackendConfig::Precision_Normal;
    backend.memory = setting.integer_arithmetic ? BackendConfig::Memory_Low : BackendConfig::Memory_Normal;
    ScheduleConfig schedule;
    schedule.type = MNN_FORWARD_CPU;
    schedule.numThread = setting.threads;
    schedule.backendConfig = &backend;
    executor_ = Executor::newExecutor(schedule.type, backend, schedule.numThread);
    if (!executor_) throw EngineError("MNN has no back end for this setting");
    const ExecutorScope scope(executor_);
    manager_.reset(Executor::RuntimeManager::createRuntimeManager(schedule),
                   Executor::RuntimeManager::destroy);
    if (!manager_) throw EngineError("MNN could not create its runtime");
    manager_->setHint(Interpreter::MEM_ALLOCATOR_TYPE, 0);
    if (auto cpus = setting.cpus; !cpus.empty()) {
        manager_->setHint(Interpreter::CPU_CORE_IDS, cpus.data(), cpus.size());
        // Equal shares of the work: MNN gives the first threads more, as if they ran on the fastest cluster.
        manager_->setHint(Interpreter::CPU_LITTLECORE_DECREASE_RATE, 100);
    }
}

std::string ComputeRuntime::backend_name() const {
    int backend = -1;
    manager_->getInfo(Interpreter::BACKENDS, &backend);  // answers false even when it fills the value in
    return backend == MNN_FORWARD_CPU || backend == MNN_FORWARD_CPU_EXTENSION ? "cpu" : "other";
}

Variable make_input(std::span<const int> shape) {
    return _Input(INTS(shape.begin(), shape.end()), NCHW, halide_type_of<float>());
}

float* write(const Variable& variable) {
    auto* values = variable->writeMap<float>();
    if (values == nullptr) throw EngineError("MNN has no memory for its input: there is not enough left");
    return values;
}

const float* read(const Variable& variable) {
    const auto* values = variable->readMap<float>();
    if (values == nullptr) throw EngineError("MNN returned no values: it is probably out of memory");
    return values;
}

std::size_t element_count(const Variable& variable) { return variable->getInfo()->size; }

int extent(const Variable& variable, int axis) {
    return variable->getInfo()->dim.at(static_cast<std::size_t>(axis));
}

Graph::Graph(const std::string& path, std::vector<std::string> inputs, std::vector<std::string> outputs,
             std::shared_ptr<ComputeRuntime> runtime, const Graph* base)
    : path_(path), runtime_(std::move(runtime)), input_count_(inputs.size()), output_count_(outputs.size()) {
    const ExecutorScope scope(runtime_->executor());
    Module::Config config;
    config.shapeMutable = true;
    config.rearrange = true;
    config.base = base == nullptr ? nullptr : base->module_.get();
    module_.reset(Module::load(inputs, outputs, path.c_str(), runtime_->manager(), &config), Module::destroy);
    if (!module_) throw EngineError("'" + path + "' is not a graph this engine can load");
}

std::vector<Variable> Graph::run(const std::vector<Variable>& inputs) {
    if (inputs.size() != input_count_)
        throw EngineError("'" + path_ + "' was given a wrong number of inputs");
    const ExecutorScope scope(runtime_->executor());
    auto outputs = module_->onForward(inputs);
    if (outputs.size() != output_count_) {
        throw EngineError("MNN could not run '" + path_ + "': it is probably out of memory");
    }
    return outputs;
}

std::string mnn_version() { return getVersion(); }

std::vector<std::string> backends() { return {"cpu"}; }

}  // namespace as2d::mnn
