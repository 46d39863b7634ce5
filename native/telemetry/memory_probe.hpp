#pragma once

#include "telemetry/sample.hpp"
#include "telemetry/text_file.hpp"

#include <string>

namespace as2d::telemetry {

/// Memory of this process and of the device, from /proc.
class MemoryProbe {
  public:
    /// @param root stands in front of every path
    explicit MemoryProbe(const std::string& root);

    void read(Sample& sample);

  private:
    TextFile process_;
    TextFile device_;
};

}  // namespace as2d::telemetry
