#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace ydl::client {

// What travels to the tasks of a job: what lies in the directory of submission, less what its .ydlignore names, and the
// files and archives of the job.
struct UploadSize {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// Counts it; what cannot be read counts nothing. Not further than `enough` bytes or files: where a job runs on this
// machine nothing is copied, and a start must not wait for the size of a data set.
struct MeasureLimit {
  std::uint64_t bytes;
  std::uint64_t files;
};
inline constexpr MeasureLimit kEverything{std::numeric_limits<std::uint64_t>::max(),
                                          std::numeric_limits<std::uint64_t>::max()};
[[nodiscard]] UploadSize measure_upload(const spec::JobSpec& job, MeasureLimit enough);

// Checks it before a job starts on this machine. A limit that the job gives is held; the default is for those who copy:
// where files are linked, it is a note that this job would be refused elsewhere. Returns the note, or nothing.
// Errors: usage.
[[nodiscard]] core::Result<std::string> check_upload_size(const spec::JobSpec& job);

// "12 files, 3.4 MiB".
[[nodiscard]] std::string describe(const UploadSize& size);

}  // namespace ydl::client
