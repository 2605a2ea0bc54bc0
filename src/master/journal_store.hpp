#pragma once

#include "core/error.hpp"
#include "master/event_store.hpp"
#include "master/job_journal.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ydl::master {

class Master;

// The journal of a job on HDFS as the event store of its master. It passes the messages of the journal to the master,
// once there is one.
class JournalStore final : public EventStore, public std::enable_shared_from_this<JournalStore> {
 public:
  struct Opened {
    std::shared_ptr<JournalStore> store;    // null if the journal is unusable
    JobJournal::Opened content;             // the events of earlier masters
    std::optional<core::Error> unusable{};  // why no attempt of the master can read the journal
  };

  // Takes over the journal in the job's folder. Errors: another master has it; HDFS does not answer.
  [[nodiscard]] static net::Async<Opened> open(net::asio::any_io_executor executor,
                                               std::shared_ptr<hdfs::FileSystem> fs, std::string folder);
  // What follows from a failure to open the journal. If every attempt would fail in the same way, the job ends with the
  // reason; otherwise only this attempt ends, with the error.
  [[nodiscard]] static core::Result<Opened> after_failure(core::Error error);

  // Connects the master, which must live as long as the event loop runs.
  void serve(Master& master) { master_ = &master; }
  void add(std::string line) override { journal_->add(line); }
  [[nodiscard]] JobJournal& journal() const { return *journal_; }
  [[nodiscard]] std::shared_ptr<JobJournal> shared_journal() const { return journal_; }

  // The callbacks of the journal. They do not keep this store alive.
  [[nodiscard]] JobJournal::Listener listener();

 private:
  std::shared_ptr<JobJournal> journal_;
  Master* master_ = nullptr;
};

}  // namespace ydl::master
