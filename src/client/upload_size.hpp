#pragma once

#include "core/result.hpp"
#include "spec/job_spec.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace ydl::client {

// The files that are uploaded for a job: those in the submission directory, without those in its .ydlignore, and the
// named files and archives.
struct UploadSize {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// Counts the files; those that cannot be read are skipped. It stops at `enough` bytes or files: a job on this machine
// copies nothing, and its start must not wait until a data set is counted.
struct MeasureLimit {
  std::uint64_t bytes;
  std::uint64_t files;
};
inline constexpr MeasureLimit kEverything{std::numeric_limits<std::uint64_t>::max(),
                                          std::numeric_limits<std::uint64_t>::max()};
[[nodiscard]] UploadSize measure_upload(const spec::JobSpec& job, MeasureLimit enough);

// Checks the size before a job starts on this machine. A limit in the job is enforced. The default limit is for
// uploads, so here, where files are only linked, exceeding it gives a note that a cluster would refuse the job. Returns
// the note, if any. Errors: usage.
[[nodiscard]] core::Result<std::string> check_upload_size(const spec::JobSpec& job);

// "12 files, 3.4 MiB".
[[nodiscard]] std::string describe(const UploadSize& size);

}  // namespace ydl::client
