#include "replay/command.hpp"

#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>

#include <unistd.h>

#include "replay/session.hpp"

namespace as2d::replay {
namespace {

bool write_all(int output, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(output, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Cuts input into lines; a last one without its end counts.
class Lines {
  public:
    explicit Lines(int input) : input_(input), buffer_(1 << 18, '\0') {}

    /// The next line, or one byte more than allowed of it; false at the end of the input.
    bool next(std::string& line) {
        line.clear();
        for (;;) {
            const auto end = rest_.find('\n');
            const std::string_view part = rest_.substr(0, end);
            line.append(part.substr(0, Session::kLongestLine + 1 - line.size()));
            if (end != std::string_view::npos) {
                rest_.remove_prefix(end + 1);
                return true;
            }
            if (!read()) return !line.empty();
        }
    }

  private:
    bool read() {
        for (;;) {
            const auto count = ::read(input_, buffer_.data(), buffer_.size());
            if (count < 0 && errno == EINTR) continue;
            rest_ = std::string_view(buffer_).substr(0, count > 0 ? static_cast<std::size_t>(count) : 0);
            return count > 0;
        }
    }

    int input_;
    std::string buffer_;
    std::string_view rest_;
};

}  // namespace

int run(int input, int output) {
    std::signal(SIGPIPE, SIG_IGN);
    Session session([output](std::string_view text) { return write_all(output, text); });
    Lines lines(input);
    std::string line;
    for (int number = 1; lines.next(line); ++number) {
        if (line.empty()) continue;
        try {
            if (!session.handle(line)) return 0;
        } catch (const BadInput& error) {
            const Json answer{{"kind", "error"},
                              {"message", "Line " + std::to_string(number) + ": " + error.what()}};
            write_all(output, answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
            return 2;
        }
    }
    return 0;
}

}  // namespace as2d::replay
