#include "protocol/commands.hpp"

#include "protocol/input_error.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace as2d;
using namespace as2d::protocol;

namespace {

const std::vector<std::string> valid_lines = {
    R"({"op":"load","id":1,"model":"t","path":"/models/base","role":"target","threads":2,"shared_threads":1,"logit_gap":null,"backend":"cpu"})",
    R"({"op":"self_test","id":2,"model":"t","audio":"a.wav","language":"en"})",
    R"({"op":"measure_calls","id":3,"model":"t","widths":[1,8],"context":60,"threads":2,"repeats":15})",
    R"({"op":"prepare","id":4,"window":"w1","target":"t","drafter":"d","audio":"a.wav","language":"en","start_condition":"request-start","task":"transcribe"})",
    R"({"op":"append","id":5,"window":"w1","pcm":"AAAA","last":true})",
    R"({"op":"request","id":6,"request":"r1","window":"w1","method":"as2d","budget":4,"admission":"text","task":"transcribe","language":null,"words":true,"audit":false,"producer_done":false})",
    R"({"op":"cancel","id":7,"request":"r1"})",
    R"({"op":"release","id":8,"window":"w1"})",
    R"({"op":"unload","id":9,"model":"t"})",
    R"({"op":"ping","id":10})",
    R"({"op":"shutdown","id":11})",
    R"({"op":"measure_turns","id":12,"target":"t","drafter":"d","widths":[5,1],"step_widths":[2,1],"context":8,"seconds":10,"repeats":3})",
};

std::string refusal(const std::string& line) {
    try {
        parse_command(line);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("every command is read with its fields") {
    std::int64_t id = 0;
    for (const auto& line : valid_lines)
        CHECK(parse_command(line).id == ++id);
    const auto load = std::get<LoadCommand>(parse_command(valid_lines[0]).body);
    CHECK(load.path == "/models/base");
    CHECK(load.threads == 2);
    CHECK_FALSE(load.logit_gap.has_value());
    const auto request = std::get<RequestCommand>(parse_command(valid_lines[5]).body);
    CHECK(request.budget == 4);
    CHECK(request.admission == Admission::text);
    CHECK_FALSE(request.language.has_value());
    CHECK_FALSE(std::get<PrepareCommand>(parse_command(valid_lines[3]).body).beside.has_value());
    CHECK(std::get<MeasureCallsCommand>(parse_command(valid_lines[2]).body).widths == std::vector<int>{1, 8});
}

TEST_CASE("a wrong command is refused in a sentence that names the field") {
    CHECK(refusal("") == "a command must be one JSON object on one line");
    CHECK(refusal("[1]") == "a command must be one JSON object on one line");
    CHECK(refusal(R"({"op":"ping"})") == "a command needs a whole number as 'id'");
    CHECK(refusal(R"({"op":"sing","id":1})") == "the command 'sing' is not known");
    CHECK(refusal(R"({"op":"ping","id":1,"loud":true})") == "the field 'loud' of 'ping' is not known");
    CHECK(refusal(R"({"op":"release","id":1})") == "the field 'window' of 'release' is missing");
    CHECK(
        refusal(
            R"({"op":"prepare","id":4,"window":"w2","target":"t","drafter":null,"audio":null,"language":null,"start_condition":"request-start","task":"transcribe","beside":"r1"})") ==
        "the field 'language' of 'prepare' must be named for a window that is prepared beside a request");
    CHECK(refusal(R"({"op":"release","id":1,"window":7})") ==
          "the field 'window' of 'release' must be a text");
    CHECK(
        refusal(
            R"({"op":"measure_calls","id":3,"model":"t","widths":[99],"context":0,"threads":1,"repeats":1})") ==
        "the field 'widths' of 'measure_calls' is out of range");
    CHECK(
        refusal(
            R"({"op":"measure_calls","id":3,"model":"t","widths":[18446744073709551615],"context":0,"threads":1,"repeats":1})") ==
        "the field 'widths' of 'measure_calls' is out of range");
    CHECK(
        refusal(
            R"({"op":"measure_turns","id":3,"target":"t","drafter":"d","widths":[5,1],"step_widths":[2],"context":8,"seconds":10,"repeats":3})") ==
        "the field 'step_widths' of 'measure_turns' must be as long as 'widths'");
}

TEST_CASE("the id of a broken command is found for its refusal") {
    CHECK(command_id(R"({"op":"sing","id":42})") == 42);
    CHECK_FALSE(command_id("nonsense").has_value());
}

TEST_CASE("damaged lines are refused or read, never anything else") {
    std::mt19937 random(7);
    for (int round = 0; round < 20000; ++round) {
        auto line = valid_lines[random() % valid_lines.size()];
        const auto changes = 1 + random() % 4;
        for (std::size_t change = 0; change < changes && !line.empty(); ++change) {
            const auto place = random() % line.size();
            switch (random() % 4) {
                case 0:
                    line[place] = static_cast<char>(random() % 256);
                    break;
                case 1:
                    line.erase(place, 1 + random() % 8);
                    break;
                case 2:
                    line.insert(place, line.substr(random() % line.size(), random() % 16));
                    break;
                default:
                    line.insert(place, 1, "{}[]\",:0"[random() % 8]);
            }
        }
        const auto id = command_id(line);
        try {
            const auto command = parse_command(line);
            CHECK(command.id == id);
        } catch (const InputError& error) {
            CHECK(std::string(error.what()).size() > 10);
        }
    }
}
