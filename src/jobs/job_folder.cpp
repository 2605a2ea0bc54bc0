#include "jobs/job_folder.hpp"

#include "core/described_json.hpp"
#include "core/strings.hpp"
#include "jobs/folder_deletion.hpp"
#include "spec/parse.hpp"
#include "spec/write.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::core {

template <>
struct JsonValue<jobs::PortRange> {
  static boost::json::value write(const jobs::PortRange& range) {
    return boost::json::array{range.first, range.second};
  }
  static Result<jobs::PortRange> read(const boost::json::value& value) {
    const auto ports = JsonValue<std::vector<std::uint16_t>>::read(value);
    if (!ports || ports->size() != 2 || ports->front() < 1 || ports->front() > ports->back())
      return fail(Errc::corrupt, "is not a range of ports");
    return jobs::PortRange(ports->front(), ports->back());
  }
};

}  // namespace ydl::core

namespace ydl::jobs {

BOOST_DESCRIBE_STRUCT(RestoreFolders, (), (saves, results))
BOOST_DESCRIBE_STRUCT(StateFile, (), (state, tasks, exit_code, reason, cause, cause_attempt, finished))

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using core::Errc;
using core::fail;
using core::Result;

// job.json
struct JobRecord {
  std::string id;
  core::WallTime created;
  std::string user;
  std::string ydl;  // its version
  core::ClusterKind cluster = core::ClusterKind::local;
  std::string results;
  std::optional<PortRange> port_range;
  std::optional<RestoreFolders> restore;
  json::object spec;
};
BOOST_DESCRIBE_STRUCT(JobRecord, (), (id, created, user, ydl, cluster, results, port_range, restore, spec))

template <core::Described T>
Result<void> write_record(const fs::path& path, const T& record) {
  return core::write_file_atomically(path, core::encode_record(kFolderVersion, record) + "\n", 0600);
}

template <core::Described T>
Result<T> read_record(const fs::path& path) {
  const auto text = core::read_file(path);
  if (!text) return fail(text.error());
  auto record = core::decode_record<T>(kFolderVersion, *text);
  if (!record) return fail(record.error().within(path.string()));
  return record;
}

struct flock whole_file_lock() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string id_prefix(const std::string& name) {
  std::string prefix;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0)
      prefix += static_cast<char>(std::tolower(u));
    else if (!prefix.empty() && prefix.back() != '-')
      prefix += '-';
    if (prefix.size() == 24) break;
  }
  while (prefix.ends_with('-')) prefix.pop_back();
  return prefix.empty() ? "job" : prefix;
}

constexpr char kUnfinished = '.';  // the first character of the name of a folder that is not complete yet

bool is_unfinished(const fs::path& folder) {
  return folder.filename().string().starts_with(kUnfinished);
}

void remove_tree(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

// Removes incomplete folders of clients that were killed.
void remove_abandoned(const fs::path& jobs) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(jobs, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (!is_unfinished(entry->path()) || is_hidden_folder(entry->path())) continue;
    const auto changed = fs::last_write_time(entry->path(), error);
    if (!error && fs::file_time_type::clock::now() - changed > std::chrono::hours(1))
      abandoned.push_back(entry->path());
    error.clear();
  }
  for (const auto& folder : abandoned) remove_tree(folder);
}

}  // namespace

fs::path JobFolder::task_logs(const core::AttemptId& attempt) const {
  return logs() / attempt.task.file_name() / std::to_string(attempt.attempt);
}

fs::path JobFolder::working_directory(const core::TaskId& task) const {
  return root_ / "tasks" / task.file_name();
}

Result<fs::path> jobs_root(const core::Getenv& getenv) {
  if (const auto state = getenv("XDG_STATE_HOME"); state && state->starts_with('/'))
    return fs::path(*state) / "ydl" / "jobs";
  const auto home = core::home_directory(getenv);
  if (!home) return fail(home.error());
  return *home / ".local" / "state" / "ydl" / "jobs";
}

bool is_job_id(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::size_t kSuffix = 5;  // "-03fa"
  constexpr std::size_t kLongest = 24 + kSuffix;
  if (text.size() <= kSuffix || text.size() > kLongest || text.front() == '-') return false;
  const auto suffix = text.substr(text.size() - kSuffix);
  const auto is_allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return std::ranges::all_of(text, is_allowed) && suffix.front() == '-' &&
         suffix.find_first_not_of(kHex, 1) == std::string_view::npos;
}

Result<JobFolder> create_job_folder(const fs::path& jobs, const std::string& name, const FillJobFolder& fill) {
  if (auto made = core::make_directories(jobs, 0700); !made) return fail(made.error());
  remove_abandoned(jobs);
  for (int tries = 0; tries < 100; ++tries) {
    const auto id = fmt::format("{}-{}", id_prefix(name), core::random_hex(2));
    JobFolder folder(jobs / id);
    const JobFolder unfinished(jobs / fmt::format("{}{}", kUnfinished, id));
    const auto cannot = [&](int error) {
      remove_tree(unfinished.root());
      return fail(core::system_error(error, fmt::format("cannot create the job's folder {}", folder.root().string())));
    };
    if (::mkdir(unfinished.root().c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return cannot(errno);
    }
    auto filled = core::make_directories(unfinished.logs(), 0700);
    if (filled && fill) filled = fill(unfinished, folder);
    if (!filled) {
      remove_tree(unfinished.root());
      return fail(filled.error());
    }
    if (::rename(unfinished.root().c_str(), folder.root().c_str()) == 0) return folder;
    if (errno != EEXIST && errno != ENOTEMPTY) return cannot(errno);
    remove_tree(unfinished.root());
  }
  return fail(Errc::exists,
              fmt::format("too many jobs named '{}' in {}: `ydl rm` deletes old ones", name, jobs.string()));
}

std::vector<JobFolder> list_job_folders(const fs::path& jobs) {
  std::vector<JobFolder> folders;
  std::error_code error;
  for (fs::directory_iterator entry(jobs, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    if (!is_unfinished(entry->path()) && entry->is_directory(unknown)) folders.emplace_back(entry->path());
  }
  return folders;
}

Result<JobFolder> find_job_folder(const fs::path& jobs, std::string_view id) {
  if (id.empty() || id.find('/') != std::string_view::npos || id.starts_with('.')) {
    return fail(Errc::not_found, fmt::format("'{}' is not a job id; `ydl ls` shows the jobs", id));
  }
  const auto folders = list_job_folders(jobs);
  std::vector<std::string> names;
  std::vector<std::string> matching;
  for (const auto& folder : folders) {
    names.push_back(folder.id().str());
    if (names.back() == id) return folder;
    if (names.back().starts_with(id)) matching.push_back(names.back());
  }
  if (matching.size() == 1) return JobFolder(jobs / matching.front());
  if (matching.size() > 1)
    return fail(Errc::not_found,
                fmt::format("'{}' matches several jobs: {}; give more of the id", id, core::join(matching, ", ")));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return fail(Errc::not_found,
              fmt::format("there is no job '{}'{} (`ydl ls` shows all)", id, core::did_you_mean(id, candidates)));
}

Result<void> write_job_file(const JobFolder& folder, const JobFile& job) {
  return write_record(folder.job_file(), JobRecord{.id = job.id.str(),
                                                   .created = job.created,
                                                   .user = job.user,
                                                   .ydl = job.ydl_version,
                                                   .cluster = job.cluster,
                                                   .results = job.results.string(),
                                                   .port_range = job.port_range,
                                                   .restore = job.restore,
                                                   .spec = json::parse(spec::to_json(job.spec)).as_object()});
}

Result<JobFile> read_job_file(const JobFolder& folder) {
  auto record = read_record<JobRecord>(folder.job_file());
  if (!record) return fail(record.error());
  auto spec = spec::parse_saved_job(json::serialize(record->spec), folder.job_file().string());
  if (!spec) return fail(spec.error());
  return JobFile{.id = folder.id(),
                 .created = record->created,
                 .user = std::move(record->user),
                 .ydl_version = std::move(record->ydl),
                 .cluster = record->cluster,
                 .results = std::move(record->results),
                 .port_range = record->port_range,
                 .restore = std::move(record->restore),
                 .spec = *std::move(spec)};
}

Result<void> write_state_file(const JobFolder& folder, const StateFile& state) {
  return write_record(folder.state_file(), state);
}

Result<StateFile> read_state_file(const JobFolder& folder) {
  return read_record<StateFile>(folder.state_file());
}

Result<core::UniqueFd> lock_job(const JobFolder& folder) {
  core::UniqueFd fd(::open(folder.lock_file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return fail(core::system_error(errno, fmt::format("cannot open {}", folder.lock_file().string())));
  struct flock lock = whole_file_lock();
  if (::fcntl(fd.get(), F_OFD_SETLK, &lock) != 0)
    return fail(Errc::exists, fmt::format("job {} already has a master", folder.id().str()));
  // If the disk is full, the master still runs, but the file does not name the lock's owner.
  if (::ftruncate(fd.get(), 0) == 0) (void)core::write_all(fd.get(), lock_owner());
  return fd;
}

std::string lock_owner() {
  const auto id = core::read_file("/proc/sys/kernel/random/boot_id", kLongestLockOwner);
  return id ? std::string(core::trim(*id)) : "";
}

bool master_lives(const JobFolder& folder) {
  const core::UniqueFd fd(::open(folder.lock_file().c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return false;
  struct flock lock = whole_file_lock();  // F_OFD_GETLK takes no lock, so this cannot keep a master from starting
  return ::fcntl(fd.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace ydl::jobs
