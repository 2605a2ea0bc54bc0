#include "spec/parse.hpp"

#include "core/strings.hpp"
#include "spec/document.hpp"
#include "spec/fields.hpp"
#include "spec/job_fields.hpp"
#include "spec/problems.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

core::Result<> check_version(const TreeNode& root, std::string_view file_name) {
  const auto refuse = [&](int line, std::string_view why) { return core::fail(problem_at(file_name, line, why)); };
  const Entry* entry = root.find("version");
  if (entry == nullptr && root.find("apiVersion") != nullptr) {
    return refuse(root.at.line, fmt::format("this is a Kubernetes resource; a job file begins with 'version: {}' and "
                                            "has roles and a command",
                                            kVersion));
  }
  if (entry == nullptr) {
    return refuse(root.at.line, fmt::format("the version is missing; add 'version: {}' at the top", kVersion));
  }
  const TreeNode& value = entry->value;
  const auto version = core::parse_int<std::int64_t>(value.text);
  if (value.kind != NodeKind::scalar || value.quoted || !version || *version < 1) {
    return refuse(entry->at.line, fmt::format("version: this must be {}, not {}", kVersion, describe(value)));
  }
  if (*version > kVersion) {
    return refuse(entry->at.line,
                  fmt::format("version: this ydl reads version {}, and the file has version {}; use a newer ydl",
                              kVersion, *version));
  }
  return {};
}

// Checks that concern two fields.
void check_python(const JobSpec& spec, const Fields& fields) {
  if (const auto conflict = python_conflict(spec)) fields.complain(conflict->key, fields.node(), conflict->sentence);
}

enum class Source { file, saved_job };

// Only saved jobs have the key for the directory of submission. For a user's file it is the directory of the command.
std::vector<std::string_view> known_keys(Source source) {
  std::vector<std::string_view> keys{"version"};
  for (const auto key : keys_of(job_fields())) {
    if (source == Source::saved_job || key != "directory") keys.push_back(key);
  }
  return keys;
}

core::Result<JobSpec> parse(std::string_view text, std::string_view file_name, Source source) {
  const auto root = parse_document(text, file_name);
  if (!root) return core::fail(root.error());
  if (root->kind == NodeKind::null) return core::fail(problem_at(file_name, 1, "the file is empty"));
  if (root->kind != NodeKind::map) {
    return core::fail(problem_at(file_name, root->at.line,
                                 fmt::format("a job file is a mapping that begins with "
                                             "'version: {}', not {}",
                                             kVersion, describe(*root))));
  }
  if (auto ok = check_version(*root, file_name); !ok) return core::fail(std::move(ok.error()));

  Problems problems(file_name);
  const Fields fields(*root, "", known_keys(source), problems);
  JobSpec spec;
  read_fields(job_fields(), fields, spec);
  check_python(spec, fields);
  if (!problems.empty()) return core::fail(problems.to_error());
  return spec;
}

}  // namespace

core::Result<JobSpec> parse_job(std::string_view text, std::string_view file_name) {
  return parse(text, file_name, Source::file);
}

int line_of_file(std::string_view text, const FileRef& file) {
  const auto root = parse_document(text, "");
  if (!root) return 1;
  for (const auto* key : {"files", "archives"}) {
    const Entry* list = root->find(key);
    if (list == nullptr) continue;
    for (const auto& item : list->value.items) {
      const Entry* source = item.find("source");
      if (item.text == file.source || (source != nullptr && source->value.text == file.source)) return item.at.line;
    }
  }
  return 1;
}

core::Result<JobSpec> parse_saved_job(std::string_view text, std::string_view file_name) {
  return parse(text, file_name, Source::saved_job);
}

}  // namespace ydl::spec
