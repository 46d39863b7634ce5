#include "telemetry/battery_probe.hpp"

#include "file_tree.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace as2d::telemetry;

namespace {

const std::string supplies = "/sys/class/power_supply";

Sample sample_of(const FileTree& tree) {
    Sample sample;
    BatteryProbe(tree.root()).read(sample);
    return sample;
}

void whole_battery(const FileTree& tree, const char* current) {
    tree.write(supplies + "/battery", {{"type", "Battery"},
                                       {"current_now", current},
                                       {"voltage_now", "4012000"},
                                       {"capacity", "76"},
                                       {"temp", "312"},
                                       {"status", "Discharging"},
                                       {"charge_counter", "3541000"}});
}

}  // namespace

TEST_CASE("a battery is read whole and its current stays as it is") {
    const FileTree tree;
    whole_battery(tree, "-350000");
    tree.write(supplies + "/usb", {{"type", "USB_PD"}, {"online", "0"}});
    const auto sample = sample_of(tree);
    REQUIRE(sample.battery);
    CHECK(sample.battery->current_raw == -350000);
    CHECK(sample.battery->voltage_uv == 4012000);
    CHECK(sample.battery->level == 76);
    CHECK(*sample.battery->temperature_c == doctest::Approx(31.2));
    CHECK(sample.battery->status == "Discharging");
    CHECK(sample.battery->charge_counter_raw == 3541000);
    CHECK(sample.battery->charger == false);
    CHECK(sample.battery->current_source == tree.root() + supplies + "/battery/current_now");
    CHECK(sample.missing.empty());
}

TEST_CASE("no current is no current, and zero is one") {
    const FileTree tree;
    whole_battery(tree, "0");
    CHECK(sample_of(tree).battery->current_raw == 0);
    tree.write(supplies + "/battery", {{"current_now", ""}});
    const auto sample = sample_of(tree);
    CHECK(!sample.battery->current_raw);
    CHECK(!sample.battery->current_source);
    CHECK(sample.missing.at("battery.current_raw").ends_with("battery/current_now: empty"));
}

TEST_CASE("what one folder denies another may give") {
    const FileTree tree;
    whole_battery(tree, "1");
    tree.deny(supplies + "/battery/current_now");
    tree.remove(supplies + "/battery/charge_counter");
    tree.write(supplies + "/bms", {{"type", "BMS"}, {"current_now", "412000"}, {"charge_now", "2900000"}});
    const auto sample = sample_of(tree);
    CHECK(sample.battery->current_raw == 412000);
    CHECK(sample.battery->current_source == tree.root() + supplies + "/bms/current_now");
    CHECK(sample.battery->charge_counter_raw == 2900000);
}

TEST_CASE("a battery under another name is found by its type, that of a mouse is none") {
    const FileTree tree;
    tree.write(supplies + "/hidpp_battery_0",
               {{"type", "Battery"}, {"scope", "Device"}, {"capacity", "5"}, {"current_now", "3"}});
    CHECK(!sample_of(tree).battery);
    CHECK(sample_of(tree).missing.at("battery").find("No such file") != std::string::npos);
    tree.write(supplies + "/max77705-fuel",
               {{"type", "Battery"}, {"capacity", "61"}, {"current_now", "-412"}, {"voltage_now", "3870"}});
    const auto sample = sample_of(tree);
    REQUIRE(sample.battery);
    CHECK(sample.battery->level == 61);
    CHECK(sample.battery->current_raw == -412);
    // Millivolts are told apart from microvolts; no battery has 3.87 mV.
    CHECK(sample.battery->voltage_uv == 3870000);
}

TEST_CASE("a charger is seen by any of its ports") {
    const FileTree tree;
    whole_battery(tree, "-1");
    CHECK(!sample_of(tree).battery->charger);
    CHECK(sample_of(tree).missing.at("battery.charger").find("no charger") != std::string::npos);
    tree.write(supplies + "/usb", {{"type", "USB"}, {"online", "0"}});
    tree.write(supplies + "/main", {{"type", "Main"}, {"online", "1"}});
    CHECK(sample_of(tree).battery->charger == false);
    tree.write(supplies + "/dc", {{"type", "Wireless"}});
    tree.deny(supplies + "/dc/online");
    CHECK(!sample_of(tree).battery->charger);
    CHECK(sample_of(tree).missing.at("battery.charger").ends_with(denied));
    tree.write(supplies + "/ac", {{"type", "Mains"}, {"online", "1"}});
    CHECK(sample_of(tree).battery->charger == true);
}

TEST_CASE("an impossible temperature is told, not passed on") {
    const FileTree tree;
    whole_battery(tree, "-1");
    tree.write(supplies + "/battery", {{"temp", "31200"}});
    const auto sample = sample_of(tree);
    CHECK(!sample.battery->temperature_c);
    CHECK(sample.missing.at("battery.temperature_c").ends_with("battery/temp: 31200 is no temperature"));
}

TEST_CASE("a battery that is denied is one reason, not one for every value") {
    const FileTree tree;
    tree.deny(supplies);
    const auto sample = sample_of(tree);
    CHECK(!sample.battery);
    REQUIRE(sample.missing.size() == 1);
    CHECK(sample.missing.at("battery") == tree.root() + supplies + "/battery/current_now: " + denied);
}

TEST_CASE("a value that goes away later is told then") {
    const FileTree tree;
    whole_battery(tree, "-350000");
    BatteryProbe probe(tree.root());
    tree.write(supplies + "/battery", {{"current_now", "busy"}});
    Sample sample;
    probe.read(sample);
    CHECK(!sample.battery->current_raw);
    CHECK(sample.missing.at("battery.current_raw").ends_with("current_now: not a number"));
}
