#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/launch.hpp"
#include "client/task_paths.hpp"
#include "core/files.hpp"
#include "master/plan.hpp"
#include "spec/parse.hpp"
#include "spec/problems.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

namespace ydl::cli {

int execute(const Submit& command) {
  const auto text = core::read_file(command.file, std::size_t{4} << 20U);
  if (!text) return complain({core::make_error_code(core::Errc::usage), text.error().message});
  auto spec = spec::parse_job(*text, command.file);
  if (!spec) return complain(spec.error());
  // Relative paths in a job file mean what they mean beside it, from wherever it is submitted.
  std::error_code error;
  const auto file = std::filesystem::absolute(command.file, error);
  if (error) return complain({error, fmt::format("the current directory cannot be read: {}", error.message())});
  spec->directory = file.parent_path().lexically_normal().string();
  if (spec->name.empty()) spec->name = file.stem().string();
  spec = with_cluster_options(*std::move(spec), command.on_cluster);
  if (!spec) return complain(spec.error());
  if (const auto missing = client::missing_file(*spec)) {
    return complain(spec::problem_at(command.file, spec::line_of_file(*text, missing->file),
                                     fmt::format("the file or folder {} does not exist in {}",
                                                 spec::in_quotes(missing->file.source), *spec->directory)));
  }
  auto options = command.options;
  std::ranges::move(cluster_only(*spec, Spelling::in_a_file), std::back_inserter(options.cluster_only));
  return launch_job(options, *std::move(spec));
}

}  // namespace ydl::cli
