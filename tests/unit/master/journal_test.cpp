#include "master/journal.hpp"

#include "core/json.hpp"
#include "master/told_log.hpp"
#include "support/temp_dir.hpp"

#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/json.hpp>

namespace ydl::master {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;

constexpr core::WallTime kTime{core::Millis(1'794'712'408'123)};

job::Record note(std::string text) {
  job::Record record;
  record.text = std::move(text);
  return record;
}

std::string text_of(const std::string& line) {
  return core::json_string_or(*core::parse_json_object(line), "text", "?");
}

class JournalTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return dir_.path() / "events.jsonl"; }
  [[nodiscard]] std::string on_disk() const { return core::read_file(file()).value_or("no file"); }

  // Whether waiting for what comes after `seq` returns at once.
  bool returns_at_once(Journal& journal, std::uint64_t seq) {
    bool returned = false;
    net::asio::co_spawn(context_, journal.wait_after(seq, core::Seconds(60)),
                        [&](std::exception_ptr) { returned = true; });
    context_.restart();
    context_.poll();
    return returned;
  }

  test::TempDir dir_;
  net::asio::io_context context_;
};

TEST(EventJson, has_number_time_kind_and_text) {
  EXPECT_EQ(json::serialize(event_json(7, kTime, note("hello"))),
            R"({"seq":7,"time":"2026-11-15T03:13:28.123Z","kind":"note","text":"hello"})");
}

TEST(EventJson, has_what_the_record_knows) {
  job::Record record{
      job::RecordKind::task_failed, core::AttemptId{{"worker", 1}, 2}, "failed with exit code 3", {}, {}, 42};
  record.exit = job::ExitStatus{3, 0, false, 1024, 0};
  record.place = job::Place{"127.0.0.1", "host1", {7000}};
  EXPECT_EQ(json::serialize(event_json(1, kTime, record)),
            R"({"seq":1,"time":"2026-11-15T03:13:28.123Z","kind":"task_failed","task":"worker:1","attempt":2,)"
            R"("text":"failed with exit code 3","exit_code":3,"signal":0,"peak_memory":1024,"node":"host1","pid":42})");
}

TEST_F(JournalTest, numbers_entries_from_1) {
  Journal journal(context_.get_executor(), file());
  EXPECT_EQ(journal.last(), 0U);
  for (const auto* text : {"a", "b", "c"}) journal.add(note(text), kTime);
  EXPECT_EQ(journal.last(), 3U);
  EXPECT_EQ(text_of(journal.line(1)), "a");
  EXPECT_EQ(text_of(journal.line(3)), "c");
}

TEST_F(JournalTest, the_file_has_what_was_flushed_and_nothing_twice) {
  Journal journal(context_.get_executor(), file());
  journal.add(note("a"), kTime);
  EXPECT_EQ(on_disk(), "");
  EXPECT_TRUE(journal.flush());
  const auto first = on_disk();
  EXPECT_EQ(first, journal.line(1) + "\n");
  EXPECT_TRUE(journal.flush());
  EXPECT_EQ(on_disk(), first);
  journal.add(note("two\nlines"), kTime);
  EXPECT_TRUE(journal.flush());
  EXPECT_EQ(on_disk(), first + journal.line(2) + "\n");
  EXPECT_EQ(std::ranges::count(on_disk(), '\n'), 2) << "one entry is one line";
}

TEST_F(JournalTest, goes_on_behind_what_an_earlier_master_wrote) {
  ASSERT_TRUE(core::write_file_atomically(file(), "earlier\n"));
  Journal journal(context_.get_executor(), file());
  journal.add(note("a"), kTime);
  EXPECT_TRUE(journal.flush());
  EXPECT_EQ(on_disk(), "earlier\n" + journal.line(1) + "\n");
}

TEST_F(JournalTest, a_full_disk_loses_the_file_and_not_the_entries) {
  Journal journal(context_.get_executor(), "/dev/full");
  journal.add(note("a"), kTime);
  EXPECT_FALSE(journal.flush());
  journal.add(note("b"), kTime);
  EXPECT_FALSE(journal.flush());
  EXPECT_EQ(journal.last(), 2U);
}

// While it lives, no file of this process grows beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST_F(JournalTest, entries_that_found_no_room_are_written_once_there_is_some) {
  Journal journal(context_.get_executor(), file());
  journal.add(note("a"), kTime);
  ASSERT_TRUE(journal.flush());
  const auto first = on_disk();
  journal.add(note("b"), kTime);
  {
    const FileSizeLimit full(first.size() + 10);
    EXPECT_FALSE(journal.flush());
  }
  EXPECT_EQ(on_disk(), first) << "half an entry is left";
  journal.add(note("c"), kTime);
  EXPECT_TRUE(journal.flush());
  EXPECT_EQ(on_disk(), first + journal.line(2) + "\n" + journal.line(3) + "\n");
}

TEST_F(JournalTest, events_of_the_machine_that_found_no_room_are_written_once_there_is_some) {
  ToldLog told(file());
  told.add({core::Millis(0), job::Begin{}});
  ASSERT_TRUE(told.flush());
  const auto first = on_disk();
  told.add({core::Millis(1), job::Tick{}});
  {
    const FileSizeLimit full(first.size() + 10);
    EXPECT_FALSE(told.flush());
  }
  EXPECT_EQ(on_disk(), first) << "half an event is left";
  told.add({core::Millis(2), job::Broken{"x"}});
  EXPECT_TRUE(told.flush());
  EXPECT_EQ(std::ranges::count(on_disk(), '\n'), 3);
  EXPECT_EQ(on_disk().substr(0, first.size()), first);
}

TEST_F(JournalTest, a_file_that_cannot_be_opened_loses_no_entry) {
  Journal journal(context_.get_executor(), dir_.path() / "missing" / "events.jsonl");
  journal.add(note("a"), kTime);
  EXPECT_FALSE(journal.flush());
  EXPECT_EQ(journal.last(), 1U);
}

TEST_F(JournalTest, a_follower_that_is_behind_does_not_wait) {
  Journal journal(context_.get_executor(), file());
  journal.add(note("a"), kTime);
  EXPECT_TRUE(returns_at_once(journal, 0));
}

TEST_F(JournalTest, an_entry_wakes_all_waiting_followers) {
  Journal journal(context_.get_executor(), file());
  int woken = 0;
  for (int i = 0; i < 3; ++i) {
    net::asio::co_spawn(context_, journal.wait_after(0, core::Seconds(60)), [&](std::exception_ptr) { ++woken; });
  }
  context_.poll();
  EXPECT_EQ(woken, 0);
  journal.add(note("a"), kTime);
  context_.restart();
  context_.poll();
  EXPECT_EQ(woken, 3);
}

TEST_F(JournalTest, waiting_has_an_end) {
  Journal journal(context_.get_executor(), file());
  bool over = false;
  net::asio::co_spawn(context_, journal.wait_after(0, core::Millis(1)), [&](std::exception_ptr) { over = true; });
  context_.run();
  EXPECT_TRUE(over);
}

}  // namespace
}  // namespace ydl::master
