// The shared draft stream: append-only, one writer, one reader, no lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace as2d {

/// One drafted target token.
struct DraftEntry {
    Token token = kNoToken;
    std::uint32_t text_begin = 0;  ///< bytes of the stream's text that the token covers
    std::uint32_t text_end = 0;    ///< (equal for the end-of-text marker)
    float confidence = 1.0F;       ///< the lowest of the drafter steps it rests on
    std::int32_t step = 0;         ///< drafter step that completed it, from 0
    Nanos published = 0;
    std::uint32_t epoch = 0;  ///< raised when the producer restarts from another text
    std::uint32_t base = 0;   ///< tokens of the answer that the epoch goes on from
};

/// The writer appends entries and their text, then publishes a length. The reader uses only entries
/// below published() and only text below their text_end. Storage is chunked: nothing moves under the
/// reader, and the atomic length is the only thing shared.
class DraftStream {
  public:
    static constexpr std::size_t kChunkEntries = 256;
    static constexpr std::size_t kChunkBytes = 4096;
    static constexpr std::size_t kChunks = 4096;
    static constexpr std::size_t kMaxEntries = kChunkEntries * kChunks;  // 1,048,576
    static constexpr std::size_t kMaxBytes = kChunkBytes * kChunks;      // 16 MiB

    DraftStream();
    ~DraftStream();
    DraftStream(const DraftStream&) = delete;
    DraftStream& operator=(const DraftStream&) = delete;

    // --- writer ---
    /// Appends one token with its bytes; invisible until publish(). The text span and the epoch are
    /// set here. Returns false, and appends nothing, when the stream is full.
    bool append(const DraftEntry& entry, std::string_view text);
    /// Entries appended so far, published or not.
    std::size_t appended() const { return appended_; }
    /// Makes everything appended visible; stamps the newly visible entries with `now`.
    void publish(Nanos now);
    /// Entries appended from now on belong to `epoch`, higher than any before, which goes on from the
    /// answer's first `base` tokens.
    void begin_epoch(std::uint32_t epoch, std::size_t base);
    std::uint32_t epoch() const { return epoch_; }
    /// Says that nothing more will come in this epoch: its end of text or its limit is reached.
    void mark_rest() { rested_.store(epoch_, std::memory_order_release); }

    // --- reader (and writer) ---
    /// Entries that may be read.
    std::size_t published() const { return published_.load(std::memory_order_acquire); }
    /// Entry i < published().
    const DraftEntry& operator[](std::size_t i) const {
        return entries_[i / kChunkEntries]->at(i % kChunkEntries);
    }
    /// A copy of the bytes [begin, end), end <= text_end of a published entry.
    std::string text(std::size_t begin, std::size_t end) const;
    /// Byte `i` of the text, i < text_end of a published entry.
    char byte(std::size_t i) const { return bytes_[i / kChunkBytes]->at(i % kChunkBytes); }
    /// True once nothing more will come in `epoch`. Read published() after it.
    bool rested(std::uint32_t epoch = 0) const { return rested_.load(std::memory_order_acquire) == epoch; }

  private:
    using EntryChunk = std::array<DraftEntry, kChunkEntries>;
    using ByteChunk = std::array<char, kChunkBytes>;

    std::unique_ptr<std::unique_ptr<EntryChunk>[]> entries_;
    std::unique_ptr<std::unique_ptr<ByteChunk>[]> bytes_;
    std::size_t appended_ = 0;
    std::size_t text_size_ = 0;
    std::uint32_t epoch_ = 0;
    std::uint32_t base_ = 0;
    std::atomic<std::size_t> published_{0};
    std::atomic<std::int64_t> rested_{-1};  // the last epoch that came to rest
};

}  // namespace as2d
