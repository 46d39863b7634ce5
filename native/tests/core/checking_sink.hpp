// A sink that holds the event stream to its promises.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/decode.hpp"
#include "core/events.hpp"
#include "core/text_encoder.hpp"

namespace as2d::test {

/// When a method lets the target wait.
enum class Waits {
    never,
    for_drafts,    ///< that are drafted in its own time
    for_producer,  ///< that works beside it
};

class CheckingSink final : public EventSink {
  public:
    CheckingSink(const TextEncoder& encoder, Token end_token, int budget, Waits waits)
        : encoder_(encoder), end_token_(end_token), budget_(budget), waits_(waits) {}

    void on_draft(const DraftEvent& event) override;
    void on_publish(const PublishEvent& event) override;
    void on_call(const CallEvent& event) override;
    void on_commit(const CommitEvent& event) override;
    void on_warning(const WarningEvent& /*event*/) override { ++warnings_; }

    /// Compares what was reported with the result.
    void finish(const DecodeResult& result);

    struct Entry {
        Token token;
        std::uint32_t epoch;
        Nanos published;
        bool operator==(const Entry&) const = default;
    };
    struct Call {
        Nanos start, end;
        int k, accepted;
        CallReason reason;
    };
    struct Step {
        Nanos start, end;
        std::uint32_t epoch;
        int width;
    };

    const std::vector<std::string>& broken() const { return broken_; }
    int warnings() const { return warnings_; }
    const std::vector<Entry>& published() const { return stream_; }
    const std::vector<Call>& calls() const { return call_log_; }  ///< guard calls included
    const std::vector<Step>& drafts() const { return steps_; }

  private:
    void expect(bool holds, const char* promise) {
        if (!holds) broken_.emplace_back(promise);
    }
    /// Time between the target's calls is drafting time, as the method says.
    void check_waiting(const DecodeResult& result);

    const TextEncoder& encoder_;
    Token end_token_;
    int budget_;
    Waits waits_;
    std::vector<Entry> stream_;
    std::vector<std::string> broken_;
    std::vector<Token> committed_;
    std::vector<Origin> origins_;
    std::string text_;
    std::map<std::uint32_t, std::string> drafted_;  // by epoch
    std::map<std::uint32_t, std::size_t> encoded_;  // bytes of it that are published
    std::vector<Call> call_log_;
    std::vector<Step> steps_;
    bool ended_ = false;  // a stop was committed
    Nanos last_end_ = -1;
    int calls_ = 0;
    int guard_calls_ = 0;
    int reported_accepted_ = 0;
    int warnings_ = 0;
};

}  // namespace as2d::test
