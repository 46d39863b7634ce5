#include "helper/server.hpp"
#include "words/words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace as2d::helper {

using namespace protocol;

namespace {

constexpr int samples_a_frame = 320;

}  // namespace

void Server::report_words(const Window& window, const RequestCommand& command, const std::string& language,
                          const DecodeResult& result) {
    auto& model = *window.target;
    const auto prompt = model.rules.prompt(language, command.task);
    auto tokens = prompt;
    tokens.insert(tokens.end(), result.tokens.begin(), result.tokens.end());
    tokens.push_back(model.rules.end);
    std::vector<float> attention;
    {
        const std::lock_guard graphs(graphs_mutex_);
        attention = model.target.network(false).attention(tokens, window.audio);
    }

    AttentionWeights weights;
    weights.values = attention;
    weights.rows = static_cast<int>(tokens.size());
    weights.frames = window.audio.frames;
    weights.heads = static_cast<int>(model.target.manifest().alignment_heads.size());
    weights.audio_frames =
        std::clamp((window.audio.samples + samples_a_frame - 1) / samples_a_frame, 1, window.audio.frames);
    const auto words = timed_words(result.tokens, *model.text, weights, static_cast<int>(prompt.size()));
    writer_.post("words", [request = command.request, name = window.id, words](Json& line) {
        line["request"] = request;
        line["window"] = name;
        auto list = Json::array();
        for (const auto& word : words) {
            list.push_back({{"text", word.text},
                            {"start", word.start},
                            {"end", word.end},
                            {"first_token", word.first_token},
                            {"tokens", word.tokens}});
        }
        line["words"] = std::move(list);
    });
}

}  // namespace as2d::helper
