// What a target tells a producer that works beside it to go on from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace as2d {

struct ProducerState;

/// A text to go on from.
struct Assignment {
    static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

    std::string text;                ///< bytes of the answer, real or assumed, with the root at its end
    std::size_t base = 0;            ///< its tokens
    std::size_t limit = kUnlimited;  ///< rest when at least this many target tokens are published
    float stop_below = 0.0F;         ///< rest behind a drafter step that is less sure than this
    std::uint32_t epoch = 0;         ///< of the drafts, given by Assignments
};

/// Holds the newest assignment until the producer takes it at its own step boundary; one that was not taken
/// is replaced. The lock is held for a move, never across a model call.
class Assignments {
  public:
    /// The producer is at work from now on. Returns the epoch of what it will draft, from 1.
    std::uint32_t post(Assignment assignment, ProducerState& state);

    /// The newest assignment, if there is a new one.
    std::optional<Assignment> take();

    /// Says that the producer rests, unless there is a new assignment; true when it rests.
    bool rest(ProducerState& state);

    /// Says that nobody will take anything any more: the producer is about to end.
    void close();

  private:
    std::mutex mutex_;
    std::optional<Assignment> newest_;
    std::uint32_t posted_ = 0;
    bool closed_ = false;
};

}  // namespace as2d
