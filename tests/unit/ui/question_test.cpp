#include "ui/question.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

TEST(Question, each_key_gives_its_answer) {
  for (const auto& [key, answer] :
       {std::pair("l", Answer::leave), std::pair("L", Answer::leave), std::pair("s", Answer::stop),
        std::pair("S\n", Answer::stop), std::pair("c", Answer::carry_on)}) {
    Question question(Leaving::possible);
    EXPECT_EQ(question.input(key), answer) << key;
  }
}

TEST(Question, other_keys_keep_it_waiting) {
  Question question(Leaving::possible);
  EXPECT_FALSE(question.input(""));
  EXPECT_FALSE(question.input("\r\n xq?\t"));
  EXPECT_EQ(question.input("s"), Answer::stop);
}

TEST(Question, arrow_keys_whose_sequences_end_in_letters_answer_nothing) {
  Question question(Leaving::possible);
  EXPECT_FALSE(question.input("\x1b[C\x1bOC\x1b[1;5C\x1b[15~"));
  EXPECT_FALSE(question.input("\x1b"));
  EXPECT_FALSE(question.input("["));
  EXPECT_FALSE(question.input("C"));
  EXPECT_FALSE(question.input("\x1bs")) << "Alt-S";
  EXPECT_EQ(question.input("c"), Answer::carry_on);
}

TEST(Question, a_key_that_is_not_an_answer_changes_the_text_to_the_keys_there_are) {
  for (const auto* key : {"x", "\r", "\x1b", "\x1b[A"}) {
    Question question(Leaving::possible);
    EXPECT_FALSE(question.input(key));
    EXPECT_EQ(question.texts().front(),
              "Press s, l or c: [s]top   [l]eave it running   [c]ontinue watching   (Ctrl-C again: stop now)");
    EXPECT_EQ(question.texts().back(), "press s, l or c");
  }
  Question question(Leaving::impossible);
  EXPECT_FALSE(question.input("l"));
  EXPECT_EQ(question.texts().back(), "press s or c");
}

TEST(Question, an_answer_after_the_escape_key_counts) {
  Question question(Leaving::possible);
  EXPECT_FALSE(question.input("\x1b"));
  EXPECT_EQ(question.input("l"), Answer::leave);
}

TEST(Question, a_text_fits_every_terminal) {
  for (const auto leaving : {Leaving::possible, Leaving::impossible}) {
    const auto texts = Question(leaving).texts();
    EXPECT_LE(texts[1].size(), 80U);
    EXPECT_LE(texts[2].size(), 40U);
    EXPECT_LE(texts[3].size(), 20U);
  }
}

TEST(Question, a_second_interrupt_stops_however_it_comes) {
  Question by_signal(Leaving::possible);
  EXPECT_EQ(by_signal.interrupt(), Answer::stop);
  Question by_byte(Leaving::possible);
  EXPECT_EQ(by_byte.input("\x03"), Answer::stop);
  Question within_sequence(Leaving::possible);
  EXPECT_EQ(within_sequence.input("\x1b[\x03"), Answer::stop);
}

TEST(Question, the_first_answer_stands) {
  Question question(Leaving::possible);
  EXPECT_EQ(question.input("cs"), Answer::carry_on);
  EXPECT_EQ(question.interrupt(), Answer::carry_on);
  EXPECT_EQ(question.end_of_input(), Answer::carry_on);
}

TEST(Question, a_job_that_cannot_be_left_offers_it_neither_by_key_nor_by_hanging_up) {
  Question question(Leaving::impossible);
  EXPECT_EQ(question.texts().front(),
            "Stop the job? [s]top   [c]ontinue watching   (it ends with this command; Ctrl-C again: stop now)");
  EXPECT_FALSE(question.input("l"));
  EXPECT_EQ(question.end_of_input(), Answer::stop);
}

TEST(Question, a_terminal_that_goes_away_leaves_the_job_running) {
  Question question(Leaving::possible);
  EXPECT_EQ(question.texts().front(),
            "Stop the job? [s]top   [l]eave it running   [c]ontinue watching   (Ctrl-C again: stop now)");
  EXPECT_EQ(question.end_of_input(), Answer::leave);
  Question by_byte(Leaving::possible);
  EXPECT_EQ(by_byte.input("\x04"), Answer::leave);
}

}  // namespace
}  // namespace ydl::ui
