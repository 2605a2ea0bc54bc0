#include "job/journal_codec.hpp"

#include <gmock/gmock.h>

namespace ydl::job {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const JournalHeader kHeader{.number = 2, .began = core::WallTime(core::Millis(1'763'481'600'000))};

std::string line(int at) {
  return encode_event({Millis(at), StopRequested{"ann", std::nullopt}}) + "\n";
}
std::string start() {
  return encode_header(kHeader) + "\n";
}
std::string error_of(std::string_view text) {
  const auto file = read_journal_file(text, 2);
  return file ? "" : file.error().message;
}

TEST(JournalCodec, a_header_is_plain_json) {
  EXPECT_EQ(encode_header(kHeader), R"({"v":1,"journal":2,"began":1763481600000})");
}

TEST(JournalCodec, a_file_reads_back_as_it_was_written) {
  const auto file = read_journal_file(start() + line(1) + line(20), 2);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(file->header);
  EXPECT_EQ(file->header->began, kHeader.began);
  ASSERT_EQ(file->events.size(), 2U);
  EXPECT_EQ(file->events[1].at, Millis(20));
  EXPECT_EQ(std::get<StopRequested>(file->events[1].event).by, "ann");
}

TEST(JournalCodec, pieces_of_any_size_give_the_same_events) {
  const auto text = start() + line(1) + line(20) + line(300);
  for (std::size_t size = 1; size <= text.size(); ++size) {
    JournalFileReader reader(2);
    std::vector<Millis> times;
    for (std::size_t at = 0; at < text.size(); at += size) {
      const auto fed = reader.feed(std::string_view(text).substr(at, size),
                                   [&times](const TimedEvent& event) { times.push_back(event.at); });
      ASSERT_TRUE(fed) << size << ": " << fed.error().message;
    }
    EXPECT_EQ(times, (std::vector{Millis(1), Millis(20), Millis(300)})) << size;
    EXPECT_EQ(reader.torn_bytes(), 0U);
  }
}

TEST(JournalCodec, a_file_that_is_cut_anywhere_has_the_events_of_its_whole_lines) {
  const auto text = start() + line(1) + line(20);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const auto cut = text.substr(0, size);
    const auto file = read_journal_file(cut, 2);
    ASSERT_TRUE(file) << size << ": " << file.error().message;
    const auto lines = std::ranges::count(cut, '\n');
    EXPECT_EQ(file->header.has_value(), lines > 0) << size;
    EXPECT_EQ(file->events.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(lines - 1, 0))) << size;
  }
}

TEST(JournalCodec, a_last_line_without_its_end_does_not_count_even_if_it_can_be_read) {
  auto text = start() + line(1) + line(20);
  text.pop_back();
  EXPECT_EQ(read_journal_file(text, 2)->events.size(), 1U);
}

TEST(JournalCodec, a_line_that_cannot_be_read_is_named) {
  EXPECT_THAT(error_of(start() + line(1) + "{\"v\":1,\"at\n" + line(3)), StartsWith("journal/2, line 3: "));
  EXPECT_THAT(error_of(start() + line(1) + "garbage\n"), StartsWith("journal/2, line 3: "));
  EXPECT_THAT(error_of(start() + "\n"), StartsWith("journal/2, line 2: "));
}

TEST(JournalCodec, an_event_of_another_version_is_named) {
  const auto file = read_journal_file(start() + R"({"v":99,"at":1,"event":"begin"})" + "\n", 2);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, core::Errc::refused);
  EXPECT_THAT(file.error().message, StartsWith("journal/2, line 2: the event has version 99"));
}

TEST(JournalCodec, a_header_that_does_not_fit_is_an_error) {
  EXPECT_THAT(error_of(line(1)), StartsWith("journal/2, line 1: "));
  EXPECT_THAT(error_of("{}\n"), StartsWith("journal/2, line 1: 'v'"));
  EXPECT_EQ(error_of("{\"v\":1,\"journal\":3,\"began\":0}\n"), "journal/2, line 1: the header is that of journal/3");
  EXPECT_THAT(error_of("{\"v\":1,\"journal\":2}\n"), HasSubstr("'began'"));
  const auto newer = read_journal_file("{\"v\":2,\"journal\":2,\"began\":0}\n", 2);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, core::Errc::refused);
  EXPECT_THAT(newer.error().message, HasSubstr("a newer ydl wrote it"));
}

TEST(JournalCodec, a_line_without_an_end_is_not_collected_for_ever) {
  EXPECT_THAT(error_of(start() + std::string(kLongestJournalLine + 1, 'x')), HasSubstr("line 2: the line is longer"));
}

}  // namespace
}  // namespace ydl::job
