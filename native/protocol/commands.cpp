#include "protocol/commands.hpp"

#include "protocol/input_error.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <limits>
#include <map>
#include <set>

namespace as2d::protocol {

namespace {

using nlohmann::json;

constexpr std::size_t longest_name = 4096;

/// Reads fields of one command and remembers them, so that what was not asked for is refused.
class Fields {
  public:
    explicit Fields(const json& object) : object_(object) { seen_ = {"op", "id"}; }

    std::string text(const std::string& key) {
        const auto& value = required(key);
        if (!value.is_string()) fail(key, "must be a text");
        auto out = value.get<std::string>();
        if (out.size() > longest_name && key != "pcm") fail(key, "is too long");
        return out;
    }

    std::optional<std::string> optional_text(const std::string& key) {
        const auto found = object_.find(key);
        if (found == object_.end() || found->is_null()) {
            seen_.insert(key);
            return std::nullopt;
        }
        return text(key);
    }

    int integer(const std::string& key, int smallest, int largest) {
        const auto& value = required(key);
        if (!value.is_number_integer()) fail(key, "must be a whole number");
        return checked(key, value, smallest, largest);
    }

    bool flag(const std::string& key) {
        const auto& value = required(key);
        if (!value.is_boolean()) fail(key, "must be true or false");
        return value.get<bool>();
    }

    /// False when it is left out.
    bool optional_flag(const std::string& key) {
        seen_.insert(key);
        return object_.contains(key) && flag(key);
    }

    /// A number from 0 to `largest`.
    std::optional<float> optional_number(const std::string& key, float largest) {
        seen_.insert(key);
        const auto found = object_.find(key);
        if (found == object_.end() || found->is_null()) return std::nullopt;
        if (!found->is_number()) fail(key, "must be a number");
        const auto value = found->get<float>();
        if (!(value >= 0.0F && value <= largest)) fail(key, "is out of range");
        return value;
    }

    float number(const std::string& key, float smallest, float largest) {
        const auto& value = required(key);
        if (!value.is_number()) fail(key, "must be a number");
        const auto found = value.get<float>();
        if (!(found >= smallest && found <= largest)) fail(key, "is out of range");
        return found;
    }

    std::optional<int> optional_integer(const std::string& key, int smallest, int largest) {
        const auto found = object_.find(key);
        if (found != object_.end() && !found->is_null()) return integer(key, smallest, largest);
        seen_.insert(key);
        return std::nullopt;
    }

    /// A list of whole numbers; empty when it is null or left out.
    std::vector<int> optional_integers(const std::string& key, int smallest, int largest) {
        const auto found = object_.find(key);
        if (found != object_.end() && !found->is_null()) return integers(key, smallest, largest);
        seen_.insert(key);
        return {};
    }

    std::vector<int> integers(const std::string& key, int smallest, int largest) {
        const auto& values = required(key);
        if (!values.is_array() || values.empty() || values.size() > 64)
            fail(key, "must be a short list of numbers");
        std::vector<int> out;
        for (const auto& value : values) {
            if (!value.is_number_integer()) fail(key, "must hold whole numbers");
            out.push_back(checked(key, value, smallest, largest));
        }
        return out;
    }

    template <typename Value>
    Value choice(const std::string& key, const std::map<std::string, Value>& names) {
        const auto found = names.find(text(key));
        if (found != names.end()) return found->second;
        std::string known;
        for (const auto& [name, value] : names)
            known += (known.empty() ? "" : ", ") + name;
        fail(key, "must be one of: " + known);
    }

    void finish() const {
        for (const auto& [key, value] : object_.items()) {
            if (!seen_.contains(key)) fail(key, "is not known");
        }
    }

    [[noreturn]] void fail(const std::string& key, const std::string& what) const {
        throw InputError("the field '" + key + "' of '" + object_.at("op").get<std::string>() + "' " + what);
    }

  private:
    const json& required(const std::string& key) {
        seen_.insert(key);
        const auto found = object_.find(key);
        if (found == object_.end()) fail(key, "is missing");
        return *found;
    }

    int checked(const std::string& key, const json& value, int smallest, int largest) const {
        // An unsigned value beyond int64 would wrap to a negative number.
        if (value.is_number_unsigned() &&
            value.get<std::uint64_t>() >
                static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
            fail(key, "is out of range");
        }
        const auto number = value.get<std::int64_t>();
        if (number < smallest || number > largest) fail(key, "is out of range");
        return static_cast<int>(number);
    }

    const json& object_;
    std::set<std::string> seen_;
};

const std::map<std::string, Role> roles = {{"target", Role::target}, {"drafter", Role::drafter}};
const std::map<std::string, StartCondition> start_conditions = {
    {"request-start", StartCondition::request_start}, {"pre-drafted", StartCondition::pre_drafted}};
const std::map<std::string, Admission> admissions = {{"root", Admission::root}, {"text", Admission::text}};

constexpr int most_threads = 64;
constexpr int widest = 32;
constexpr int largest_cpu = 1023;

Body load(Fields& f) {
    LoadCommand c;
    c.model = f.text("model");
    c.path = f.text("path");
    c.role = f.choice("role", roles);
    c.threads = f.integer("threads", 1, most_threads);
    c.shared_threads = f.integer("shared_threads", 1, most_threads);
    c.logit_gap = f.optional_number("logit_gap", 1e6F);
    c.backend = f.text("backend");
    c.cpus = f.optional_integers("cpus", 0, largest_cpu);
    return c;
}

Body self_test(Fields& f) {
    SelfTestCommand c;
    c.model = f.text("model");
    c.audio = f.text("audio");
    c.language = f.text("language");
    return c;
}

template <typename MeasureWidths>
Body measure_widths(Fields& f) {
    MeasureWidths c;
    c.model = f.text("model");
    c.widths = f.integers("widths", 1, widest);
    c.context = f.integer("context", 0, 400);
    c.threads = f.integer("threads", 1, most_threads);
    c.repeats = f.integer("repeats", 1, 1000);
    return c;
}

Body measure_drafter(Fields& f) {
    auto body = measure_widths<MeasureDrafterCommand>(f);
    std::get<MeasureDrafterCommand>(body).seconds = f.number("seconds", 0.1F, 30.0F);
    return body;
}

Body measure_encoder(Fields& f) {
    MeasureEncoderCommand c;
    c.model = f.text("model");
    c.seconds = f.number("seconds", 0.1F, 30.0F);
    c.threads = f.integer("threads", 1, most_threads);
    c.repeats = f.integer("repeats", 1, 1000);
    return c;
}

Body measure_interference(Fields& f) {
    MeasureInterferenceCommand c;
    c.target = f.text("target");
    c.drafter = f.text("drafter");
    c.k = f.integer("k", 1, widest);
    c.context = f.integer("context", 0, 400);
    c.repeats = f.integer("repeats", 1, 1000);
    return c;
}

Body measure_turns(Fields& f) {
    MeasureTurnsCommand c;
    c.target = f.text("target");
    c.drafter = f.text("drafter");
    c.widths = f.integers("widths", 1, widest);
    c.step_widths = f.integers("step_widths", 1, widest);
    if (c.step_widths.size() != c.widths.size()) f.fail("step_widths", "must be as long as 'widths'");
    c.context = f.integer("context", 0, 400);
    c.seconds = f.number("seconds", 0.1F, 30.0F);
    c.repeats = f.integer("repeats", 1, 1000);
    return c;
}

Body trace(Fields& f) {
    TraceCommand c;
    c.window = f.text("window");
    c.language = f.optional_text("language");
    c.task = f.text("task");
    return c;
}

Body prepare(Fields& f) {
    PrepareCommand c;
    c.window = f.text("window");
    c.target = f.text("target");
    c.drafter = f.optional_text("drafter");
    c.audio = f.optional_text("audio");
    c.language = f.optional_text("language");
    c.start_condition = f.choice("start_condition", start_conditions);
    c.task = f.text("task");
    c.beside = f.optional_text("beside");
    c.drafted = f.optional_flag("drafted");
    if (c.beside && !c.language)
        f.fail("language", "must be named for a window that is prepared beside a request");
    return c;
}

Body append(Fields& f) {
    AppendCommand c;
    c.window = f.text("window");
    c.pcm = f.text("pcm");
    c.last = f.flag("last");
    return c;
}

Body request(Fields& f) {
    RequestCommand c;
    c.request = f.text("request");
    c.window = f.text("window");
    c.method = f.text("method");
    c.budget = f.integer("budget", 0, widest - 1);
    c.admission = f.choice("admission", admissions);
    c.task = f.text("task");
    c.language = f.optional_text("language");
    c.words = f.flag("words");
    c.audit = f.flag("audit");
    c.producer_done = f.flag("producer_done");
    c.confidence = f.optional_number("confidence", 1.0F).value_or(c.confidence);
    c.patience = f.optional_integer("patience", 0, 1000).value_or(c.patience);
    return c;
}

const std::map<std::string, std::function<Body(Fields&)>> readers = {
    {"load", load},
    {"self_test", self_test},
    {"measure_calls", measure_widths<MeasureCallsCommand>},
    {"measure_drafter", measure_drafter},
    {"measure_encoder", measure_encoder},
    {"measure_interference", measure_interference},
    {"measure_turns", measure_turns},
    {"prepare", prepare},
    {"append", append},
    {"request", request},
    {"trace", trace},
    {"cancel", [](Fields& f) -> Body { return CancelCommand{f.text("request")}; }},
    {"release", [](Fields& f) -> Body { return ReleaseCommand{f.text("window")}; }},
    {"unload", [](Fields& f) -> Body { return UnloadCommand{f.text("model")}; }},
    {"ping", [](Fields&) -> Body { return PingCommand{}; }},
    {"shutdown", [](Fields&) -> Body { return ShutdownCommand{}; }},
};

std::optional<std::int64_t> id_of(const json& object) {
    if (!object.is_object()) return std::nullopt;
    const auto found = object.find("id");
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
}

}  // namespace

std::optional<std::int64_t> command_id(std::string_view line) {
    return id_of(json::parse(line, nullptr, false));
}

Command parse_command(std::string_view line) {
    if (line.size() > longest_line) throw InputError("a command must not be longer than 1 MiB");
    const auto object = json::parse(line, nullptr, false);
    if (!object.is_object()) throw InputError("a command must be one JSON object on one line");
    const auto id = id_of(object);
    if (!id) throw InputError("a command needs a whole number as 'id'");
    const auto op = object.find("op");
    if (op == object.end() || !op->is_string()) throw InputError("a command needs a text as 'op'");
    const auto reader = readers.find(op->get<std::string>());
    if (reader == readers.end())
        throw InputError("the command '" + op->get<std::string>() + "' is not known");
    Fields fields(object);
    auto body = reader->second(fields);
    fields.finish();
    return {*id, std::move(body)};
}

std::string_view name_of(StartCondition condition) {
    return condition == StartCondition::request_start ? "request-start" : "pre-drafted";
}

std::string_view name_of(Admission admission) { return admission == Admission::root ? "root" : "text"; }

}  // namespace as2d::protocol
