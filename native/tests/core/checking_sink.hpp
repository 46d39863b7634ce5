// A sink that holds the event stream to its promises.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/decode.hpp"
#include "core/events.hpp"
#include "core/text_encoder.hpp"

namespace as2d::test {

class CheckingSink final : public EventSink {
  public:
    /// @param never_waits whether the method promises that no time passes between target calls
    CheckingSink(const TextEncoder& encoder, int budget, bool never_waits)
        : encoder_(encoder), budget_(budget), never_waits_(never_waits) {}

    void on_draft(const DraftEvent& event) override;
    void on_publish(const PublishEvent& event) override;
    void on_call(const CallEvent& event) override;
    void on_commit(const CommitEvent& event) override;
    void on_warning(const WarningEvent& /*event*/) override { ++warnings_; }

    /// Compares what was reported with the result.
    void finish(const DecodeResult& result);

    const std::vector<std::string>& broken() const { return broken_; }
    int warnings() const { return warnings_; }
    std::size_t published() const { return stream_.size(); }

  private:
    void expect(bool holds, const char* promise) {
        if (!holds) broken_.emplace_back(promise);
    }

    struct Entry {
        Token token;
        std::uint32_t epoch;
        Nanos published;
    };

    const TextEncoder& encoder_;
    int budget_;
    bool never_waits_;
    std::vector<Entry> stream_;
    std::vector<std::string> broken_;
    std::vector<Token> committed_;
    std::vector<Origin> origins_;
    std::string text_;
    std::map<std::uint32_t, std::string> drafted_;  // by epoch
    Nanos last_end_ = -1;
    int calls_ = 0;
    int guard_calls_ = 0;
    int reported_accepted_ = 0;
    int warnings_ = 0;
};

}  // namespace as2d::test
