// The producer and its stream: what becomes visible, when, and what a bad drafter costs.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/producer.hpp"
#include "scenario.hpp"
#include "scripted/producer_timeline.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

class Log final : public EventSink {
  public:
    void on_draft(const DraftEvent& event) override { drafted += event.text; }
    void on_publish(const PublishEvent& event) override {
        for (const std::string_view text : event.texts)
            published += text;
        lengths.push_back(event.length);
    }
    void on_warning(const WarningEvent& event) override { warnings.emplace_back(event.code); }
    std::string drafted, published;
    std::vector<std::size_t> lengths;
    std::vector<std::string> warnings;
};

struct Rig {
    explicit Rig(DrafterScript script)
        : drafter(std::move(script), &clock),
          producer(drafter, encoder, stream, encoder.special(), clock, log) {}
    std::string visible() const {
        std::string text;
        for (std::size_t i = 0; i < stream.published(); ++i)
            text += encoder.bytes(stream[i].token);
        return text;
    }

    ScriptedEncoder encoder{100};
    DraftStream stream;
    VirtualClock clock;
    Log log;
    ScriptedDrafter drafter;
    Producer producer;
};

}  // namespace

TEST_CASE("text is published up to the last boundary that more text cannot move, the rest at the end") {
    Rig rig({{{" a", 0.9F, 5}, {" b", 0.8F, 5}, {"c", 0.4F, 5}, {" d", 0.7F, 5}}});
    CHECK(rig.producer.step().published_to == 0);  // " a" may go on
    const StepOutcome second = rig.producer.step();
    CHECK(second.published_from == 0);
    CHECK(second.published_to == 1);
    CHECK(second.start == 5);
    CHECK(second.end == 10);
    CHECK(rig.producer.step().published_to == 1);
    CHECK(rig.producer.step().published_to == 2);
    CHECK_FALSE(rig.stream.rested());
    const StepOutcome last = rig.producer.step();
    CHECK(last.done);
    CHECK(last.published_to == 4);
    CHECK(rig.producer.done());
    CHECK(rig.stream.rested());
    CHECK(rig.visible() == " a bc d");
    CHECK(rig.log.published == " a bc d");

    const DraftEntry& word = rig.stream[1];  // " bc", of two steps
    CHECK(word.token == 1 * 26 + 2);
    CHECK(word.text_begin == 2);
    CHECK(word.text_end == 5);
    CHECK(word.confidence == doctest::Approx(0.4F));
    CHECK(word.step == 3);
    CHECK(word.published == 20);
    CHECK(word.epoch == 0);
    CHECK(rig.stream[0].confidence == doctest::Approx(0.9F));
    const DraftEntry& end = rig.stream[3];
    CHECK(end.token == rig.encoder.special());
    CHECK(end.text_begin == end.text_end);
}

TEST_CASE("a drafter that says nothing publishes the end of text") {
    Rig rig({});
    CHECK(rig.producer.step().done);
    REQUIRE(rig.stream.published() == 1);
    CHECK(rig.stream[0].token == rig.encoder.special());
}

TEST_CASE("a character that is cut off at the end is not published") {
    Rig rig({{{" a \xE6\x88", 1.0F, 1}}});
    while (!rig.producer.done())
        rig.producer.step();
    CHECK(rig.visible() == " a ");
}

TEST_CASE("a drafter that throws ends the producer with a warning; what was published stays") {
    Rig rig({{{" a b c"}, {" d"}}, false, 1});
    rig.producer.step();
    const StepOutcome failed = rig.producer.step();
    CHECK(failed.done);
    CHECK(rig.producer.done());
    CHECK_FALSE(rig.stream.rested());
    CHECK(rig.visible() == " a b");
    CHECK(rig.log.warnings == std::vector<std::string>{"drafter-failed"});
}

TEST_CASE("a drafter without end or boundary is ended") {
    Rig rig({{{"xxxxxxxxxxxxxxxx"}}, true});
    int steps = 0;
    while (!rig.producer.done()) {
        rig.producer.step();
        REQUIRE(++steps < 1000);
    }
    CHECK(rig.log.warnings == std::vector<std::string>{"draft-without-boundary"});
    CHECK(rig.stream.published() == 0);
}

TEST_CASE("a full stream ends the producer with a warning") {
    Rig rig({{{std::string(3900, ' ')}}, true});
    std::size_t steps = 0;
    while (!rig.producer.done()) {
        rig.producer.step();
        REQUIRE(++steps < 2 * DraftStream::kMaxEntries / 3900);
    }
    CHECK(rig.log.warnings == std::vector<std::string>{"draft-stream-full"});
    CHECK(rig.stream.published() == DraftStream::kMaxEntries);
}

TEST_CASE("random pieces: everything drafted is published in order, once") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        std::string text;
        for (int i = random.number(0, 80); i > 0; --i) {
            text +=
                random.of<std::string>({" a", " bc", "d", " ", "  ", ".", "\u6211", " \u00e9", "\n", "'s"});
        }
        Rig rig({pieces_of(text, random, 0, 3)});
        std::size_t before = 0;
        while (!rig.producer.done()) {
            const StepOutcome outcome = rig.producer.step();
            CHECK(outcome.published_from == before);
            CHECK(outcome.published_to >= before);
            before = outcome.published_to;
            CHECK(text.starts_with(rig.visible()));
        }
        CHECK(rig.visible() == text);
        CHECK(rig.log.drafted == text);
        CHECK(rig.producer.text() == text);
        CHECK(rig.stream.text(0, text.size()) == text);
        for (std::size_t i = 0; i < rig.stream.published(); ++i) {
            const DraftEntry& entry = rig.stream[i];
            CHECK(rig.stream.text(entry.text_begin, entry.text_end) == rig.encoder.bytes(entry.token));
        }
    }
}

TEST_CASE("the stream keeps texts and entries over its chunks") {
    DraftStream stream;
    std::string all;
    for (int i = 0; i < 3000; ++i) {
        const std::string text = std::to_string(i);
        DraftEntry entry;
        entry.token = i;
        REQUIRE(stream.append(entry, text));
        all += text;
        if (i == 1000) stream.begin_epoch(1, 0);
        CHECK(stream.published() == 0);
    }
    stream.publish(7);
    REQUIRE(stream.published() == 3000);
    CHECK(stream.text(0, all.size()) == all);
    CHECK(stream.text(4090, 4110) == all.substr(4090, 20));
    CHECK(stream.byte(4096) == all[4096]);
    CHECK(stream[2999].token == 2999);
    CHECK(stream[2999].published == 7);
    CHECK(stream[1000].epoch == 0);
    CHECK(stream[1001].epoch == 1);
}

TEST_CASE("on a timeline nothing is visible before its time") {
    Rig rig({{{" a", 1.0F, 10}, {" b", 1.0F, 10}, {" c", 1.0F, 10}}, false, 99, 10});
    ProducerState state;
    ProducerTimeline timeline(rig.producer, rig.clock, state);
    std::vector<std::size_t> visible;
    for (const Nanos time : {5, 10, 19, 20, 29, 30, 39, 40, 50}) {
        timeline.run_until(time);
        visible.push_back(rig.stream.published());
    }
    CHECK(visible == std::vector<std::size_t>{0, 0, 0, 1, 1, 2, 2, 4, 4});
    CHECK_FALSE(state.running.load());
}

TEST_CASE("a cancelled producer ends within one step") {
    Rig rig({{{" a", 1.0F, 10}}, true});
    ProducerState state;
    ProducerTimeline timeline(rig.producer, rig.clock, state);
    timeline.run_until(100);
    CHECK(state.running.load());
    const std::size_t steps = rig.drafter.steps();
    state.cancelled = true;
    timeline.run_until(1000);
    CHECK_FALSE(state.running.load());
    CHECK(rig.drafter.steps() <= steps + 1);
}

TEST_CASE("a draft from another text is an epoch of its own, to its limit in whole characters") {
    Rig rig(
        {{{" a", 1.0F, 1}, {" b", 1.0F, 1}, {" c\xE6", 1.0F, 1}, {"\x88\x91", 1.0F, 1}, {" e", 1.0F, 1}}});
    rig.producer.step();
    rig.producer.step();
    CHECK(rig.stream.published() == 1);
    rig.producer.follow({" x", 1, 2});  // as long as " a": it goes on behind that
    CHECK(rig.stream.epoch() == 1);
    CHECK(rig.producer.epoch_begin() == 1);
    CHECK_FALSE(rig.producer.at_rest());
    rig.producer.step();
    CHECK(rig.stream.published() == 1);
    CHECK_FALSE(rig.stream.rested(1));
    rig.producer.step();  // the second word is cut within a character
    CHECK(rig.producer.at_rest());
    CHECK_FALSE(rig.producer.done() == false);
    CHECK(rig.stream.rested(1));
    CHECK_FALSE(rig.stream.rested(0));
    CHECK(rig.visible() == " a b c");
    CHECK(rig.stream[1].epoch == 1);
    CHECK(rig.stream[1].base == 1);
    CHECK(rig.stream[0].base == 0);
    // What it said on its own history is kept, without what it was told.
    REQUIRE(rig.producer.own_pieces().size() == 2);
    CHECK(rig.producer.own_pieces()[1].text == " b");
    rig.producer.follow({" a b c", 3, 0});
    CHECK(rig.producer.at_rest());
    CHECK(rig.stream.rested(2));
    CHECK(rig.stream.published() == 3);
}

TEST_CASE("a draft rests behind a step that is less sure than it was told") {
    Rig rig({{{" a", 0.9F}, {" b", 0.5F}, {" c", 0.49F}, {" d", 0.9F}}});
    rig.producer.follow({"", 0, 10, 0.5F});
    while (!rig.producer.at_rest())
        rig.producer.step();
    CHECK(rig.visible() == " a b c");
    rig.producer.follow({" a b c", 3, 10, 0.5F});
    while (!rig.producer.at_rest())
        rig.producer.step();
    CHECK(rig.visible() == " a b c d");  // and the end of text
    CHECK(rig.stream[rig.stream.published() - 1].token == rig.encoder.special());
}

TEST_CASE(
    "the newest assignment is taken at the producer's own step boundary; one before it is never drafted") {
    Rig rig({{{" a", 1.0F, 10}, {" b", 1.0F, 10}, {" c", 1.0F, 10}, {" d", 1.0F, 10}}});
    Assignments inbox;
    Producer producer(rig.drafter, rig.encoder, rig.stream, rig.encoder.special(), rig.clock, rig.log,
                      &inbox);
    ProducerState state;
    ProducerTimeline timeline(producer, rig.clock, state);
    timeline.run_until(15);
    CHECK(inbox.post({" x", 1, 3}, state) == 1);
    CHECK(inbox.post({" x y", 2, 1}, state) == 2);
    timeline.run_until(19);
    CHECK(rig.stream.epoch() == 0);
    timeline.run_until(20);  // the step at work ends and is published as what it is
    CHECK(rig.stream[0].epoch == 0);
    timeline.run_until(21);
    CHECK(rig.stream.epoch() == 2);
    timeline.run_until(1000);
    CHECK(rig.stream.rested(2));
    CHECK(rig.visible() == " a c");
    CHECK_FALSE(state.running.load());
    CHECK_FALSE(producer.done());
    CHECK_FALSE(state.ended.load());
    inbox.post({"", 0, 1}, state);
    CHECK(state.running.load());
    timeline.run_until(2000);
    CHECK(rig.visible() == " a c a");
    CHECK(rig.clock.now() == 2000);
    state.cancel();
    timeline.run_until(2001);
    CHECK(state.ended.load());
}

TEST_CASE("a drafter that throws when it is told to go on ends the producer with a warning") {
    DrafterScript script{{{" a"}, {" b"}}};
    script.fail_restart_at = 1;
    Rig rig(script);
    rig.producer.follow({" a", 1, 1});
    rig.producer.step();
    CHECK(rig.visible() == " b");
    rig.producer.follow({" a b", 2, 1});
    CHECK(rig.producer.done());
    CHECK_FALSE(rig.stream.rested(2));
    CHECK(rig.producer.epoch_begin() == rig.stream.published());
    rig.producer.follow({" a", 1, 1});  // it stays so
    CHECK(rig.producer.done());
    CHECK(rig.producer.epoch_begin() == rig.stream.published());
    CHECK(rig.log.warnings == std::vector<std::string>{"drafter-failed"});
}

TEST_CASE("nobody rests over an assignment that was not taken, and nothing is at work behind the end") {
    Assignments inbox;
    ProducerState state;
    CHECK(inbox.rest(state));
    CHECK(inbox.post({" a", 1}, state) == 1);
    CHECK_FALSE(inbox.rest(state));
    CHECK(state.running.load());
    CHECK(inbox.post({" a b", 2}, state) == 2);
    const std::optional<Assignment> taken = inbox.take();
    REQUIRE(taken.has_value());
    CHECK(taken->text == " a b");
    CHECK(taken->base == 2);
    CHECK(taken->epoch == 2);
    CHECK_FALSE(inbox.take().has_value());
    CHECK(state.running.load());  // at work on it
    CHECK(inbox.rest(state));
    CHECK_FALSE(state.running.load());
    inbox.close();
    CHECK(inbox.post({" a", 1}, state) == 3);
    CHECK_FALSE(state.running.load());
}
