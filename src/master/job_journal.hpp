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

// The journal of a job on HDFS: the events of its state machine, in FOLDER/journal/N, one file for each master that the
// job has had (job/journal_codec.hpp). N is the epoch of the master.
//
// At any time only one master can append to the journal, and a new master reads every line that an earlier one saw
// acknowledged:
//   A new master     1. creates N+1 without overwriting, so that only one of several masters succeeds;
//                    2. recovers the leases of all files up to N, after which no earlier writer can append to them;
//                    3. reads them, and writes the header of N+1.
//   The old master   holds the lease of N since before N+1 existed, so step 2 takes it away: its next flush fails.
//                    After any failure it appends to N again, which gives it a new lease, and only then looks for N+1.
//                    If N+1 exists, this master was replaced and writes nothing. Otherwise N+1 is created later, and
//                    its master recovers this lease too.
// Other orders have a gap. If the new master read N before it created N+1, it would miss lines that the old one appends
// in between. The same would happen if the old one looked for N+1 before it had the lease. A master that dies between 1
// and 3 leaves a file without a header, which counts as empty, and possibly open older files. Therefore the next master
// recovers all files.
//
// Life cycle: make_shared, open(), add() …, close(). Use it only in the thread of its executor. Callbacks run in that
// thread too, and never from within add(). `fs` must outlive all coroutines of the executor.
class JobJournal : public std::enable_shared_from_this<JobJournal> {
 public:
  struct Listener {
    std::function<void(std::uint64_t)> on_durable;  // called with the number of acknowledged lines when it grows
    std::function<void(const std::string& why)> on_behind;  // a line has waited for behind_after
    std::function<void(const std::string& why)> on_broken;  // the same, for a cause that needs a user: with a remedy
    std::function<void()> on_caught_up;                     // after one of these two: no line waits that long any more
    std::function<void(const std::string& why)> on_taken;   // another master has the journal; this is the last callback
  };
  struct Options {
    std::string folder;  // the job's folder in HDFS
    Listener listener;
    core::Millis behind_after = core::Seconds(5);
    core::Millis open_within = core::Seconds(120);  // recovering a file takes seconds, or until a lost DataNode is back
  };
  struct Opened {
    int epoch = 0;
    core::WallTime began{};  // when the job began, from which `at` of events counts; for the first master this is now
    std::vector<job::TimedEvent> events;
  };
  JobJournal(const net::asio::any_io_executor& executor, hdfs::FileSystem& fs, Options options);

  // Takes over the journal. Call this once. There are no callbacks before it has succeeded.
  // Errors: core::Errc::exists, if another master has taken the journal (this one must then end without touching a
  // task); corrupt and refused, with file and line, if the journal cannot be read; timeout; those of HDFS.
  [[nodiscard]] net::Async<Opened> open();

  // Queues a line (without its line feed). All waiting lines are written as one batch. Ignored after close() or
  // on_taken.
  void add(std::string_view line);
  [[nodiscard]] std::uint64_t added() const { return fsm_ ? fsm_->added() : 0; }
  [[nodiscard]] std::uint64_t durable() const { return fsm_ ? fsm_->durable() : 0; }
  [[nodiscard]] int epoch() const { return epoch_; }

  // Whether a newer master exists, by looking for the file with the next number. Errors: those of HDFS, after its
  // configured retries.
  [[nodiscard]] net::Async<bool> is_taken();

  // Writes the remaining lines and closes the file, if that is possible in time. There are no callbacks afterwards.
  [[nodiscard]] net::awaitable<void> close(core::Millis patience);

 private:
  [[nodiscard]] static net::awaitable<void> run(std::shared_ptr<JobJournal> self);
  [[nodiscard]] static net::awaitable<void> watch(std::shared_ptr<JobJournal> self);
  // Carries out actions until one has to wait. Errors: those of HDFS.
  [[nodiscard]] net::Async<> write_news();
  [[nodiscard]] net::Async<> write_batch();
  [[nodiscard]] net::Async<> close_file();
  [[nodiscard]] net::Async<> reopen();
  [[nodiscard]] net::Async<> write_header(core::WallTime began, core::Instant deadline);
  void taken(std::string why);
  void cancel();
  void report_news();

  net::asio::any_io_executor executor_;
  hdfs::FileSystem& fs_;
  Options options_;
  std::string folder_;  // of the journal's files
  int epoch_ = 0;
  std::string path_;  // of this master's file
  std::optional<hdfs::FileWriter> writer_;
  std::optional<JournalWriterFsm> fsm_;
  bool open_ = false;  // callbacks are allowed
  bool closing_ = false;
  bool cancelled_ = false;  // the coroutines end as soon as they can
  bool done_ = false;
  std::optional<std::string> taken_why_;
  std::string logged_;  // the last failure
  net::Signal news_;    // for run()
  net::Signal times_;   // for watch()
  net::Signal steps_;   // for waiting coroutines: a batch was acknowledged, the journal taken, or run() is done
  net::Signal ending_;  // ends the pause after a failure
};

}  // namespace ydl::master
