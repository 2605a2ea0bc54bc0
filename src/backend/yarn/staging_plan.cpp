#include "backend/yarn/staging_plan.hpp"

#include "core/strings.hpp"
#include "files/entry_limit.hpp"
#include "files/ignore_list.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <sys/stat.h>
#include <thread>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

namespace fs = std::filesystem;
using core::Errc;
using core::fail;
using core::Result;
using Type = yarn::LocalResource::Type;

// Every node needs one or two connections for each part, so their number is limited.
constexpr std::size_t kMostParts = 64;
constexpr std::size_t kLongestCacheName = 100;
constexpr std::array<std::string_view, 5> kUnpacked{".tar.gz", ".tgz", ".tar", ".zip", ".jar"};
constexpr std::string_view kCode = "code";
constexpr std::string_view kFiles = "files";
constexpr std::string_view kEnv = "env";
constexpr std::string_view kPackages = "env-packages";

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = core::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Programs and libraries find each other by their real paths ($ORIGIN), so they are uploaded together. They are
// recognised by name and mode, because reading every file would take as long as uploading it.
bool is_library(const fs::path& path) {
  const auto name = path.filename().native();
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

bool is_program(const fs::path& path) {
  constexpr auto kAnyExecute = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  std::error_code error;
  const auto status = fs::status(path, error);
  return !error && (status.permissions() & kAnyExecute) != fs::perms::none;
}

// Whether a file or folder is large enough for a separate upload. A file that cannot be read counts as empty here;
// packing it reports the error.
bool is_large(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto size = fs::file_size(path, error);
    return !error && size >= kPartSize && !is_library(path) && !is_program(path);
  }
  std::uint64_t total = 0;
  using Walk = fs::recursive_directory_iterator;
  for (auto walk = Walk(path, fs::directory_options::skip_permission_denied, error); !error && walk != Walk();
       walk.increment(error)) {
    if (files::IgnoreList::never_read(walk->path().filename().native())) {
      walk.disable_recursion_pending();
    } else if (std::error_code unknown; !walk->is_symlink(unknown) && walk->is_regular_file(unknown)) {
      if (is_library(walk->path())) return false;
      total += walk->file_size(unknown);
    }
  }
  return total >= kPartSize;
}

class Planner {
 public:
  explicit Planner(const spec::JobSpec& job)
      : job_(job),
        directory_(job.directory.value_or("/")),
        limit_(job.files_limit.value_or(spec::kDefaultFilesLimit)),
        left_(limit_) {}

  Result<> add_program(const std::string& executable) {
    return add_file("ydl", executable, "ydl", Type::file, Counted::no);
  }
  Result<> add_directory();
  Result<> add_files();
  Result<> add_archives();
  Result<> add_python_env(const PythonEnv& environment, const std::stop_token& stop);

  [[nodiscard]] StagingPlan take() && { return std::move(plan_); }

 private:
  // Whether it counts towards the limit of uploads.
  enum class Counted { no, yes };

  // A part of the Python environment.
  struct Layer {
    std::string_view name;   // for people
    std::string_view item;   // in the container's directory
    std::string_view link;   // in the task's working directory
    const std::string& key;  // see PythonEnv::key
    const std::string& source;
  };
  Result<> add_layer(const Layer& layer, const fs::path& cache, const std::function<Result<TreeToPack>()>& read,
                     const std::stop_token& stop);
  Result<> add_file(std::string name, const fs::path& path, std::string in_cache, Type type, Counted counted);
  void add_tree(std::string_view name, std::string in_cache, FileTree tree);
  Result<> add_part(const fs::path& source, const std::string& name_in_task);
  Result<FileTree> read_folder(const fs::path& source, const std::string& name);
  Result<> add_named(const spec::FileRef& file, FileTree& small);
  [[nodiscard]] Result<fs::path> existing(const spec::FileRef& file, std::string_view option) const;
  [[nodiscard]] core::Error too_much() const;

  [[nodiscard]] std::string next_part() { return fmt::format("part-{}", ++parts_); }
  core::Error placed(const core::Error& error) const { return error.code == Errc::no_capacity ? too_much() : error; }

  const spec::JobSpec& job_;
  fs::path directory_;
  std::uint64_t limit_;
  std::uint64_t left_;
  std::size_t parts_ = 0;
  StagingPlan plan_;
};

core::Error Planner::too_much() const {
  return {
      Errc::usage,
      fmt::format("more than {} would be uploaded: name files that the tasks do not need in {}/.ydlignore, or raise "
                  "the limit with --files-limit (files_limit in a job file)",
                  core::format_bytes(limit_), directory_.string())};
}

Result<> Planner::add_file(std::string name, const fs::path& path, std::string in_cache, Type type, Counted counted) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return fail(core::system_error(errno, fmt::format("cannot read {}", path.string())));
  const auto stamp = stamp_of(status);
  if (counted == Counted::yes) {
    if (stamp.size > left_) return fail(too_much());
    left_ -= stamp.size;
  }
  plan_.items.push_back({std::move(name), std::move(in_cache), type, StagingItem::File{path, stamp}, stamp.size, {}});
  return {};
}

void Planner::add_tree(std::string_view name, std::string in_cache, FileTree tree) {
  const auto size = tree.tar_size();
  plan_.items.push_back({std::string(name), std::move(in_cache), Type::archive, std::move(tree), size, {}});
}

Result<FileTree> Planner::read_folder(const fs::path& source, const std::string& name) {
  TreeReader reader([root = without_links(source)](const fs::path& path) { return lies_in(path, root); }, left_);
  if (auto read = reader.add(source, name); !read) return fail(placed(read.error()));
  auto tree = std::move(reader).take();
  left_ -= tree.bytes;
  return tree;
}

Result<> Planner::add_part(const fs::path& source, const std::string& name_in_task) {
  auto name = next_part();
  plan_.links.push_back({name, name_in_task});
  std::error_code error;
  if (!fs::is_directory(source, error))
    return add_file(std::move(name), source, cache_name(source), Type::file, Counted::yes);
  auto tree = read_folder(source, "");
  if (!tree) return fail(tree.error());
  add_tree(name, cache_name(source, ".tar"), *std::move(tree));
  return {};
}

Result<> Planner::add_directory() {
  const files::IgnoreList ignored(directory_);
  std::vector<fs::path> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory_, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!ignored.names(entry->path())) names.push_back(entry->path().filename());
  }
  if (error)
    return fail(core::system_error(error.value(), fmt::format("cannot read the directory {}", directory_.string())));
  if (names.size() > files::kMostLinkedEntries) return fail(files::too_many_entries(directory_));
  std::ranges::sort(names);
  std::set<fs::path> members;
  for (const auto& name : names) {
    const bool alone = parts_ < kMostParts && is_utf8(name.native()) && is_large(directory_ / name);
    if (!alone) {
      members.insert(name);
    } else if (auto added = add_part(directory_ / name, name.string()); !added) {
      return added;
    }
  }
  if (members.empty()) return {};
  TreeReader reader(
      [&members, root = without_links(directory_)](const fs::path& path) {
        return lies_in(path, root) && path != root && members.contains(*path.lexically_relative(root).begin());
      },
      left_);
  for (const auto& name : members) {
    if (auto read = reader.add(directory_ / name, name.string()); !read) return fail(placed(read.error()));
  }
  auto tree = std::move(reader).take();
  left_ -= tree.bytes;
  plan_.linked_directory = kCode;
  add_tree(kCode, "code.tar", std::move(tree));
  return {};
}

Result<fs::path> Planner::existing(const spec::FileRef& file, std::string_view option) const {
  auto source = directory_ / file.source;
  std::error_code error;
  if (fs::exists(source, error)) return source;
  return fail(Errc::not_found, fmt::format("{} does not exist, but {} names it", source.string(), option));
}

Result<> Planner::add_named(const spec::FileRef& file, FileTree& small) {
  auto source = existing(file, "--file");
  if (!source) return fail(source.error());
  const auto name = spec::name_in_task(file);
  if (parts_ < kMostParts && is_large(*source)) return add_part(*source, name);
  // Each file has its own folder, so that two files may have the same name.
  const auto member = fmt::format("{}/{}", plan_.links.size(), fs::path(name).filename().string());
  auto tree = read_folder(without_links(*source), member);
  if (!tree) return fail(tree.error());
  plan_.links.push_back({fmt::format("{}/{}", kFiles, member), name});
  small.bytes += tree->bytes;
  std::ranges::move(tree->entries, std::back_inserter(small.entries));
  return {};
}

Result<> Planner::add_files() {
  FileTree small;
  for (const auto& file : job_.files) {
    if (auto added = add_named(file, small); !added) return added;
  }
  if (small.entries.empty()) return {};
  std::ranges::sort(small.entries, {}, [](const TreeEntry& entry) -> const std::string& { return entry.tar.name; });
  add_tree(kFiles, "files.tar", std::move(small));
  return {};
}

Result<> check_unpacked(const fs::path& archive, std::string_view option) {
  const auto name = archive.filename().string();
  if (std::ranges::any_of(kUnpacked, [&](std::string_view suffix) { return name.ends_with(suffix); })) return {};
  return fail(
      Errc::usage,
      fmt::format("{} {}: YARN recognises archives by their suffix and unpacks only {}: use one of these formats",
                  option, archive.string(), fmt::join(kUnpacked, ", ")));
}

Result<> Planner::add_archives() {
  for (const auto& archive : job_.archives) {
    const auto source = existing(archive, "--archive");
    if (!source) return fail(source.error());
    if (auto known = check_unpacked(*source, "--archive"); !known) return known;
    auto name = next_part();
    plan_.links.push_back({name, spec::name_in_task(archive)});
    auto added = add_file(std::move(name), *source, cache_name(*source), Type::archive, Counted::yes);
    if (!added) return added;
  }
  return {};
}

// A file that was written in this moment could change again without a change of its stamp.
Result<> wait_until_settled(const FileTree& tree, const std::stop_token& stop) {
  constexpr core::Millis kPause{100};
  while (!tree.is_settled(core::wall_now())) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "packing the Python environment was interrupted");
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

Result<PackedArchive> find_or_pack(const fs::path& cache, const std::string& known_key,
                                   const std::function<Result<TreeToPack>()>& read, const std::stop_token& stop) {
  if (!known_key.empty()) {
    if (auto found = find_packed(cache, known_key)) return *std::move(found);
  }
  auto content = read();
  if (!content) return fail(content.error());
  const auto key = known_key.empty() ? content->tree.key() : known_key;
  if (known_key.empty()) {
    if (auto settled = wait_until_settled(content->tree, stop); !settled) return fail(settled.error());
    if (auto found = find_packed(cache, key)) return *std::move(found);
  }
  return pack(cache, key, *content, stop);
}

Result<> Planner::add_layer(const Layer& layer, const fs::path& cache, const std::function<Result<TreeToPack>()>& read,
                            const std::stop_token& stop) {
  auto packed = find_or_pack(cache, layer.key, read, stop);
  if (!packed) return fail(packed.error());
  const auto& facts = packed->facts;
  plan_.items.push_back({std::string(layer.item), fmt::format("python-{}.tar.zst", layer.name), Type::file,
                         StagingItem::File{packed->path, packed->stamp, facts.sha256}, facts.size, facts.sha256});
  auto& environment = plan_.environment ? *plan_.environment : plan_.environment.emplace();
  environment.packed.folders.push_back({.archive = std::string(layer.item),
                                        .hash = facts.sha256,
                                        .name = std::string(layer.link),
                                        .bytes = facts.unpacked,
                                        .files = facts.files,
                                        .glibc = facts.glibc,
                                        .packages_glibc = facts.packages_glibc});
  environment.layers.push_back({.layer = std::string(layer.name),
                                .source = layer.source,
                                .hash = facts.sha256,
                                .bytes = facts.size,
                                .unpacked = facts.unpacked,
                                .files = facts.files,
                                .found = {}});
  return {};
}

// An environment seldom changes and is uploaded once, so it does not count towards the limit.
Result<> Planner::add_python_env(const PythonEnv& environment, const std::stop_token& stop) {
  if (!environment.archive.empty()) {
    plan_.links.push_back({std::string(kEnv), std::string(kPythonEnvLink)});
    if (auto known = check_unpacked(environment.archive, "--python-env"); !known) return known;
    return add_file(std::string(kEnv), environment.archive, cache_name(environment.archive), Type::archive,
                    Counted::no);
  }
  auto added = add_layer(
      {"base", kEnv, kPythonEnvLink, environment.key, environment.source}, environment.cache,
      [&] { return environment_tree(environment); }, stop);
  if (!added || !environment.packages) return added;
  const auto& packages = *environment.packages;
  plan_.environment->packed.python_path = {std::string(kPythonPackagesLink)};
  return add_layer(
      {"packages", kPackages, kPythonPackagesLink, packages.key, packages.source}, environment.cache,
      [&] { return packages_tree(packages); }, stop);
}

std::string memory_key(const StagingItem& item) {
  if (const auto* file = std::get_if<StagingItem::File>(&item.content)) return "file:" + file->stamp.key();
  return "tree:" + std::get<FileTree>(item.content).key();
}

bool is_settled(const StagingItem& item, core::WallTime now) {
  if (const auto* file = std::get_if<StagingItem::File>(&item.content)) return file->stamp.is_settled(now);
  return std::get<FileTree>(item.content).is_settled(now);
}

}  // namespace

std::unique_ptr<ByteSource> StagingItem::open() const {
  if (const auto* file = std::get_if<File>(&content)) return file_source(file->path, file->stamp);
  return tar_source(std::get<FileTree>(content));
}

std::string cache_name(const fs::path& path, std::string_view suffix) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  std::string name = path.filename().string();
  std::ranges::replace_if(name, std::not_fn(plain), '_');
  name += suffix;
  if (name.size() > kLongestCacheName)
    name.erase(0, name.size() - kLongestCacheName);  // keep the end, because the suffix is needed
  if (name.empty() || name.front() == '.')
    name.insert(0, 1, '_');  // names that start with '.' are those of incomplete uploads
  return name;
}

Result<StagingPlan> plan_staging(const spec::JobSpec& job, const std::string& executable,
                                 const std::optional<PythonEnv>& python_env, const std::stop_token& stop) {
  Planner planner(job);
  auto done = planner.add_program(executable);
  if (done) done = planner.add_files();  // before the directory, because named files win over files in it
  if (done) done = planner.add_archives();
  if (done && job.auto_files) done = planner.add_directory();
  if (done && python_env) done = planner.add_python_env(*python_env, stop);
  if (!done) return fail(done.error());
  return std::move(planner).take();
}

Result<> hash_items(StagingPlan& plan, HashMemory& memory, core::WallTime now, const std::stop_token& stop) {
  for (auto& item : plan.items) {
    const auto* file = std::get_if<StagingItem::File>(&item.content);
    if (file != nullptr && !file->known_hash.empty()) {
      item.sha256 = file->known_hash;
      continue;
    }
    const auto key = memory_key(item);
    if (auto known = memory.find(key)) {
      item.sha256 = *std::move(known);
      continue;
    }
    auto hash = hash_of(*item.open(), stop);
    if (!hash) return fail(hash.error());
    item.sha256 = *std::move(hash);
    if (is_settled(item, now)) memory.remember(key, item.sha256);
  }
  return {};
}

}  // namespace ydl::backend
