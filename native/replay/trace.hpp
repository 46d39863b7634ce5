// A recorded window: what its target said, and what its drafter says after every part of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_encoder.hpp"
#include "core/types.hpp"
#include "replay/input.hpp"

namespace as2d::replay {

/// One recorded step of the drafter. Its bytes are Trace::text_of(piece).
struct Piece {
    std::uint32_t begin = 0, end = 0;  ///< bytes of the trace's piece text
    float confidence = 1.0F;           ///< in [0, 1]
    int width = 1;                     ///< tokens run through the drafter, >= 0
    bool end_of_text = false;          ///< only the last piece of a continuation says so
};

/// What the drafter says after the first `after` tokens of the answer.
struct Continuation {
    int after = 0;
    std::uint32_t first = 0, count = 0;  ///< of the trace's pieces
    std::uint32_t text_begin = 0;        ///< bytes of the answer before it
};

/// Immutable once read.
class Trace {
  public:
    /// Reads one line of a trace file; `encoder` knows the target's vocabulary. Throws BadInput, one
    /// sentence.
    Trace(const Json& line, const TextEncoder& encoder);

    const std::string& window() const { return window_; }           ///< the window's name, as JSON text
    int prompt_tokens() const { return prompt_tokens_; }            ///< >= 1
    const std::vector<Token>& tokens() const { return tokens_; }    ///< of the answer, >= 1, its end included
    const std::vector<float>& margins() const { return margins_; }  ///< logits, >= 0, one a token
    Token end_token() const { return end_token_; }
    int token_limit() const { return token_limit_; }  ///< >= tokens().size()
    float logit_gap() const { return logit_gap_; }
    Nanos prefill() const { return prefill_; }   ///< time of the prompt's call
    double seconds() const { return seconds_; }  ///< of the window's audio

    /// Bytes of the answer's first `count` <= tokens().size() tokens.
    std::size_t text_end(std::size_t count) const { return count == 0 ? 0 : token_ends_[count - 1]; }
    /// Where each token of the answer ends in its bytes, ascending.
    std::span<const std::uint32_t> token_ends() const { return token_ends_; }
    const std::string& answer() const { return answer_; }  ///< bytes of the answer

    /// False: the request had no drafter for its language or task; there are no continuations then.
    bool drafted() const { return !continuations_.empty(); }
    /// Ascending in `after`; the first is the drafter's own history (after 0).
    std::span<const Continuation> continuations() const { return continuations_; }
    std::span<const Piece> pieces(const Continuation& continuation) const {
        return std::span(pieces_).subspan(continuation.first, continuation.count);
    }
    std::string_view text_of(const Piece& piece) const {
        return std::string_view(piece_text_).substr(piece.begin, piece.end - piece.begin);
    }

  private:
    void read_answer(const Fields& fields, const TextEncoder& encoder);
    void read_drafts(const Fields& fields);
    void add_continuation(int after, const Json& pieces);
    void add_piece(const Json& piece, bool last);

    std::string window_;
    int prompt_tokens_ = 1;
    std::vector<Token> tokens_;
    std::vector<float> margins_;
    Token end_token_ = kNoToken;
    int token_limit_ = 1;
    float logit_gap_ = 0.0F;
    Nanos prefill_ = 0;
    double seconds_ = 0.0;
    std::string answer_;
    std::vector<std::uint32_t> token_ends_;
    std::string piece_text_;
    std::vector<Piece> pieces_;
    std::vector<Continuation> continuations_;
};

}  // namespace as2d::replay
