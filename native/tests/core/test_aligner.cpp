// Alignment at text level: where the root stands in the draft.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/aligner.hpp"
#include "core/draft_stream.hpp"
#include "phrase_encoder.hpp"
#include "scenario.hpp"

using namespace as2d;
using namespace as2d::test;

namespace {

/// A draft, and an answer that grows piece by piece.
class Case {
  public:
    explicit Case(std::string_view draft, Admission admission = Admission::text)
        : aligner_(encoder_, stream_, admission) {
        publish(draft);
    }

    void publish(std::string_view text) {
        for (const Token token : encoder_.encode(text)) {
            DraftEntry entry;
            entry.token = token;
            stream_.append(entry, encoder_.bytes(token));
        }
        stream_.publish(0);
    }

    /// The draft's text behind the place of the root, after `text` was committed token by token; "-" for
    /// none.
    std::string after(std::string_view text) {
        for (const Token token : encoder_.encode(text)) {
            committed_.push_back(token);
            last_ = aligner_.align(committed_, stream_.published());
        }
        if (!last_.next) return "-";
        std::string rest;
        for (std::size_t i = *last_.next; i < stream_.published(); ++i)
            rest += encoder_.bytes(stream_[i].token);
        return rest;
    }

    const Alignment& last() const { return last_; }

  private:
    PhraseEncoder encoder_;
    DraftStream stream_;
    Aligner aligner_;
    std::vector<Token> committed_;
    Alignment last_;
};

}  // namespace

TEST_CASE("while the draft is right the cursor follows without a search") {
    for (const Admission admission : {Admission::root, Admission::text}) {
        Case c(" the quick brown fox", admission);
        CHECK(c.after(" the") == " quick brown fox");
        CHECK(c.last().fast);
        CHECK(c.after(" quick brown") == " fox");
        CHECK(c.last().fast);
        CHECK(c.after(" fox") == "");
    }
}

TEST_CASE("another word at the root's place: text admits what follows, root waits for an equal token") {
    Case text(" the quick brown fox jumps over the lazy dog");
    CHECK(text.after(" the quick green") == " fox jumps over the lazy dog");
    CHECK(text.after(" fox") == " jumps over the lazy dog");
    Case root(" the quick brown fox jumps over the lazy dog", Admission::root);
    CHECK(root.after(" the quick green") == "-");
    CHECK(root.after(" fox") == " jumps over the lazy dog");
}

TEST_CASE("a word the draft has not, and one that only the draft has") {
    Case inserted(" we went to the old harbour in the morning");
    CHECK(inserted.after(" we went down to") == " the old harbour in the morning");
    CHECK(inserted.after(" the") == " old harbour in the morning");
    Case dropped(" we went right down to the old harbour in the morning");
    dropped.after(" we went to the old");
    CHECK(dropped.after(" harbour") == " in the morning");
}

TEST_CASE("merged, split and re-spelt words") {
    Case merged(" it is for everyone who likes colour in winter");
    CHECK(merged.after(" it is for every one") == " who likes colour in winter");
    CHECK(merged.after(" who likes color") == " in winter");
    Case split(" it is for every one who likes it");
    CHECK(split.after(" it is for everyone") == " who likes it");
    Case name(" queen Guinevere called to her knights and left");
    CHECK(name.after(" queen Gwynevere called") == " to her knights and left");
}

TEST_CASE("punctuation and case") {
    Case c(" in the 15th century, but the first Bible, dated later, was printed");
    CHECK(c.after(" in the 15th century. But") == " the first Bible, dated later, was printed");
    CHECK(c.after(" the First") == " Bible, dated later, was printed");
    CHECK(c.after(" bible") == ", dated later, was printed");
    CHECK(c.after(" dated") == " later, was printed");
    Case bare(" yes I mean I guess right okay I am just thinking");
    CHECK(bare.after(" Yes, I mean, I guess. Right.") == " okay I am just thinking");
}

TEST_CASE("a repeated phrase: the nearest one, never another verse") {
    const std::string verse = " love love me do, you know I love you,";
    Case song(verse + " so please" + verse + " I will always be true" + verse + " end");
    CHECK(song.after(verse + " so please") == verse + " I will always be true" + verse + " end");
    CHECK(song.after(" love love") == " me do, you know I love you, I will always be true" + verse + " end");
    // A word the draft spelt differently in this verse must not send the cursor to another one.
    CHECK(song.after(" me too, you know I") == " love you, I will always be true" + verse + " end");
    CHECK(song.after(" loved you,") == " I will always be true" + verse + " end");
    Case very(" it was very very very very cold outside");
    CHECK(very.after(" it was very very") == " very very cold outside");
    CHECK(very.after(" very") == " very cold outside");
}

TEST_CASE("Chinese, and both scripts in one sentence") {
    Case chinese("\u4eca\u5929\u5929\u6c14\u5f88\u597d\uff0c\u6211\u4eec\u53bb\u516c\u56ed\u5427\u3002");
    // One character differs: the rest of the draft follows.
    CHECK(chinese.after("\u4eca\u5929\u5929\u6c17") ==
          "\u5f88\u597d\uff0c\u6211\u4eec\u53bb\u516c\u56ed\u5427\u3002");
    // Another comma, and one character less.
    CHECK(chinese.after("\u5f88\u597d,\u6211") == "\u4eec\u53bb\u516c\u56ed\u5427\u3002");
    CHECK(chinese.after("\u53bb") == "\u516c\u56ed\u5427\u3002");
    Case mixed("\u6211\u7528 Python \u5199\u4e86\u4e00\u4e2a program \u5f88\u5feb");
    CHECK(mixed.after("\u6211\u7528 python \u5beb\u4e86") == "\u4e00\u4e2a program \u5f88\u5feb");
}

TEST_CASE("after a passage the draft has not, it is found again") {
    Case c(" the first part of it was easy enough, and the last chapter is about printing in Mainz today");
    CHECK(c.after(" the first part of it was easy enough,") ==
          " and the last chapter is about printing in Mainz today");
    c.after(
        " which nobody would have thought before they had started to read these many old volumes "
        "themselves,");
    CHECK(c.after(" and the last chapter is") == " about printing in Mainz today");
}

TEST_CASE("a draft of something else gives nothing") {
    for (const Admission admission : {Admission::root, Admission::text}) {
        Case c(" zzz qqq xxx yyy zzz qqq xxx vvv", admission);
        CHECK(c.after(" the quick brown fox jumps over the lazy dog") == "-");
    }
}

TEST_CASE("a target that is ahead of the draft waits for nothing and finds its place when it comes") {
    Case c(" the quick");
    CHECK(c.after(" the quick brown fox jumps") == "");
    c.publish(" brown fox jumps over the");
    CHECK(c.after(" over") == " the");
    CHECK(c.after(" the lazy") == "");
    c.publish(" crazy dog sleeps");
    CHECK(c.after(" dog") == " sleeps");
}

TEST_CASE("alignment depends on what is published only, and keeps within it") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        const Scenario scenario = random_scenario(random, random.of(kDraftKinds));
        const ScriptedEncoder encoder(scenario.words);
        std::string text;
        for (const ScriptedPiece& piece : scenario.drafter.pieces)
            text += piece.text;
        const std::vector<Token> draft = encoder.encode(text);
        if (draft.empty()) continue;
        DraftStream whole;
        DraftStream part;
        for (const Token token : draft) {
            DraftEntry entry;
            entry.token = token;
            whole.append(entry, encoder.bytes(token));
        }
        whole.publish(0);
        Aligner on_whole(encoder, whole, scenario.settings.admission);
        Aligner on_part(encoder, part, scenario.settings.admission);
        const std::vector<Token>& answer = scenario.target.answer;
        for (std::size_t length = 1; length <= answer.size();
             length += static_cast<std::size_t>(random.number(1, 4))) {
            const std::size_t grow =
                std::min(draft.size(), part.published() + static_cast<std::size_t>(random.number(0, 5)));
            while (part.appended() < std::max<std::size_t>(1, grow)) {
                DraftEntry entry;
                entry.token = draft[part.appended()];
                part.append(entry, encoder.bytes(entry.token));
            }
            part.publish(0);
            const auto committed = std::span(answer).first(length);
            const Alignment a = on_whole.align(committed, part.published());
            const Alignment b = on_part.align(committed, part.published());
            CHECK(a.next == b.next);
            if (!a.next) continue;
            CHECK(*a.next <= part.published());
            if (scenario.settings.admission == Admission::root && *a.next < part.published()) {
                CHECK(draft[*a.next - 1] == answer[length - 1]);
            }
        }
    }
}
