#pragma once

#include "core/error.hpp"
#include "master/event_store.hpp"
#include "master/job_journal.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ydl::master {

class Master;

// The journal of a job on HDFS as the store of its master: what the journal has to tell goes to the master, once there
// is one. Before that only the journal's opening matters, which open() waits for.
class JournalStore final : public EventStore, public std::enable_shared_from_this<JournalStore> {
 public:
  struct Opened {
    std::shared_ptr<JournalStore> store;    // nothing where the journal is unusable
    JobJournal::Opened content;             // of the masters before this one
    std::optional<core::Error> unusable{};  // why another attempt would not read the journal either
  };

  // Takes the journal in the job's folder. Errors: another master has it; HDFS does not answer.
  [[nodiscard]] static net::Async<Opened> open(net::asio::any_io_executor executor,
                                               std::shared_ptr<hdfs::FileSystem> fs, std::string folder);
  // What follows from an opening that failed: the job ends and says why, where another attempt would read the same;
  // else the error, for this attempt alone.
  [[nodiscard]] static core::Result<Opened> after_failure(core::Error error);

  // From now on the master is told; it lives as long as the loop runs.
  void serve(Master& master) { master_ = &master; }
  void add(std::string line) override { journal_->add(line); }
  [[nodiscard]] JobJournal& journal() const { return *journal_; }
  [[nodiscard]] std::shared_ptr<JobJournal> shared_journal() const { return journal_; }

  // What the journal calls. It does not keep this store alive.
  [[nodiscard]] JobJournal::Listener listener();

 private:
  std::shared_ptr<JobJournal> journal_;
  Master* master_ = nullptr;
};

}  // namespace ydl::master
