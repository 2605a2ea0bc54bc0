#include "cli/commands/common.hpp"

#include "cli/commands/slow_note.hpp"
#include "client/cluster_choice.hpp"
#include "client/command_errors.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"
#include "net/wait_for.hpp"
#include "ui/json.hpp"
#include "ui/screen.hpp"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {

namespace {

bool errors_are_json = false;

int exit_code_of(const core::Error& error) {
  if (const int code = client::command_exit_code(error)) return code;
  return error.code == core::Errc::usage ? 2 : error.code == core::Errc::cancelled ? 130 : 1;
}

}  // namespace

void complain_in_json() {
  errors_are_json = true;
}

int complain(const core::Error& error) {
  const int code = exit_code_of(error);
  if (errors_are_json) print(ui::json_error_line(error.message, code));
  note(error.message);
  return code;
}

// The message may contain names from other users or hosts, so control characters are escaped.
void note(std::string_view sentence) {
  (void)ui::Screen(STDERR_FILENO).write(fmt::format("ydl: {}\n", core::escaped_lines(sentence)));
}

void print(std::string_view text) {
  (void)ui::Screen(STDOUT_FILENO).write(text);
}

int check_output(int code) {
  if (!ui::output_failure()) return code;
  note(ui::output_failure()->message);
  return code == 0 ? 1 : code;
}

namespace {

net::Async<jobs::JobFolder> adopt(client::ClusterClient& cluster, std::filesystem::path jobs, std::string name) {
  auto folder = co_await client::RemoteJob::adopt(cluster, std::move(jobs), std::move(name));
  cluster.close();
  co_return folder;
}

}  // namespace

// Jobs of this machine first, then those that this user has on the cluster.
core::Result<jobs::JobFolder> folder_of(const std::string& job) {
  const auto jobs = jobs::jobs_root();
  if (!jobs) return core::fail(jobs.error());
  if (!job.empty()) {
    auto found = jobs::find_job_folder(*jobs, job);
    if (found || found.error().code != core::Errc::not_found) return found;
    const auto where = client::choose_cluster({});
    if (!where || where->cluster != core::ClusterKind::yarn) return found;
    net::asio::io_context context(1);
    auto cluster = client::open_cluster(context.get_executor(), *where->hadoop);
    if (!cluster) return found;
    auto adopted = net::wait_for(
        context, with_slow_note(adopt(*cluster, *jobs, job),
                                fmt::format("no job {} on this machine; waiting for the ResourceManager", job)));
    return adopted || adopted.error().code != core::Errc::not_found ? adopted : found;
  }
  auto folders = jobs::list_job_folders(*jobs);
  if (folders.empty())
    return core::fail(core::Errc::not_found, "there are no jobs yet: `ydl run --help` shows how to run one");
  const auto age = [](const jobs::JobFolder& folder) {
    std::error_code ignored;
    return std::filesystem::last_write_time(folder.job_file(), ignored);
  };
  return *std::ranges::max_element(folders, {}, age);
}

core::Result<core::TaskId> find_task(const jobs::JobFile& job, const std::string& text) {
  const auto task = core::TaskId::parse(text);
  const bool is_role = std::ranges::find(job.spec.roles, text, &spec::Role::name) != job.spec.roles.end();
  if (!task && !is_role && !text.contains(':')) {
    std::vector<std::string> names;
    for (const auto& role : job.spec.roles) names.push_back(role.name);
    return core::fail(core::Errc::not_found, fmt::format("job {} has no role '{}'; it has {}", job.id.str(),
                                                         core::printable(text), fmt::join(names, ", ")));
  }
  if (!task) return core::fail(task.error());
  std::vector<std::string> roles;
  for (const auto& role : job.spec.roles) {
    if (role.name == task->role && task->index < role.count) return *task;
    roles.push_back(role.count == 1 ? fmt::format("{}:0", role.name)
                                    : fmt::format("{}:0 to {}:{}", role.name, role.name, role.count - 1));
  }
  return core::fail(core::Errc::not_found,
                    fmt::format("job {} has no task {}; it has {}", job.id.str(), text, fmt::join(roles, ", ")));
}

bool wants_json(const CommonOptions& options) {
  return options.output == ui::Mode::json;
}

int table_width() {
  const ui::Screen screen(STDOUT_FILENO);
  return screen.is_terminal() ? screen.size().columns : 0;
}

ui::Style output_style() {
  return ui::Screen(STDOUT_FILENO).is_terminal() ? ui::terminal_style() : ui::Style{};
}

}  // namespace ydl::cli
