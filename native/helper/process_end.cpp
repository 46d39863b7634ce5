#include "helper/process_end.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <unistd.h>

namespace as2d::helper {

namespace {

std::string file_name;  // fixed before `file_written` is set
std::atomic<bool> file_written{false};

extern "C" void on_signal(int number) {
    remove_pid_file();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

void remove_at(int number) {
    struct sigaction action = {};
    // Whoever runs it with nohup wants it to go on.
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
        std::signal(number, on_signal);
    }
}

}  // namespace

bool write_pid_file(const std::string& path) {
    const std::string unfinished = path + ".new";
    std::FILE* file = std::fopen(unfinished.c_str(), "we");
    if (file == nullptr) return false;
    const bool printed = std::fprintf(file, "%d\n", static_cast<int>(::getpid())) > 0;
    if (std::fclose(file) != 0 || !printed) return false;
    file_name = path;
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        remove_at(number);
    if (std::rename(unfinished.c_str(), path.c_str()) != 0) return false;
    file_written = true;
    return true;
}

void remove_pid_file() noexcept {
    if (file_written.exchange(false)) ::unlink(file_name.c_str());
}

void end_process(int code) noexcept {
    remove_pid_file();
    std::_Exit(code);
}

void end_process_within(int seconds, int code) {
    std::thread([seconds, code] {
        std::this_thread::sleep_for(std::chrono::seconds(seconds));
        end_process(code);
    }).detach();
}

}  // namespace as2d::helper
