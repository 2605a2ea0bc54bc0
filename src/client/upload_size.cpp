#include "client/upload_size.hpp"

#include "core/strings.hpp"
#include "files/ignore_list.hpp"
#include "spec/rules.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace fs = std::filesystem;

// The most files that are counted before a job starts on this machine, which takes 20 ms.
constexpr std::uint64_t kMostFilesLookedAt = 20'000;

class Scale {
 public:
  explicit Scale(MeasureLimit enough) : enough_(enough) {}

  void put(const fs::directory_entry& entry) {
    std::error_code error;
    if (!entry.is_directory(error)) {
      ++total_.files;
      if (const auto size = entry.file_size(error); !error) total_.bytes += size;
      return;
    }
    using Walk = fs::recursive_directory_iterator;
    for (auto walk = Walk(entry.path(), fs::directory_options::skip_permission_denied, error);
         !error && walk != Walk() && !full(); walk.increment(error)) {
      std::error_code unknown;  // of a broken link, which is skipped
      if (!walk->is_directory(unknown)) put(*walk);
    }
  }

  [[nodiscard]] bool full() const { return total_.bytes > enough_.bytes || total_.files >= enough_.files; }
  [[nodiscard]] UploadSize total() const { return total_; }

 private:
  MeasureLimit enough_;
  UploadSize total_;
};

}  // namespace

UploadSize measure_upload(const spec::JobSpec& job, MeasureLimit enough) {
  Scale scale(enough);
  std::error_code error;
  const fs::path directory(job.directory.value_or("."));
  if (job.auto_files) {
    const files::IgnoreList ignored(directory);
    for (auto entry = fs::directory_iterator(directory, error);
         !error && entry != fs::directory_iterator() && !scale.full(); entry.increment(error)) {
      if (!ignored.names(entry->path())) scale.put(*entry);
    }
  }
  for (const auto* list : {&job.files, &job.archives}) {
    for (const auto& file : *list) {
      const fs::directory_entry entry(directory / file.source, error);
      if (!error && !scale.full()) scale.put(entry);
    }
  }
  return scale.total();
}

core::Result<std::string> check_upload_size(const spec::JobSpec& job) {
  const auto limit = job.files_limit.value_or(spec::kDefaultFilesLimit);
  const auto most_files = job.files_limit ? kEverything.files : kMostFilesLookedAt;
  if (measure_upload(job, {limit, most_files}).bytes <= limit) return "";
  const auto what = fmt::format("the files of the job have more than {}", core::format_bytes(limit));
  const auto remedy = fmt::format("name files that tasks do not need in {}/.ydlignore", job.directory.value_or("."));
  if (!job.files_limit) {
    return fmt::format("{}, which a cluster would refuse; {}, or raise the limit with --files-limit", what, remedy);
  }
  return core::fail(core::Errc::usage,
                    fmt::format("--files-limit: {}; {}, or raise the limit (files_limit in a job file)", what, remedy));
}

std::string describe(const UploadSize& size) {
  return fmt::format("{}, {}", core::plural(static_cast<std::int64_t>(size.files), "file"),
                     core::format_bytes(size.bytes));
}

}  // namespace ydl::client
