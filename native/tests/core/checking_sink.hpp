// A sink that holds the event stream to its promises.
#pragma once

#include <string>
#include <vector>

#include "core/decode.hpp"
#include "core/draft_stream.hpp"
#include "core/events.hpp"
#include "core/text_encoder.hpp"

namespace as2d::test {

class CheckingSink final : public EventSink {
  public:
    CheckingSink(const DraftStream& stream, const TextEncoder& encoder, int budget)
        : stream_(stream), encoder_(encoder), budget_(budget) {}

    void on_draft(const DraftEvent& event) override;
    void on_publish(const PublishEvent& event) override;
    void on_call(const CallEvent& event) override;
    void on_commit(const CommitEvent& event) override;
    void on_warning(const WarningEvent& /*event*/) override { ++warnings_; }

    /// Compares what was reported with the result.
    void finish(const DecodeResult& result);

    const std::vector<std::string>& broken() const { return broken_; }
    int warnings() const { return warnings_; }

  private:
    void expect(bool holds, const char* promise) {
        if (!holds) broken_.emplace_back(promise);
    }

    const DraftStream& stream_;
    const TextEncoder& encoder_;
    int budget_;
    std::vector<std::string> broken_;
    std::vector<Token> committed_;
    std::vector<Origin> origins_;
    std::string text_;
    std::string drafted_;
    std::size_t published_ = 0;
    Nanos last_end_ = -1;
    int calls_ = 0;
    int guard_calls_ = 0;
    int reported_accepted_ = 0;
    int warnings_ = 0;
};

}  // namespace as2d::test
