#pragma once

#include "core/events.hpp"
#include "engine_mnn/whisper_target.hpp"
#include "protocol/event_writer.hpp"

#include <functional>
#include <optional>
#include <string>

namespace as2d::helper {

/// Puts the core's events of one window, or of one request on it, into the stream.
class WindowSink final : public EventSink {
  public:
    /// For what belongs to the window alone: the producer.
    WindowSink(protocol::EventWriter& writer, std::string window)
        : writer_(writer), window_(std::move(window)) {}
    /// For a request that `target` decodes; prefill starts now.
    /// @param prefilled called when prefill is done; may be empty
    WindowSink(protocol::EventWriter& writer, std::string window, std::string request,
               const mnn::WhisperTarget& target, Nanos prefill_start, std::function<void()> prefilled)
        : writer_(writer),
          window_(std::move(window)),
          request_(std::move(request)),
          target_(&target),
          prefill_start_(prefill_start),
          prefilled_(std::move(prefilled)) {}

    void on_draft(const DraftEvent& event) override;
    void on_publish(const PublishEvent& event) override;
    void on_call(const CallEvent& event) override;
    void on_commit(const CommitEvent& event) override;
    void on_warning(const WarningEvent& event) override;

    /// A span of work that is not a call: encoder, cross, language, prefill.
    void stage(const char* actor, const char* stage, Nanos start, Nanos end, int threads);

  private:
    protocol::EventWriter& writer_;
    std::string window_;
    std::string request_;
    const mnn::WhisperTarget* target_ = nullptr;
    std::optional<Nanos> prefill_start_;  // empty once prefill was reported
    std::function<void()> prefilled_;
};

}  // namespace as2d::helper
