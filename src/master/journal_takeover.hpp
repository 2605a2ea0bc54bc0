#pragma once

#include "core/clock.hpp"
#include "hdfs/file_system.hpp"
#include "job/event_codec.hpp"
#include "net/asio.hpp"

#include <optional>
#include <string>
#include <vector>

// How a new master takes the journal of a job from those before it: claim_epoch, recover_files, read_files, in this
// order; job_journal.hpp says why. What may pass (a NameNode that starts, a DataNode that is away) is tried again until
// the deadline. `folder` is the one with the files, FOLDER/journal.
namespace ydl::master {

[[nodiscard]] std::string journal_path(const std::string& folder, int number);

struct EpochClaim {
  int epoch = 0;
  hdfs::FileWriter writer;  // of the new file journal/EPOCH, which is empty
};
// Creates the file after the newest one. Errors: exists, another master has created it at the same time; corrupt, a
// file is missing; those of HDFS.
[[nodiscard]] net::Async<EpochClaim> claim_epoch(hdfs::FileSystem& fs, std::string folder, core::Instant deadline);

// Closes files 1 to `count`, whoever writes them: afterwards nothing can be added to them by a writer of before.
// Errors: timeout, with what HDFS said last.
[[nodiscard]] net::Async<> recover_files(hdfs::FileSystem& fs, std::string folder, int count, core::Instant deadline);

struct JournalContent {
  std::optional<core::WallTime> began;  // nothing: no file has a header
  std::vector<job::TimedEvent> events;
};
// Files 1 to `count`. Errors: those of job::JournalFileReader; corrupt, if files disagree on when the job began.
[[nodiscard]] net::Async<JournalContent> read_files(hdfs::FileSystem& fs, std::string folder, int count,
                                                    core::Instant deadline);

}  // namespace ydl::master
