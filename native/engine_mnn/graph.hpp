#pragma once

#include <MNN/MNNForwardType.h>
#include <MNN/expr/Executor.hpp>
#include <MNN/expr/Module.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace as2d::mnn {

/// How a graph is computed. Two graphs over the same file may differ only in `threads`.
struct ComputeSetting {
    int threads = 1;                  ///< CPU threads, 1 or more
    bool integer_arithmetic = false;  ///< int8 files computed in integers (MNN's memory mode 'low')
    std::vector<int> cpus =
        {};  ///< a pool of threads of its own on these, see `has_own_pool`; empty: the common one
};

/// An MNN runtime: one setting, shared by the graphs of one model. It has an executor of its own, because
/// the runtimes of one executor share their memory and take over each other's thread count.
class ComputeRuntime {
  public:
    /// @throws EngineError when the back end can't be created.
    explicit ComputeRuntime(const ComputeSetting& setting);

    const ComputeSetting& setting() const { return setting_; }
    const std::shared_ptr<MNN::Express::Executor>& executor() const { return executor_; }
    const std::shared_ptr<MNN::Express::Executor::RuntimeManager>& manager() const { return manager_; }
    /// The back end that really runs: MNN falls back to the CPU with only a printed line.
    std::string backend_name() const;

  private:
    ComputeSetting setting_;
    std::shared_ptr<MNN::Express::Executor> executor_;
    std::shared_ptr<MNN::Express::Executor::RuntimeManager> manager_;
};

using Variable = MNN::Express::VARP;

/// A float32 input that lives as long as its graph: a stable address spares MNN a reallocation per call.
Variable make_input(std::span<const int> shape);
/// Its values, row-major, to fill in.
/// @throws EngineError when there is no memory for them.
float* write(const Variable& variable);
/// Its values, row-major, computed if they are not yet.
/// @throws EngineError when they can't be computed.
const float* read(const Variable& variable);
std::size_t element_count(const Variable& variable);
/// Size along one axis, counted from 0.
int extent(const Variable& variable, int axis);

/// A loaded graph. Any thread may run it, one at a time for all graphs of a runtime.
class Graph {
  public:
    /// @param base a graph over the same file whose packed weights are shared, or null.
    /// @throws EngineError when the file is missing or is not a graph with these inputs and outputs.
    Graph(const std::string& path, std::vector<std::string> inputs, std::vector<std::string> outputs,
          std::shared_ptr<ComputeRuntime> runtime, const Graph* base = nullptr);

    /// Outputs in the order of the names. They are overwritten by the next run: drop them before.
    /// @throws EngineError when MNN refuses to run.
    std::vector<Variable> run(const std::vector<Variable>& inputs);

  private:
    std::string path_;
    std::shared_ptr<ComputeRuntime> runtime_;
    std::shared_ptr<MNN::Express::Module> module_;
    std::size_t input_count_ = 0;
    std::size_t output_count_ = 0;
};

std::string mnn_version();

/// Names of the back ends that models can be loaded for, by this build on this machine.
std::vector<std::string> backends();

}  // namespace as2d::mnn
