#include "helper/lease.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <future>

using as2d::helper::Lease;
using as2d::helper::LeaseTerm;

namespace {

/// A clock that one thread moves and another reads.
class SteppedClock final : public as2d::Clock {
  public:
    as2d::Nanos now() const override { return now_; }
    void advance(as2d::Nanos span) { now_ += span; }

  private:
    std::atomic<as2d::Nanos> now_{0};
};

}  // namespace

TEST_CASE("a lease that nothing renews ends after its length") {
    LeaseTerm term(100, 1000, std::nullopt);
    CHECK_FALSE(term.ended(1099, std::nullopt));
    CHECK(term.ended(1100, std::nullopt));
}

TEST_CASE("a changed mark renews it, the same mark and a missing file do not") {
    LeaseTerm term(100, 1000, 5);
    CHECK_FALSE(term.ended(1050, 5));
    CHECK_FALSE(term.ended(1090, 6));  // until 1190
    CHECK_FALSE(term.ended(1189, 6));
    CHECK_FALSE(term.ended(1189, std::nullopt));
    CHECK(term.ended(1190, std::nullopt));
}

TEST_CASE("a file that appears renews it") {
    LeaseTerm term(100, 1000, std::nullopt);
    CHECK_FALSE(term.ended(1099, 7));
    CHECK_FALSE(term.ended(1150, 7));
}

TEST_CASE("a renewal that is seen late, after a sleep of the device, still counts") {
    LeaseTerm term(100, 1000, 5);
    CHECK_FALSE(term.ended(5000, 6));
    CHECK(term.ended(5100, 6));
}

TEST_CASE("the thread of a lease tells its end once, and goes quietly before") {
    SteppedClock clock;
    std::promise<void> ended;
    {
        const Lease quiet(1000, "", clock, [] { FAIL("this lease has not ended"); });
        const Lease lease(1, "", clock, [&] { ended.set_value(); });
        clock.advance(1'000'000'000);
        ended.get_future().wait();
    }
}
