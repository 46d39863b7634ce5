// Reads texts, answers tokens: the partner of the Python tests. A request is a line "COMMAND HEX", the text
// as hexadecimal bytes; the answer is one line. Usage: as2d-tokenize TOKENIZER_JSON
#include <charconv>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/tokenizer_json.hpp"

namespace {

std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        int value = 0;
        std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
        bytes.push_back(static_cast<char>(value));
    }
    return bytes;
}

void print(const std::vector<as2d::Token>& tokens) {
    for (const as2d::Token token : tokens)
        std::cout << token << ' ';
    std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    if (arguments.size() != 2) {
        std::cerr << "usage: as2d-tokenize TOKENIZER_JSON\n";
        return 2;
    }
    try {
        const auto tokenizer = as2d::load_tokenizer(arguments[1]);
        const as2d::ByteLevelBpe& bpe = *tokenizer;
        std::string line;
        while (std::getline(std::cin, line)) {
            const std::size_t space = line.find(' ');
            const std::string command = line.substr(0, space);
            const std::string text = space == std::string::npos ? "" : from_hex(line.substr(space + 1));
            if (command == "encode") {
                print(bpe.encode(text));
            } else if (command == "stable") {
                std::cout << bpe.stable_prefix(text) << '\n';
            } else if (command == "round") {
                std::cout << (bpe.decode(bpe.encode(text)) == text) << '\n';
            } else {
                throw std::invalid_argument("unknown command " + command);
            }
            std::cout.flush();
        }
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
