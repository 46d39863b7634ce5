#include "core/registry.hpp"
#include "engine_mnn/graph.hpp"
#include "helper/hash_files.hpp"
#include "helper/lease.hpp"
#include "helper/process_end.hpp"
#include "helper/serve_options.hpp"
#include "helper/server.hpp"
#include "helper/telemetry_event.hpp"
#include "replay/command.hpp"
#include "telemetry/sampling_thread.hpp"

#include <as2d_build.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#include <unistd.h>

namespace {

using namespace as2d;
using protocol::Json;

constexpr int protocol_version = 3;
constexpr auto telemetry_period = std::chrono::milliseconds(200);
// Events of a job stay on the device until it is collected: a night of them has to fit there.
constexpr auto job_telemetry_period = std::chrono::milliseconds(1000);
constexpr int patience_at_exit = 5;  // seconds
constexpr int fatal = 3;

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
    if ((::getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0) features.push_back("fp16");
    if ((::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0) features.push_back("dotprod");
    if ((::getauxval(AT_HWCAP) & HWCAP_SVE) != 0) features.push_back("sve");
    if ((::getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0) features.push_back("i8mm");
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
        line["backends"] = mnn::backends();
        line["cpu"] = cpu_json();
        auto names = Json::array();
        for (const auto& method : methods())
            names.push_back(method.name);
        line["methods"] = std::move(names);
        line["pid"] = ::getpid();
    });
}

/// Reads lines from standard input until its end or a shutdown.
/// @returns whether it was a shutdown
bool read_commands(helper::Server& server) {
    std::string line;
    std::string buffer(1 << 16, '\0');
    for (;;) {
        const auto count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        for (const char letter : std::string_view(buffer.data(), static_cast<std::size_t>(count))) {
            if (letter != '\n') {
                // One byte more than allowed stays, so that the line is refused for its length.
                if (line.size() <= protocol::longest_line) line.push_back(letter);
                continue;
            }
            if (!line.empty() && !server.handle(line)) return true;
            line.clear();
        }
    }
}

/// Keeps standard output for the protocol: MNN prints there, and its lines go to standard error instead.
int claim_output() {
    const int protocol = ::dup(STDOUT_FILENO);
    if (protocol < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::perror("as2d-helper: standard output can't be set up");
        std::_Exit(fatal);
    }
    return protocol;
}

/// Called where `errno` says why events can't be written.
void end_unheard() {
    // With no reader left there is nobody to work for; the process ends as at the end of its input.
    if (errno == EPIPE) helper::end_process(0);
    std::fprintf(stderr, "as2d-helper: the events could not be written: %s\n", std::strerror(errno));
    helper::end_process(fatal);
}

void end_lease(protocol::EventWriter& writer) {
    writer.post("warning", [](Json& line) {
        line["code"] = "lease_ended";
        line["message"] = "The helper's lease ended before it was renewed; what was not finished is lost.";
    });
    helper::end_process_within(patience_at_exit, 0);
    writer.finish();
    helper::end_process(0);
}

int serve(const helper::ServeOptions& options) {
    std::signal(SIGPIPE, SIG_IGN);
    if (!options.pid_file.empty() && !helper::write_pid_file(options.pid_file)) {
        std::fprintf(stderr, "as2d-helper: the pid file '%s' can't be written: %s\n",
                     options.pid_file.c_str(), std::strerror(errno));
        return fatal;
    }
    const int output = claim_output();
    const helper::BoottimeClock clock;
    protocol::EventWriter writer(output, clock, end_unheard);
    greet(writer);
    std::optional<helper::Lease> lease;
    if (options.lease_seconds > 0) {
        lease.emplace(options.lease_seconds, options.lease_file, clock, [&writer] { end_lease(writer); });
    }
    {
        helper::Server server(writer, clock);
        {
            const telemetry::SamplingThread sampling(
                options.job ? job_telemetry_period : telemetry_period,
                [&writer](const telemetry::Sample& sample) { helper::post_sample(writer, sample); });
            const bool shut_down = read_commands(server);
            if (options.job && !shut_down) server.finish();
        }
        // A thread that hangs inside a model must not keep the process alive for ever.
        helper::end_process_within(patience_at_exit, 0);
        server.stop();
    }
    lease.reset();
    writer.finish();
    helper::remove_pid_file();
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
    const std::string_view command = argc > 1 ? argv[1] : "";
    const std::span<const char* const> words(argv + std::min(argc, 2), argv + argc);
    if (command == "serve") {
        std::string problem;
        const auto options = helper::parse_serve_options(words, problem);
        if (options) return serve(*options);
        std::fprintf(stderr, "as2d-helper: %s\n", problem.c_str());
    }
    if (command == "hash" && !words.empty()) return helper::hash_files(words);
    if (command == "replay" && words.empty()) return replay::run(STDIN_FILENO, STDOUT_FILENO);
    if (command == "--version" && words.empty()) {
        std::printf("as2d-helper %s, MNN %s, protocol %d\n", kBuildId, mnn::mnn_version().c_str(),
                    protocol_version);
        return 0;
    }
    std::fputs(
        "usage: as2d-helper serve [--pid-file FILE] [--job] [--lease-seconds N [--lease-file FILE]]\n"
        "       as2d-helper replay | hash FILE... | --version\n",
        stderr);
    return 2;
}
