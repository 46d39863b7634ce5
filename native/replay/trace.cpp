#include "replay/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace as2d::replay {
namespace {

constexpr int kVersion = 1;
constexpr int kMostTokens = 4096;
constexpr std::size_t kMostPieces = 4096;  // of one continuation
constexpr std::size_t kMostPieceBytes = 4096;
constexpr double kMostMs = 1e5;
constexpr double kNsPerMs = 1e6;
constexpr double kMostSeconds = 1e9;  // of a recording
constexpr std::array<std::string_view, 4> kStops{"end_of_text", "length_limit", "repetition", "no_speech"};

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// {"hex": "e4b8"}: bytes that are not whole UTF-8.
bool append_hex(const Json& value, std::string& out) {
    if (!value.is_object() || value.size() != 1 || !value.contains("hex") || !value["hex"].is_string()) {
        return false;
    }
    const std::string& digits = value["hex"].get_ref<const std::string&>();
    if (digits.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const int high = hex_digit(digits[i]);
        const int low = hex_digit(digits[i + 1]);
        if (high < 0 || low < 0) return false;
        out.push_back(static_cast<char>(high * 16 + low));
    }
    return true;
}

}  // namespace

Trace::Trace(const Json& line, const TextEncoder& encoder) {
    const Fields fields(line, "trace");
    const int version = fields.integer("trace", 1, 1 << 30);
    if (version != kVersion) {
        fields.fail("trace", "is version " + std::to_string(version) + ", and only 1 can be replayed");
    }
    window_ = Json(fields.text("window")).dump();
    prompt_tokens_ = fields.integer("prompt_tokens", 1, kMostTokens);
    logit_gap_ = static_cast<float>(fields.number("logit_gap", 0.0, 1e6));
    prefill_ = std::llround(fields.number("prefill_ms", 0.0, kMostMs) * kNsPerMs);
    seconds_ = fields.number("end_s", 0.0, kMostSeconds) - fields.number("start_s", 0.0, kMostSeconds);
    read_answer(fields, encoder);
    read_drafts(fields);
}

void Trace::read_answer(const Fields& fields, const TextEncoder& encoder) {
    constexpr int kMostId = std::numeric_limits<Token>::max();
    end_token_ = fields.integer("end_token", 0, kMostId);
    token_limit_ = fields.integer("token_limit", 1, kMostTokens);
    const Json& tokens = fields.list("tokens", static_cast<std::size_t>(token_limit_));
    if (tokens.empty()) fields.fail("tokens", "must not be empty");
    for (const Json& value : tokens) {
        std::int64_t token = 0;
        if (!read_integer(value, 0, kMostId, token)) fields.fail("tokens", "must hold token ids");
        if (!tokens_.empty() && tokens_.back() == end_token_) {
            fields.fail("tokens", "goes on behind its end token");
        }
        tokens_.push_back(static_cast<Token>(token));
        answer_ += encoder.bytes(tokens_.back());
        token_ends_.push_back(static_cast<std::uint32_t>(answer_.size()));
    }
    const Json& margins = fields.list("margins", tokens_.size());
    if (margins.size() != tokens_.size()) fields.fail("margins", "must have one entry for each token");
    for (const Json& value : margins) {
        double margin = 0.0;
        // JSON has no infinity: the margin of a row in which only one token may win is null.
        if (value.is_null()) {
            margin = std::numeric_limits<double>::infinity();
        } else if (!read_number(value, 0.0, 1e9, margin)) {
            fields.fail("margins", "must hold numbers from 0 on");
        }
        margins_.push_back(static_cast<float>(margin));
    }
    const std::string& stop = fields.text("stop");
    if (std::ranges::find(kStops, stop) == kStops.end()) {
        fields.fail("stop", "must be end_of_text, length_limit, repetition or no_speech");
    }
    if (stop == "end_of_text" && tokens_.back() != end_token_) {
        fields.fail("tokens", "must end with the end token");
    }
}

void Trace::read_drafts(const Fields& fields) {
    const Json& own = fields.list("own", kMostPieces);
    const Json& continuations = fields.list("continuations", tokens_.size());
    if (own.empty()) {
        if (!continuations.empty()) fields.fail("continuations", "needs what the drafter says on its 'own'");
        return;
    }
    add_continuation(0, own);
    for (const Json& entry : continuations) {
        const Fields continuation(entry, "trace's continuations");
        const int after = continuation.integer("after", 1, static_cast<int>(tokens_.size()));
        add_continuation(after, continuation.list("pieces", kMostPieces));
    }
    std::ranges::sort(continuations_, {}, &Continuation::after);
    const auto twice = std::ranges::adjacent_find(continuations_, {}, &Continuation::after);
    if (twice != continuations_.end()) {
        fields.fail("continuations", "has the place " + std::to_string(twice->after) + " twice");
    }
}

void Trace::add_continuation(int after, const Json& pieces) {
    const auto first = static_cast<std::uint32_t>(pieces_.size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
        add_piece(pieces[i], i + 1 == pieces.size());
    continuations_.push_back({after, first, static_cast<std::uint32_t>(pieces.size()),
                              static_cast<std::uint32_t>(text_end(static_cast<std::size_t>(after)))});
}

void Trace::add_piece(const Json& piece, bool last) {
    std::int64_t width = 0;
    double confidence = 0.0;
    if (!piece.is_array() || piece.size() != 4 || !read_number(piece[1], 0.0, 1.0, confidence) ||
        !read_integer(piece[2], 0, kMostTokens, width) || !piece[3].is_boolean()) {
        throw BadInput(
            "A draft piece of the trace must be [text, confidence from 0 to 1, width, end of "
            "text].");
    }
    const std::size_t begin = piece_text_.size();
    if (piece[0].is_string()) {
        piece_text_ += piece[0].get_ref<const std::string&>();
    } else if (!append_hex(piece[0], piece_text_)) {
        throw BadInput(
            "The text of a draft piece of the trace must be a text or {\"hex\": lower-case digits}.");
    }
    if (piece_text_.size() - begin > kMostPieceBytes) {
        throw BadInput("The text of a draft piece of the trace is longer than 4096 bytes.");
    }
    const bool end_of_text = piece[3].get<bool>();
    if (end_of_text && !last) throw BadInput("The trace has draft pieces behind an end of text.");
    pieces_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(piece_text_.size()),
                       static_cast<float>(confidence), static_cast<int>(width), end_of_text});
}

}  // namespace as2d::replay
