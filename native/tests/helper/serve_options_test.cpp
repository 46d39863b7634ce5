#include "helper/serve_options.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

using as2d::helper::parse_serve_options;

namespace {

auto parse(std::initializer_list<const char*> words, std::string& problem) {
    const std::vector<const char*> list(words);
    return parse_serve_options(list, problem);
}

}  // namespace

TEST_CASE("without options serve is attached, without a lease and without a pid file") {
    std::string problem;
    const auto options = parse({}, problem);
    REQUIRE(options);
    CHECK_FALSE(options->job);
    CHECK(options->lease_seconds == 0);
    CHECK(options->pid_file.empty());
}

TEST_CASE("all options of a detached job") {
    std::string problem;
    const auto options =
        parse({"--job", "--pid-file", "a b", "--lease-seconds", "90", "--lease-file", "lease"}, problem);
    REQUIRE(options);
    CHECK(options->job);
    CHECK(options->pid_file == "a b");
    CHECK(options->lease_seconds == 90);
    CHECK(options->lease_file == "lease");
}

TEST_CASE("what is wrong is said") {
    std::string problem;
    CHECK_FALSE(parse({"--jobs"}, problem));
    CHECK(problem == "'--jobs' is not an option of serve");
    CHECK_FALSE(parse({"--pid-file"}, problem));
    CHECK(problem == "--pid-file needs a value");
    for (const char* seconds : {"0", "-1", "1.5", "3s", "", "99999999999"}) {
        CAPTURE(seconds);
        CHECK_FALSE(parse({"--lease-seconds", seconds}, problem));
    }
    CHECK_FALSE(parse({"--lease-file", "f"}, problem));
    CHECK(problem == "--lease-file needs --lease-seconds");
}
