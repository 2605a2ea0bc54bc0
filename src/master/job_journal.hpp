#pragma once

#include "core/clock.hpp"
#include "hdfs/file_system.hpp"
#include "job/event_codec.hpp"
#include "master/journal_writer_fsm.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ydl::master {

// The journal of a job on HDFS: what its state machine was told, in FOLDER/journal/N, a file for each master that the
// job has had (job/journal_codec.hpp). N is the master's epoch.
//
// At any time one master can add to the journal, and a new one knows every line that an earlier one saw acknowledged:
//   A new master     1. creates N+1, without overwriting: of several masters one succeeds;
//                    2. recovers the leases of all files up to N, after which no writer of before can add to them;
//                    3. reads them, and writes the header of N+1.
//   The old master   holds the lease of N since before N+1 existed, so step 2 takes it away: its next flush fails.
//                    After any failure it appends to N again, which gives it a new lease, and only then looks for N+1.
//                    If N+1 exists it writes nothing: it has been replaced. Otherwise N+1 is created later, and its
//                    master will recover this lease too.
// Other orders have a gap. A new master that reads N before it creates N+1 misses what the old one appends in between,
// and so it does if the old one looks for N+1 before it has the lease.
// A master that dies between 1 and 3 leaves a file without a header, which counts as empty, and possibly older files
// that are still open: that is why the next master recovers all of them.
//
// Life: make_shared, open(), add() …, close(). Belongs to the thread of its executor; callbacks come on it and never
// from within add(). `fs` lives longer than all coroutines of the executor.
class JobJournal : public std::enable_shared_from_this<JobJournal> {
 public:
  struct Listener {
    std::function<void(std::uint64_t)> on_durable;          // how many lines HDFS has acknowledged, each time it rises
    std::function<void(const std::string& why)> on_behind;  // a line has waited for behind_after
    std::function<void(const std::string& why)> on_broken;  // the same, and it does not pass by itself: with a remedy
    std::function<void()> on_caught_up;                     // after these two: no line waits that long any more
    std::function<void(const std::string& why)> on_taken;   // another master has the journal: the last callback
  };
  struct Options {
    std::string folder;  // the job's folder on HDFS
    Listener listener;
    core::Millis behind_after = core::Seconds(5);
    core::Millis open_within = core::Seconds(120);  // recovering a file takes seconds, or until a DataNode is back
  };
  struct Opened {
    int epoch = 0;
    core::WallTime began{};  // of the job: what the events' `at` counts from. Now, for the first master.
    std::vector<job::TimedEvent> events;
  };
  JobJournal(const net::asio::any_io_executor& executor, hdfs::FileSystem& fs, Options options);

  // Takes the journal. Once. No callback comes before it has succeeded.
  // Errors: core::Errc::exists, another master has taken the journal: this one must end without touching a task;
  // corrupt and refused, with file and line, if the journal cannot be read; timeout; those of HDFS.
  [[nodiscard]] net::Async<Opened> open();

  // Queues a line, without its end. All lines that wait are written as one batch. Ignored after close() or on_taken.
  void add(std::string_view line);
  [[nodiscard]] std::uint64_t added() const { return fsm_ ? fsm_->added() : 0; }
  [[nodiscard]] std::uint64_t durable() const { return fsm_ ? fsm_->durable() : 0; }
  [[nodiscard]] int epoch() const { return epoch_; }

  // Whether a newer master exists: looks for the file after this master's own. Errors: those of HDFS; a NameNode that
  // is away is waited for as long as the configuration says.
  [[nodiscard]] net::Async<bool> is_taken();

  // Writes what is left and closes the file, as far as that is done in time. There are no callbacks afterwards.
  [[nodiscard]] net::awaitable<void> close(core::Millis patience);

 private:
  [[nodiscard]] static net::awaitable<void> run(std::shared_ptr<JobJournal> self);
  [[nodiscard]] static net::awaitable<void> watch(std::shared_ptr<JobJournal> self);
  // Does what is to be done now, up to a wait. Errors: those of HDFS.
  [[nodiscard]] net::Async<> write_news();
  [[nodiscard]] net::Async<> write_batch();
  [[nodiscard]] net::Async<> close_file();
  [[nodiscard]] net::Async<> reopen();
  [[nodiscard]] net::Async<> write_header(core::WallTime began, core::Instant deadline);
  void taken(std::string why);
  void cancel();
  void tell_news();

  net::asio::any_io_executor executor_;
  hdfs::FileSystem& fs_;
  Options options_;
  std::string folder_;  // of the journal's files
  int epoch_ = 0;
  std::string path_;  // of this master's file
  std::optional<hdfs::FileWriter> writer_;
  std::optional<JournalWriterFsm> fsm_;
  bool open_ = false;  // callbacks may come
  bool closing_ = false;
  bool cancelled_ = false;  // the coroutines end as soon as they can
  bool done_ = false;
  std::optional<std::string> taken_why_;
  std::string logged_;  // the last failure
  net::Signal news_;    // for run()
  net::Signal times_;   // for watch()
  net::Signal steps_;   // for those who wait for run(): something was acknowledged, taken or done
  net::Signal ending_;  // ends the pause after a failure
};

}  // namespace ydl::master
