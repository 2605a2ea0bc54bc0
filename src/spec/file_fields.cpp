#include "spec/file_fields.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

std::optional<FileRef> read_file_ref(const std::string& key, const TreeNode& item, const Fields& job) {
  constexpr std::array<std::string_view, 2> kKeys{"source", "name"};
  if (item.kind == NodeKind::scalar && is_text(item)) return FileRef{.source = item.text, .name = {}};
  if (item.kind != NodeKind::map) {
    job.complain(key, item, fmt::format("a file is a path or {{source: PATH, name: NAME}}, not {}", describe(item)));
    return std::nullopt;
  }
  const Fields fields(item, "a file", kKeys, job.problems());
  const auto source = fields.text("source", check_path);
  const auto name = fields.text("name", check_path);
  if (item.find("source") == nullptr) job.complain(key, item, "the 'source' of this file is missing");
  if (!source) return std::nullopt;
  return FileRef{.source = *source, .name = name.value_or("")};
}

// The names of files and archives in the task, and their lines in the job file.
using NameLines = std::map<std::string, int>;

using CheckFile = core::Result<> (*)(const FileRef&);

std::vector<FileRef> read_list(const Fields& job, const std::string& key, std::string_view example, NameLines& lines,
                               CheckFile check) {
  const TreeNode* list = job.sequence(key, example);
  if (list == nullptr) return {};
  if (list->items.size() > kMaxFiles) {
    job.complain(key, *list, fmt::format("a job names at most {} files; put them into a folder", kMaxFiles));
    return {};
  }
  std::vector<FileRef> files;
  for (const auto& item : list->items) {
    auto file = read_file_ref(key, item, job);
    if (!file) continue;
    if (auto ok = check(*file); !ok) {
      job.complain(key, item, ok.error().message);
      continue;
    }
    const auto [first, is_new] = lines.try_emplace(name_in_task(*file), item.at.line);
    if (!is_new) {
      job.complain(key, item,
                   fmt::format("the name {} in the task is taken by the file on line {}; give one of them "
                               "another 'name'",
                               in_quotes(first->first), first->second));
      continue;
    }
    files.push_back(std::move(*file));
  }
  return files;
}

void read_all(const Fields& fields, JobSpec& job) {
  NameLines names;
  job.files = read_list(fields, "files", "[data/train.bin]", names, check_file);
  job.archives = read_list(fields, "archives", "[{source: data.tar.gz, name: data}]", names, check_file);
  job.inputs = read_list(fields, "inputs", "[{source: 'hdfs:///data/train', name: train}]", names, check_input);
}

core::Result<> check_all(const JobSpec& job) {
  if (job.files.size() + job.archives.size() + job.inputs.size() > kMaxFiles) {
    return fail(Errc::usage, fmt::format("a job names at most {} files; put them into a folder", kMaxFiles));
  }
  std::set<std::string> names;
  for (const auto* list : {&job.files, &job.archives, &job.inputs}) {
    for (const auto& file : *list) {
      if (auto ok = list == &job.inputs ? check_input(file) : check_file(file); !ok) return ok;
      if (!names.insert(name_in_task(file)).second) {
        return fail(Errc::usage, fmt::format("two files have the name {} in the task; give one of them another",
                                             in_quotes(name_in_task(file))));
      }
    }
  }
  return {};
}

boost::json::array to_array(const std::vector<FileRef>& files) {
  boost::json::array array;
  for (const auto& file : files) {
    if (file.name.empty())
      array.emplace_back(file.source);
    else
      array.emplace_back(boost::json::object{{"source", file.source}, {"name", file.name}});
  }
  return array;
}

Field<JobSpec> list_field(std::string_view key, std::vector<FileRef> JobSpec::* member) {
  return {key, [](const Fields&, JobSpec&) {},
          [=](const JobSpec& job, boost::json::object& object) {
            if (!(job.*member).empty()) object.emplace(key, to_array(job.*member));
          },
          [](const JobSpec&) { return core::Result<>(); }};
}

}  // namespace

Field<JobSpec> files_field() {
  auto field = list_field("files", &JobSpec::files);
  field.read = read_all;
  field.check = check_all;
  return field;
}

Field<JobSpec> archives_field() {
  return list_field("archives", &JobSpec::archives);
}

Field<JobSpec> inputs_field() {
  return list_field("inputs", &JobSpec::inputs);
}

}  // namespace ydl::spec
