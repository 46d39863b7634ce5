#include "helper/process_end.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <unistd.h>

namespace as2d::helper {

namespace {

constexpr std::array<int, 3> ending_signals = {SIGTERM, SIGINT, SIGHUP};

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

/// Lets the signals that end a process wait while it lives.
class LateSignals {
  public:
    LateSignals() {
        sigset_t late;
        ::sigemptyset(&late);
        for (const int number : ending_signals)
            ::sigaddset(&late, number);
        ::pthread_sigmask(SIG_BLOCK, &late, &before_);
    }
    ~LateSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    LateSignals(const LateSignals&) = delete;
    LateSignals& operator=(const LateSignals&) = delete;

  private:
    sigset_t before_{};
};

bool write_own_pid(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "we");
    if (file == nullptr) return false;
    const bool printed = std::fprintf(file, "%d\n", static_cast<int>(::getpid())) > 0;
    return std::fclose(file) == 0 && printed;
}

}  // namespace

bool write_pid_file(const std::string& path) {
    const std::string unfinished = path + ".new";
    const LateSignals late;
    file_name = path;
    for (const int number : ending_signals)
        remove_at(number);
    if (!write_own_pid(unfinished) || std::rename(unfinished.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        ::unlink(unfinished.c_str());
        errno = reason;
        return false;
    }
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
