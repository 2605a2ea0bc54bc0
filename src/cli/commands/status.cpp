#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "client/job_client.hpp"
#include "client/views.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"
#include "net/endpoint_file.hpp"
#include "net/errors.hpp"
#include "net/spawn.hpp"
#include "ui/json.hpp"
#include "ui/relative_time.hpp"
#include "ui/table.hpp"

#include <unistd.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

net::awaitable<void> ask_master(net::Endpoint endpoint, core::Result<ui::JobView>& view) {
  client::JobClient client(co_await net::asio::this_coro::executor, std::move(endpoint));
  view = co_await client.job();
}

// The job runs on its cluster, and its master cannot be asked (yet): the last that it wrote to HDFS, if anything.
ui::JobView unreached_view(ui::JobView view) {
  const bool has_written = view.state != core::JobState::lost;
  view.reason = has_written ? "its master cannot be reached from here: this is what it last wrote to HDFS"
                            : "its master does not answer: it waits for its container, or cannot be reached from here";
  if (!has_written) {
    view.state = core::JobState::placing;
    for (auto& task : view.tasks) {
      if (task.state == core::TaskState::lost) task.state = core::TaskState::waiting;
    }
  }
  view.exit_code.reset();
  return view;
}

core::Result<ui::JobView> current_view(const jobs::JobFolder& folder) {
  if (auto fresh = client::refresh(folder, std::nullopt); !fresh)
    (void)core::write_all(STDERR_FILENO,
                          fmt::format("ydl: {}; this is what was known before\n", fresh.error().message));
  if (client::has_master(folder)) {
    if (auto endpoint = net::read_endpoint(folder.master_file())) {
      net::asio::io_context context(1);
      core::Result<ui::JobView> view = core::fail(core::Errc::unavailable, "");
      net::spawn(context.get_executor(), "asking the job's master", ask_master(*std::move(endpoint), view));
      context.run();
      if (view || view.error().code == net::Errc::untrusted) return view;
    }
  }
  auto stored = client::stored_job_view(folder);
  if (stored && !stored->finished) {
    if (const auto running = client::is_running(folder); running && *running) return unreached_view(*std::move(stored));
  }
  return stored;
}

std::string duration_of(const ui::TaskView& task, core::WallTime now) {
  if (task.ran_for) return core::format_duration(*task.ran_for);
  if (task.running_since) return core::format_duration(now - *task.running_since);
  return "";
}

std::string text_of(const ui::JobView& job) {
  const auto now = core::wall_now();
  std::string text = fmt::format("{}  {}  {}on {}\n", job.id, job.state.name(),
                                 job.framework == "none" ? "" : job.framework + " ", job.where);
  text +=
      fmt::format("submitted {}{}\n", ui::relative_time(job.submitted, now),
                  job.finished ? fmt::format(", took {}", core::format_duration(*job.finished - job.submitted)) : "");
  if (!job.reason.empty()) text += fmt::format("{}\n", job.reason);
  text += fmt::format("logs     {}\nresults  {}\n\n", job.logs_path, job.results_path);
  ui::Table table({{"TASK"},
                   {"STATE"},
                   {"ATTEMPT", ui::Align::right},
                   {"HOST"},
                   {"RAN", ui::Align::right},
                   {"LAST", ui::Align::left, ui::Fit::shrink}});
  for (const auto& task : job.tasks) {
    table.row({task.id.str(), std::string(task.state.name()), std::to_string(task.attempt), task.node,
               duration_of(task, now), task.reason.empty() ? task.last_line : task.reason});
  }
  return text + table.render(table_width(), output_style());
}

}  // namespace

int execute(const Status& command) {
  const auto folder = folder_of(command.job);
  if (!folder) return complain(folder.error());
  const auto view = current_view(*folder);
  if (!view) return complain(view.error());
  print(wants_json(command.common) ? ui::json_job_line(*view) : text_of(*view));
  return 0;
}

}  // namespace ydl::cli
