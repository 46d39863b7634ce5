// Replay jobs as JSON lines.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_encoder.hpp"
#include "replay/memo_encoder.hpp"
#include "replay/replayer.hpp"
#include "replay/trace.hpp"

namespace as2d::replay {

/// Takes lines of four kinds: `setup` (the target's tokenizer and a cost profile; forgets traces and arms),
/// `trace` (a line of a trace file), `arm` (a way to decode) and `run`, which replays every trace by every
/// arm, arm by arm, and answers with `window` lines, `timeline` lines where `detail` is asked for, and
/// `done`. Arms and traces stay for further runs.
class Session {
  public:
    static constexpr std::size_t kLongestLine = 64U << 20U;  // bytes

    /// @param write takes whole lines of answers; false: nobody reads them any more
    explicit Session(std::function<bool(std::string_view)> write) : write_(std::move(write)) {}

    /// One line without its end. Throws BadInput, one sentence, for a line that cannot be used; what was
    /// there before it stays. False when nobody reads the answers any more.
    bool handle(std::string_view line);

  private:
    void set_up(const Json& line);
    void add_trace(const Json& line);
    void add_arm(const Json& line);
    bool run(const Json& line);
    void report(const Arm& arm, const Trace& trace, const ReplayOutcome& outcome);
    void report(const Arm& arm, const Trace& trace, const Timeline& timeline);
    bool flush(std::size_t at_least);

    std::function<bool(std::string_view)> write_;
    std::string tokenizer_path_;
    std::shared_ptr<const TextEncoder> tokenizer_;
    std::unique_ptr<MemoEncoder> encoder_;
    std::optional<Replayer> replayer_;
    std::vector<Trace> traces_;
    std::vector<Arm> arms_;
    std::string answers_;
};

}  // namespace as2d::replay
