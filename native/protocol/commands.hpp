#pragma once

#include "core/method.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace as2d::protocol {

inline constexpr std::size_t longest_line = 1 << 20;  ///< bytes of a command

enum class Role { target, drafter };
enum class StartCondition { request_start, pre_drafted };

struct LoadCommand {
    std::string model, path;
    Role role = Role::target;
    int threads = 1;
    int shared_threads = 1;
    std::optional<float> logit_gap;
    std::string backend = "cpu";
    std::vector<int> cpus;  // empty: any
};

struct SelfTestCommand {
    std::string model, audio, language;
};

struct MeasureCallsCommand {
    std::string model;
    std::vector<int> widths;
    int context = 0;
    int threads = 1;
    int repeats = 1;
};

struct MeasureDrafterCommand {
    std::string model;
    std::vector<int> widths;
    int context = 0;
    float seconds = 0.0F;
    int threads = 1;
    int repeats = 1;
};

struct MeasureEncoderCommand {
    std::string model;
    float seconds = 0.0F;
    int threads = 1;
    int repeats = 1;
};

struct MeasureInterferenceCommand {
    std::string target, drafter;
    int k = 1;
    int context = 0;
    int repeats = 1;
};

struct MeasureTurnsCommand {
    std::string target, drafter;
    std::vector<int> widths, step_widths;  // as many of both
    int context = 0;
    float seconds = 0.0F;
    int repeats = 1;
};

struct TraceCommand {
    std::string window;
    std::optional<std::string> language;
    std::string task = "transcribe";
};

struct PrepareCommand {
    std::string window, target;
    std::optional<std::string> drafter, audio, language;
    StartCondition start_condition = StartCondition::pre_drafted;
    std::string task = "transcribe";
    std::optional<std::string> beside;  // the request during whose decode it is prepared
    bool drafted = false;               // the answer waits for the end of the draft
};

struct AppendCommand {
    std::string window, pcm;
    bool last = false;
};

struct RequestCommand {
    std::string request, window, method;
    int budget = 0;
    Admission admission = Admission::text;
    std::string task = "transcribe";
    std::optional<std::string> language;
    bool words = false;
    bool audit = false;
    bool producer_done = false;
    float confidence = MethodSettings{}.confidence;
    int patience = MethodSettings{}.patience;
};

struct CancelCommand {
    std::string request;
};

struct ReleaseCommand {
    std::string window;
};

struct UnloadCommand {
    std::string model;
};

struct PingCommand {};
struct ShutdownCommand {};

using Body = std::variant<LoadCommand, SelfTestCommand, MeasureCallsCommand, MeasureDrafterCommand,
                          MeasureEncoderCommand, MeasureInterferenceCommand, MeasureTurnsCommand,
                          PrepareCommand, AppendCommand, RequestCommand, TraceCommand, CancelCommand,
                          ReleaseCommand, UnloadCommand, PingCommand, ShutdownCommand>;

struct Command {
    std::int64_t id = 0;
    Body body;
};

/// The id of a line that may not be a valid command, so that the refusal can name it.
std::optional<std::int64_t> command_id(std::string_view line);

/// Reads one protocol line.
/// @throws InputError with one sentence: what is wrong with which field.
Command parse_command(std::string_view line);

std::string_view name_of(StartCondition condition);
std::string_view name_of(Admission admission);

}  // namespace as2d::protocol
