// Finds the place in the draft stream that corresponds to the root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/draft_stream.hpp"
#include "core/edit_search.hpp"
#include "core/method.hpp"
#include "core/text_encoder.hpp"
#include "core/types.hpp"

namespace as2d {

struct Alignment {
    /// Stream index behind the root, <= the published length asked about: the first candidate. Empty: no
    /// match.
    std::optional<std::size_t> next;
    bool fast = false;  ///< the cursor matched, nothing was searched
    int distance = 0;   ///< edits between the committed tail and the draft, bytes of normalised text
};

/// What alignment weighs; chosen on development recordings.
struct AlignerTuning {
    int tail = 20;              ///< most committed bytes compared, <= 64
    int window_back = 64;       ///< boundaries looked at before the expected one ...
    int window_ahead = 128;     ///< ... and behind it
    int window_bytes = 2048;    ///< and no further than this, before and behind
    int edit_cost = 8;          ///< of one edit
    int step_cost = 3;          ///< of one boundary away from the expected one, ahead ...
    int step_back_cost = 4;     ///< ... or back
    int step_cost_most = 160;   ///< distance costs no more than this
    int same_token_bonus = 12;  ///< the boundary's own token is the root
    int near = 8;               ///< bytes just before the root's end that must match better ...
    int most_near_edits = 3;    ///< ... than this for candidates to be worth their price
    float most_edits = 0.5F;    ///< of the compared bytes; above it nothing matches
};

/// The last committed bytes, letters folded and spaces dropped, are compared with the draft's text around
/// the expected place: Myers' bit-parallel approximate search (J. ACM 46(3), 1999), at token boundaries of
/// the draft only, with a price for distance from the expected boundary, so that the nearest repetition
/// wins. While the tokens committed since the last call are the draft's own, nothing is searched. When the
/// producer has restarted, only its newest epoch counts, which goes on from a text of the answer. Reads the
/// published part of the stream only; one per decode.
class Aligner {
  public:
    Aligner(const TextEncoder& encoder, const DraftStream& stream, Admission admission,
            const AlignerTuning& tuning = {});

    /// Places the root (the last of `committed`, which only grows from call to call and is not empty)
    /// among the first `published` entries, 0 < published <= stream.published(), growing too.
    Alignment align(std::span<const Token> committed, std::size_t published);

  private:
    void enter_epoch(std::span<const Token> committed, std::size_t published);
    bool follow(std::span<const Token> committed, std::size_t published);
    void read_committed(std::span<const Token> committed);
    void read_draft(std::size_t entries);
    std::size_t draft_end(std::size_t boundary) const {
        return boundary == epoch_begin_ ? lead_ : ends_[boundary - epoch_begin_ - 1];
    }
    bool is_root(std::size_t boundary, Token root) const {
        return boundary > epoch_begin_ && stream_[boundary - 1].token == root;
    }
    Alignment search(Token root, std::size_t expected, std::size_t published);
    int near_edits(std::size_t boundary);

    const TextEncoder& encoder_;
    const DraftStream& stream_;
    Admission admission_;
    AlignerTuning tuning_;
    std::size_t cursor_ = 0;            // stream index that corresponds ...
    std::size_t anchor_ = 0;            // ... to this index of the answer,
    bool admitted_ = true;              // and what follows it may be offered
    std::vector<std::uint8_t> answer_;  // normalised bytes of the answer read so far
    std::size_t answer_tokens_ = 0;
    std::uint32_t epoch_ = 0;
    std::size_t epoch_begin_ = 0;      // its first entry
    std::size_t lead_ = 0;             // bytes of draft_ that are the answer's, before the epoch's own
    std::vector<std::uint8_t> draft_;  // normalised bytes of the draft read so far
    std::vector<std::uint32_t> ends_;  // where each entry of the epoch ends in draft_
    EditSearch edits_;
};

}  // namespace as2d
