#pragma once

#include "core/clock.hpp"
#include "hdfs/file_system.hpp"
#include "job/event_codec.hpp"
#include "net/asio.hpp"

#include <optional>
#include <string>
#include <vector>

// How a new master takes over the journal of a job: claim_epoch, recover_files, read_files, in this order;
// job_journal.hpp gives the reason. Temporary failures, such as a NameNode that is starting, are retried until the
// deadline. `folder` is the one that contains the files, FOLDER/journal.
namespace ydl::master {

[[nodiscard]] std::string journal_path(const std::string& folder, int number);

struct EpochClaim {
  int epoch = 0;
  hdfs::FileWriter writer;  // for the new, empty file journal/EPOCH
};
// Creates the next file. Errors: exists, if another master has just created it; corrupt, if a file is missing; those of
// HDFS.
[[nodiscard]] net::Async<EpochClaim> claim_epoch(hdfs::FileSystem& fs, std::string folder, core::Instant deadline);

// Closes files 1 to `count`, even if an earlier master is writing them; afterwards no earlier writer can append to
// them. Errors: timeout, with the last error of HDFS.
[[nodiscard]] net::Async<> recover_files(hdfs::FileSystem& fs, std::string folder, int count, core::Instant deadline);

struct JournalContent {
  std::optional<core::WallTime> began;  // nothing if no file has a header
  std::vector<job::TimedEvent> events;
};
// Reads files 1 to `count`. Errors: those of job::JournalFileReader; corrupt, if the files contain different start
// times.
[[nodiscard]] net::Async<JournalContent> read_files(hdfs::FileSystem& fs, std::string folder, int count,
                                                    core::Instant deadline);

}  // namespace ydl::master
