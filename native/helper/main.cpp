#include "core/registry.hpp"
#include "engine_mnn/graph.hpp"
#include "helper/server.hpp"
#include "helper/telemetry_event.hpp"
#include "replay/command.hpp"
#include "telemetry/sampling_thread.hpp"

#include <as2d_build.hpp>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

namespace {

using namespace as2d;
using protocol::Json;

constexpr int protocol_version = 3;
constexpr auto telemetry_period = std::chrono::milliseconds(200);
// A thread that hangs inside a model must not keep the process alive for ever.
constexpr auto patience_at_exit = std::chrono::seconds(5);

Json cpu_json() {
    auto features = Json::array();
#if defined(__x86_64__)
    const char* arch = "x86_64";
    if (__builtin_cpu_supports("avx2")) features.push_back("avx2");
    if (__builtin_cpu_supports("fma")) features.push_back("fma");
    if (__builtin_cpu_supports("avx512f")) features.push_back("avx512f");
    if (__builtin_cpu_supports("avx512vnni")) features.push_back("avx512vnni");
#elif defined(__aarch64__)
    const char* arch = "aarch64";
    features.push_back("neon");
#else
    const char* arch = "unknown";
#endif
    return {
        {"arch", arch}, {"features", std::move(features)}, {"cores", std::thread::hardware_concurrency()}};
}

void greet(protocol::EventWriter& writer) {
    writer.post("hello", [](Json& line) {
        line["protocol"] = protocol_version;
        line["build"] = kBuildId;
        line["mnn"] = mnn::mnn_version();
        line["cpu"] = cpu_json();
        auto names = Json::array();
        for (const auto& method : methods())
            names.push_back(method.name);
        line["methods"] = std::move(names);
        line["pid"] = ::getpid();
    });
}

/// Reads lines from standard input until its end or a shutdown.
void read_commands(helper::Server& server) {
    std::string line;
    std::string buffer(1 << 16, '\0');
    for (;;) {
        const auto count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        for (const char letter : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
            if (letter != '\n') {
                // One byte more than allowed stays, so that the line is refused for its length.
                if (line.size() <= protocol::longest_line) line.push_back(letter);
                continue;
            }
            if (!line.empty() && !server.handle(line)) return;
            line.clear();
        }
    }
}

/// Keeps standard output for the protocol: MNN prints there, and its lines go to standard error instead.
int claim_output() {
    const int protocol = ::dup(STDOUT_FILENO);
    if (protocol < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::perror("as2d-helper: standard output can't be set up");
        std::_Exit(3);
    }
    return protocol;
}

int serve() {
    std::signal(SIGPIPE, SIG_IGN);
    const int output = claim_output();
    const helper::BoottimeClock clock;
    // With no reader left there is nobody to work for; the process ends as at the end of its input.
    protocol::EventWriter writer(output, clock, [] { std::_Exit(0); });
    greet(writer);
    {
        helper::Server server(writer, clock);
        {
            const telemetry::SamplingThread sampling(
                telemetry_period,
                [&writer](const telemetry::Sample& sample) { helper::post_sample(writer, sample); });
            read_commands(server);
        }
        std::thread([] {
            std::this_thread::sleep_for(patience_at_exit);
            std::_Exit(0);
        }).detach();
        server.stop();
    }
    writer.finish();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        std::fputs("as2d-helper needs a processor with AVX2 and FMA.\n", stderr);
        return 3;
    }
#endif
    const std::string_view command = argc == 2 ? argv[1] : "";
    if (command == "serve") return serve();
    if (command == "replay") return replay::run(STDIN_FILENO, STDOUT_FILENO);
    if (command == "--version") {
        std::printf("as2d-helper %s, MNN %s, protocol %d\n", kBuildId, mnn::mnn_version().c_str(),
                    protocol_version);
        return 0;
    }
    std::fputs("usage: as2d-helper serve | replay | --version\n", stderr);
    return 2;
}
