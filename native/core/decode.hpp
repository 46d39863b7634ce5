// The decode loop: prefill, target calls, acceptance, guard, commit. The same for every method.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/counters.hpp"
#include "core/draft_stream.hpp"
#include "core/events.hpp"
#include "core/method.hpp"
#include "core/producer.hpp"
#include "core/rules.hpp"
#include "core/target.hpp"
#include "core/text_encoder.hpp"

namespace as2d {

/// What one decode works with. What a method does not need (see Drafting) is null.
struct DecodeContext {
    Target& target;
    const TargetRules& rules;
    const TextEncoder& text;
    Method& method;
    const Clock& clock;
    EventSink& sink;
    const DraftStream* stream = nullptr;  ///< of the producer beside the target
    ProducerState* producer = nullptr;
    Assignments* assignments = nullptr;  ///< the producer's inbox
    ProducerLink* link = nullptr;
    Drafter* drafter = nullptr;  ///< drafts in the target's thread
};

struct DecodeRequest {
    std::string language;  ///< a known code; detection is detect_language()'s
    std::string task = "transcribe";
};

enum class Stop { end_of_text, length_limit, repetition, no_speech, cancelled };
std::string_view name_of(Stop stop);

struct DecodeTimes {
    Nanos prefill_start = 0;
    Nanos first_token = 0;  ///< prefill logits ready: decode time starts
    Nanos end = 0;          ///< last commit (or the moment of cancelling)
};

struct DecodeResult {
    std::vector<Token> tokens;     ///< text tokens, without the end token; empty when stop = no_speech
    std::vector<Token> committed;  ///< everything committed, the end token included
    std::vector<float> margins;    ///< of each committed token's own row, logits
    std::vector<Origin> origins;   ///< of each committed token
    std::string text;              ///< whole UTF-8; invalid bytes replaced by U+FFFD; empty when no_speech
    Stop stop = Stop::end_of_text;
    Counters counters;
    DecodeTimes times;
    float no_speech_prob = 0.0F;  ///< 0 when the rule is off
    float mean_log_prob = 0.0F;   ///< only when no_speech_prob made it needed
};

/// Decodes one window from an empty KV cache. Waits for a producer only where the method does (lookahead);
/// `cancelled` is looked at before every target call. Throws EngineError, RequestError.
DecodeResult decode(const DecodeContext& context, const DecodeRequest& request,
                    const std::atomic<bool>& cancelled);

/// Two answers compared, for an audit. Where the no-speech rule dropped only one of them, every position
/// differs.
struct Difference {
    int tokens = 0;       ///< of the reference
    int differing = 0;    ///< positions that differ, missing and surplus ones included
    int first = -1;       ///< first differing position, -1: none
    float margin = 0.0F;  ///< the reference's margin there
};
Difference compare(const DecodeResult& reference, const DecodeResult& other);

}  // namespace as2d
