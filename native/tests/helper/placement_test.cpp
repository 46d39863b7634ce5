// Which CPUs the threads of MNN's pool, the target's and the producer's really get, as the system says.
#include "helper/placement.hpp"

#include "engine_mnn/placement.hpp"
#include "helper/thread_cpus.hpp"
#include "helper/worker.hpp"

#include <doctest/doctest.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

using namespace as2d;
using namespace as2d::helper;

namespace {

constexpr int threads = 3;
const auto nothing = [] {};

/// CPU sets of the workers of the common pool.
std::set<std::vector<int>> pool_cpus() {
    std::mutex mutex;
    std::set<std::vector<int>> seen;
    mnn::on_common_pool(threads, [&] {
        const auto cpus = cpus_of_thread();
        const std::lock_guard lock(mutex);
        seen.insert(cpus);
    });
    return seen;
}

struct Rig {
    OnCpus keep{{}};  // this thread plays the target's
    std::vector<int> all = cpus_of_thread();
    std::vector<int> first{all.front()};
    std::vector<int> last{all.back()};
    Worker producer;
    Placement placement{producer.thread_id()};
};

}  // namespace

TEST_CASE("a target's thread and pool run on its CPUs, and on all again when the next one names none") {
    Rig rig;
    const auto placed = rig.placement.target(rig.last, threads, nothing);
    CHECK(placed.cpus == rig.last);
    CHECK_FALSE(placed.warning);
    CHECK(cpus_of_thread() == rig.last);
    CHECK(pool_cpus() == std::set{rig.last});
    CHECK(rig.placement.target({}, threads, nothing).cpus == rig.all);
    CHECK(cpus_of_thread() == rig.all);
    CHECK(pool_cpus() == std::set{rig.all});
}

TEST_CASE("the producer's thread goes to the drafter's CPUs, the target's thread stays") {
    Rig rig;
    rig.placement.target(rig.first, threads, nothing);
    const auto placed = rig.placement.drafter(rig.last, 1, [&] { bind_thread(0, rig.last); });
    CHECK(placed.cpus == rig.last);
    CHECK_FALSE(placed.warning);
    CHECK(cpus_of_thread(rig.producer.thread_id()) == rig.last);
    CHECK(cpus_of_thread() == rig.first);
    CHECK(pool_cpus() == std::set{rig.first});
}

TEST_CASE("CPUs that are not there are told, and the threads stay where they can run") {
    Rig rig;
    const std::vector<int> absent{1023};
    const auto target = rig.placement.target(absent, threads, nothing);
    REQUIRE(target.warning);
    CHECK(target.warning->find("were to run on the CPUs 1023") != std::string::npos);
    CHECK(target.cpus == rig.all);
    const auto drafter = rig.placement.drafter(absent, 1, nothing);
    CHECK(drafter.warning);
    CHECK(drafter.cpus == rig.all);
}

TEST_CASE("a drafter's second thread has CPUs of its own only where MNN gives it a pool") {
    Rig rig;
    rig.placement.target(rig.first, threads, nothing);
    const auto placed = rig.placement.drafter(rig.last, 2, nothing);
    const bool apart = rig.first == rig.last || mnn::has_own_pool(rig.last);
    CHECK(placed.warning.has_value() != apart);
    CHECK(placed.cpus == (apart ? rig.last : std::vector{rig.first[0], rig.last[0]}));
}

TEST_CASE("a target that can't be loaded leaves the threads where they were") {
    Rig rig;
    CHECK_THROWS_AS(rig.placement.target(rig.last, threads, [] { throw std::runtime_error("no"); }),
                    std::runtime_error);
    CHECK(cpus_of_thread() == rig.all);
}
