#include "core/draft_stream.hpp"

#include <algorithm>

namespace as2d {

DraftStream::DraftStream()
    : entries_(std::make_unique<std::unique_ptr<EntryChunk>[]>(kChunks)),
      bytes_(std::make_unique<std::unique_ptr<ByteChunk>[]>(kChunks)) {}

DraftStream::~DraftStream() = default;

bool DraftStream::append(const DraftEntry& entry, std::string_view text) {
    if (appended_ == kMaxEntries || text.size() > kMaxBytes - text_size_) return false;
    const std::size_t end = text_size_ + text.size();
    for (std::size_t at = text_size_; at < end;) {
        auto& chunk = bytes_[at / kChunkBytes];
        if (!chunk) chunk = std::make_unique<ByteChunk>();
        const std::size_t offset = at % kChunkBytes;
        const std::size_t count = std::min(end - at, kChunkBytes - offset);
        std::copy_n(text.data() + (at - text_size_), count, chunk->data() + offset);
        at += count;
    }
    auto& chunk = entries_[appended_ / kChunkEntries];
    if (!chunk) chunk = std::make_unique<EntryChunk>();
    DraftEntry& stored = chunk->at(appended_ % kChunkEntries);
    stored = entry;
    stored.text_begin = static_cast<std::uint32_t>(text_size_);
    stored.text_end = static_cast<std::uint32_t>(end);
    stored.epoch = epoch_;
    stored.base = base_;
    text_size_ = end;
    ++appended_;
    return true;
}

void DraftStream::begin_epoch(std::uint32_t epoch, std::size_t base) {
    epoch_ = epoch;
    base_ = static_cast<std::uint32_t>(base);
}

void DraftStream::publish(Nanos now) {
    const std::size_t before = published_.load(std::memory_order_relaxed);
    for (std::size_t i = before; i < appended_; ++i) {
        entries_[i / kChunkEntries]->at(i % kChunkEntries).published = now;
    }
    published_.store(appended_, std::memory_order_release);
}

std::string DraftStream::text(std::size_t begin, std::size_t end) const {
    std::string copy;
    copy.reserve(end - begin);
    for (std::size_t at = begin; at < end;) {
        const std::size_t offset = at % kChunkBytes;
        const std::size_t count = std::min(end - at, kChunkBytes - offset);
        copy.append(bytes_[at / kChunkBytes]->data() + offset, count);
        at += count;
    }
    return copy;
}

}  // namespace as2d
