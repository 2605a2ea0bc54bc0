#include "master/local_files.hpp"

#include "spec/rules.hpp"

namespace ydl::master {

backend::LocalFiles local_files(const jobs::JobFolder& folder, const jobs::JobFile& job) {
  backend::LocalFiles files;
  files.folders_of = [folder, results = job.results](const core::AttemptId& attempt) {
    return backend::LocalFiles::Folders{folder.working_directory(attempt.task), results / attempt.task.file_name(),
                                        folder.task_logs(attempt)};
  };
  const auto& spec = job.spec;
  if (spec.auto_files) files.linked_directory = spec.directory.value_or("");
  for (const auto& file : spec.files) {
    const auto source = std::filesystem::path(spec.directory.value_or("/")) / file.source;
    files.links.push_back({source.string(), spec::name_in_task(file)});
  }
  for (const auto& archive : spec.archives) {
    const auto name = spec::name_in_task(archive);
    files.links.push_back({(folder.archives() / name).string(), name});
  }
  return files;
}

}  // namespace ydl::master
