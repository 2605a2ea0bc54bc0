#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/job_client.hpp"
#include "cli/views.hpp"
#include "core/strings.hpp"
#include "net/endpoint_file.hpp"
#include "ui/json.hpp"
#include "ui/relative_time.hpp"
#include "ui/table.hpp"

#include <fmt/format.h>

namespace ydl::cli {
namespace {

net::awaitable<void> ask_master(net::Endpoint endpoint, core::Result<ui::JobView>& view) {
  JobClient client(co_await net::asio::this_coro::executor, std::move(endpoint));
  view = co_await client.job();
}

core::Result<ui::JobView> current_view(const master::JobFolder& folder) {
  if (master::master_lives(folder)) {
    if (auto endpoint = net::read_endpoint(folder.master_file())) {
      net::asio::io_context context(1);
      core::Result<ui::JobView> view = core::fail(core::Errc::unavailable, "");
      net::asio::co_spawn(context, ask_master(*std::move(endpoint), view), net::asio::detached);
      context.run();
      if (view) return view;
    }
  }
  return stored_job_view(folder);
}

std::string duration_of(const ui::TaskView& task, core::WallTime now) {
  if (task.ran_for) return core::format_duration(*task.ran_for);
  if (task.running_since) return core::format_duration(now - *task.running_since);
  return "";
}

std::string text_of(const ui::JobView& job) {
  const auto now = core::wall_now();
  std::string text = fmt::format("{}  {}  {} on {}\n", job.id, job.state, job.framework, job.where);
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
    table.row({task.id.str(), task.state, std::to_string(task.attempt), task.node, duration_of(task, now),
               task.reason.empty() ? task.last_line : task.reason});
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
