#pragma once

#include "protocol/event_writer.hpp"
#include "telemetry/sample.hpp"

namespace as2d::helper {

/// Posts a sample as the event `telemetry`.
void post_sample(protocol::EventWriter& writer, const telemetry::Sample& sample);

}  // namespace as2d::helper
