#include "protocol/commands.hpp"
#include "protocol/input_error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

using namespace as2d::protocol;

namespace {

std::vector<int> cpus(const std::string& field) {
    const auto command = parse_command(
        R"({"op":"load","id":1,"model":"t","path":"p","role":"target","threads":1,"shared_threads":1,)"
        R"("logit_gap":null,"backend":"cpu")" +
        field + "}");
    return std::get<LoadCommand>(command.body).cpus;
}

}  // namespace

TEST_CASE("the CPUs of a load are a list, null or left out") {
    CHECK(cpus("") == std::vector<int>());
    CHECK(cpus(R"(,"cpus":null)") == std::vector<int>());
    CHECK(cpus(R"(,"cpus":[7,4])") == std::vector<int>{7, 4});
    for (const char* wrong : {"[]", "4", "[-1]", "[1024]", "[0.5]", R"(["1"])"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(cpus(std::string(R"(,"cpus":)") + wrong), InputError);
    }
}
