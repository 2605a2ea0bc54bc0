#include "files/progress_line.hpp"

#include "files/log_lines.hpp"

#include <gtest/gtest.h>

namespace ydl::files {
namespace {

TEST(ProgressLine, counts_percentages_and_fractions_are_read) {
  EXPECT_EQ(parse_progress("::progress 3/8 epoch 3"), (Progress{0.375, "epoch 3"}));
  EXPECT_EQ(parse_progress("::progress 2.5/10"), (Progress{0.25, ""}));
  EXPECT_EQ(parse_progress("::progress 42% loss 0.3"), (Progress{0.42, "loss 0.3"}));
  EXPECT_EQ(parse_progress("::progress 0.5%"), (Progress{0.005, ""}));
  EXPECT_EQ(parse_progress("::progress\t0.42\ttext"), (Progress{0.42, "text"}));
  EXPECT_EQ(parse_progress("::progress 8/8\r"), (Progress{1, ""}));
  EXPECT_EQ(parse_progress("::progress 100% done"), (Progress{1, "done"}));
}

TEST(ProgressLine, what_is_not_a_part_of_a_whole_is_malformed) {
  for (const auto* line : {"::progress", "::progress ", "::progress abc", "::progress 9/8", "::progress 0/0",
                           "::progress 3/", "::progress /8", "::progress 3/8/9", "::progress -1/8", "::progress 3/-8",
                           "::progress nan/8", "::progress 3/inf", "::progress 101%", "::progress %", "::progress 42 %",
                           "::progress 42", "::progress 0,5", "::progress: 0.5", "::progress=0.5"}) {
    EXPECT_FALSE(parse_progress(line)) << line;
    EXPECT_TRUE(is_progress_line(line)) << line;
  }
  for (const auto* line : {"::progressive 0.5", "progress 0.5", " ::progress 0.5", "x"}) {
    EXPECT_FALSE(parse_progress(line)) << line;
    EXPECT_FALSE(is_progress_line(line)) << line;
  }
}

// Lines that tqdm 4.67 wrote into a pipe.
TEST(ProgressLine, bars_of_tqdm_are_read) {
  EXPECT_EQ(parse_tqdm_bar("  0%|          | 0/100 [00:00<?, ?it/s]"), (Progress{0, "0/100"}));
  EXPECT_EQ(parse_tqdm_bar(" 42%|████▏     | 42/100 [00:12<00:16,  3.5it/s]"), (Progress{0.42, "42/100"}));
  EXPECT_EQ(parse_tqdm_bar("100%|██████████| 3/3 [00:00<00:00, 98.59it/s]"), (Progress{1, "3/3"}));
  EXPECT_EQ(parse_tqdm_bar("Epoch 1/2:  33%|███▎      | 1/3 [00:00<00:00, 98.59it/s, loss=0.25, acc=0.9]"),
            (Progress{1 / 3.0, "Epoch 1/2, 1/3, loss=0.25, acc=0.9"}));
  EXPECT_EQ(parse_tqdm_bar("100%|############| 30/30 [00:00<00:00, 755.94it/s]"), (Progress{1, "30/30"}));
  EXPECT_EQ(parse_tqdm_bar(" 20%|###6              | 1.02M/5.00M [00:00<00:00, 4.40MB/s]"),
            (Progress{0.2, "1.02M/5.00M"}))
      << "a count with units is rounded";
  EXPECT_EQ(parse_tqdm_bar("\x1b[32m 50%|█████     | 5/10 [00:01<00:01,  4.9it/s]\x1b[0m"), (Progress{0.5, "5/10"}));
}

TEST(ProgressLine, what_only_looks_like_a_bar_of_tqdm_is_not_one) {
  for (const auto* line :
       {"", "%|", "%||", "30it [00:00, 814.32it/s]", "0it [00:00, ?it/s]", " 42%|####  |", " 42%|####  | 42/100",
        " 42%|####  | 42/100 [00:12", "142%|####  | 42/100 [00:12<00:16, 3.5it/s]", "x%|## | 4/10 [00:12<00:16, 3it/s]",
        " 42%|a|b|c", "disk 93%| /dev/sda |", " 42%|████▏     | 42/100 [done]"}) {
    EXPECT_FALSE(parse_tqdm_bar(line)) << line;
  }
}

// Lines that Keras 2.15 and 3 wrote into a file.
TEST(ProgressLine, bars_of_keras_are_read) {
  EXPECT_EQ(parse_keras_bar(" 1/20 [>.............................] - ETA: 7s - loss: 0.25 - mae: 1.5e-01\b\b\b\b"),
            (Progress{0.05, "1/20, loss: 0.25, mae: 1.5e-01"}));
  EXPECT_EQ(parse_keras_bar("12/50 [======>.......................] - ETA: 3s"), (Progress{0.24, "12/50"}));
  EXPECT_EQ(parse_keras_bar("20/20 [==============================] - 0s 3ms/step - loss: 0.5"),
            (Progress{1, "20/20, loss: 0.5"}));
  EXPECT_EQ(parse_keras_bar("\x1b[1m 1/20\x1b[0m \x1b[32m━\x1b[0m\x1b[37m━━━━━━━━━━━━━━━━━━━\x1b[0m \x1b[1m13s\x1b[0m "
                            "688ms/step - loss: 0.5 - mae: 0.1\b\b\b"),
            (Progress{0.05, "1/20, loss: 0.5, mae: 0.1"}));
  EXPECT_EQ(parse_keras_bar("12/50 ━━━━━━━━━━━━━━━━━━━━ 3s"), (Progress{0.24, "12/50"}));
}

TEST(ProgressLine, what_only_looks_like_a_bar_of_keras_is_not_one) {
  for (const auto* line :
       {"", "12/50", "12/50 ", "12/50 [x]", "12/50 []", "12/50 [====", "12/50[====]", "60/50 [====]", "1/2/3 [====]",
        "20/20 - 0s - loss: 0.1", "[=====] 12/50", "━━━━━━━━", "12/0 ━━━", "a 12/50 [===>..]", "2024/11 [..] x/y"}) {
    EXPECT_FALSE(parse_keras_bar(line)) << line;
  }
}

TEST(BarReader, a_bar_of_keras_is_that_of_an_epoch) {
  BarReader reader;
  reader.read("Epoch 3/5");
  EXPECT_FALSE(reader.latest("")) << "the line of an epoch alone is not a bar";
  reader.read("10/20 [===============>..............] - ETA: 1s - loss: 0.5");
  EXPECT_EQ(reader.latest(""), (Progress{0.5, "epoch 3/5, 10/20, loss: 0.5"}));
  reader.read("Epoch 4/5");
  EXPECT_EQ(reader.latest("")->fraction, 0.5);
  reader.read("Epoch 7/5");
  reader.read("Epoch 0/5");
  reader.read("Epoch x/5");
  EXPECT_EQ(reader.latest("20/20 ━━━━━━━━━━━━━━━━━━━━ 0s"), (Progress{0.8, "epoch 4/5, 20/20"}));
}

TEST(BarReader, a_bar_of_tqdm_is_shown_as_it_is) {
  BarReader reader;
  reader.read("Epoch 3/5");
  reader.read(" 50%|█████     | 5/10 [00:01<00:01,  4.9it/s]");
  EXPECT_EQ(reader.latest("Epoch 4/5"), (Progress{0.5, "5/10"}));
}

// A bar that was overwritten, as it comes through a pipe: every state begins with a carriage return, so the newest has
// no end yet.
TEST(LogLines, a_bar_that_its_program_prints_is_the_progress_of_a_task_that_writes_none) {
  LogLines lines;
  lines.feed("start\n\r  0%|          | 0/4 [00:00<?, ?it/s]\r 25%|██▌       | 1/4 [00:01<00:03,  1.0s/it]");
  EXPECT_EQ(lines.progress(), (Progress{0.25, "1/4"}));
  EXPECT_FALSE(lines.reports_progress());
  lines.feed("\r 50%|█████     | 2/4 [00:02<00:0");
  EXPECT_EQ(lines.progress(), (Progress{0.25, "1/4"})) << "only a part of the newest has come";
  lines.feed("2,  1.0s/it]\n");
  EXPECT_EQ(lines.progress(), (Progress{0.5, "2/4"}));
  lines.feed("::progress 1/10\n 75%|███████▌  | 3/4 [00:03<00:01,  1.0s/it]\n");
  EXPECT_EQ(lines.progress(), (Progress{0.1, ""})) << "what the task writes itself counts before";
  EXPECT_TRUE(lines.reports_progress());
}

TEST(LogLines, the_first_line_of_progress_that_is_not_understood_is_kept) {
  LogLines lines;
  lines.feed("::progress 0.5\n::progressive\n");
  EXPECT_EQ(lines.malformed_progress(), "");
  lines.feed("::progress \x1b[31m12 of 40\n::progress abc\n");
  EXPECT_EQ(lines.malformed_progress(), "::progress 12 of 40");
  EXPECT_EQ(lines.progress(), (Progress{0.5, ""}));
}

}  // namespace
}  // namespace ydl::files
