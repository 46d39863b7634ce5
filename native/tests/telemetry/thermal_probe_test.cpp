#include "telemetry/thermal_probe.hpp"

#include "file_tree.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace as2d::telemetry;

namespace {

Sample sample_of(const FileTree& tree) {
    Sample sample;
    ThermalProbe(tree.root()).read(sample);
    return sample;
}

void zone(const FileTree& tree, int number, const char* type, const char* temperature) {
    tree.write("/sys/class/thermal/thermal_zone" + std::to_string(number),
               {{"type", type}, {"temp", temperature}});
}

}  // namespace

TEST_CASE("zones come with their names in the order of their numbers") {
    const FileTree tree;
    zone(tree, 10, "battery", "31200");
    zone(tree, 2, "gpuss-0", "45500");
    zone(tree, 0, "cpu-0-0", "52300");
    tree.write("/sys/class/thermal/cooling_device0", {{"type", "cpu-hotplug"}});
    const auto sample = sample_of(tree);
    REQUIRE(sample.thermal.size() == 3);
    CHECK(sample.thermal[0].zone == "cpu-0-0");
    CHECK(sample.thermal[0].celsius == doctest::Approx(52.3));
    CHECK(sample.thermal[1].zone == "gpuss-0");
    CHECK(sample.thermal[2].zone == "battery");
    CHECK(sample.missing.empty());
}

TEST_CASE("what is no temperature is left out and told in one short reason") {
    const FileTree tree;
    zone(tree, 0, "cpu-0-0", "-3400");  // a phone in the cold
    zone(tree, 1, "modem", "0");
    zone(tree, 2, "sdr0", "-274000");
    zone(tree, 3, "soc", "85");
    zone(tree, 4, "vbat", "3900000");
    zone(tree, 5, "wlan", "off");
    const auto sample = sample_of(tree);
    REQUIRE(sample.thermal.size() == 1);
    CHECK(sample.thermal[0].celsius == doctest::Approx(-3.4));
    const auto& why = sample.missing.at("thermal");
    CHECK(why.find("thermal_zone1/temp: 0 is no temperature (modem)") != std::string::npos);
    CHECK(why.find("and 2 more") != std::string::npos);
    CHECK(why.find("wlan") == std::string::npos);
}

TEST_CASE("two zones of one name stay two") {
    const FileTree tree;
    zone(tree, 0, "pa", "40000");
    zone(tree, 1, "pa", "41000");
    tree.write("/sys/class/thermal/thermal_zone2", {{"temp", "42000"}});
    const auto sample = sample_of(tree);
    REQUIRE(sample.thermal.size() == 3);
    CHECK(sample.thermal[1].zone == "pa (thermal_zone1)");
    CHECK(sample.thermal[2].zone == "thermal_zone2");
}

TEST_CASE("a phone that denies its temperatures says so") {
    const FileTree tree;
    CHECK(sample_of(tree).missing.at("thermal") ==
          tree.root() + "/sys/class/thermal: No such file or directory");
    tree.deny("/sys/class/thermal");
    CHECK(sample_of(tree).missing.at("thermal") == tree.root() + "/sys/class/thermal: " + denied);
    tree.remove("/sys/class/thermal");
    tree.write("/sys/class/thermal", {{"uevent", ""}});
    CHECK(sample_of(tree).missing.at("thermal") == tree.root() + "/sys/class/thermal: no thermal_zone");
    zone(tree, 0, "cpu", "1");
    tree.deny("/sys/class/thermal/thermal_zone0/temp");
    CHECK(sample_of(tree).missing.at("thermal") ==
          tree.root() + "/sys/class/thermal/thermal_zone0/temp: " + denied);
}
