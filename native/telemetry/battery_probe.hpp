#pragma once

#include "telemetry/sample.hpp"
#include "telemetry/text_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace as2d::telemetry {

/// The battery and what feeds the device, from /sys/class/power_supply.
class BatteryProbe {
  public:
    /// Finds for every value the file that can be read. @param root stands in front of every path
    explicit BatteryProbe(const std::string& root);

    void read(Sample& sample);

  private:
    struct Value {
        std::optional<TextFile> file;
        std::string why;
    };

    Value find(std::string_view attribute, bool text = false) const;
    static std::optional<std::int64_t> number(Value& value, const char* name, Sample& sample);
    static std::optional<std::string> word(Value& value, const char* name, Sample& sample);
    std::optional<bool> charger(Sample& sample);

    std::string base_;
    std::vector<std::string> batteries_;
    std::vector<TextFile> chargers_;
    std::string why_;
    std::string no_charger_;
    Value current_;
    Value voltage_;
    Value level_;
    Value temperature_;
    Value status_;
    Value charge_counter_;
};

}  // namespace as2d::telemetry
