#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/foreign.hpp"
#include "cli/commands/status_text.hpp"
#include "client/job_client.hpp"
#include "client/views.hpp"
#include "client/yarn/master_loss.hpp"
#include "client/yarn/remote_job.hpp"
#include "net/endpoint_file.hpp"
#include "net/errors.hpp"
#include "net/spawn.hpp"
#include "ui/json.hpp"

#include <fmt/format.h>

namespace ydl::cli {
namespace {

net::awaitable<void> ask_master(net::Endpoint endpoint, core::Result<ui::JobView>& view) {
  client::JobClient client(co_await net::asio::this_coro::executor, std::move(endpoint));
  view = co_await client.job();
}

// The job runs on its cluster, and its master cannot be asked (yet): the last that it wrote to HDFS, if anything.
ui::JobView unreached_view(ui::JobView view, const yarn::AppReport& report) {
  const bool has_written = view.state != core::JobState::lost;
  view.reason = client::is_between_masters(report)
                    ? "its master is gone, and the cluster starts another: this is what it last wrote to HDFS"
                : has_written
                    ? "its master cannot be reached from here: this is what it last wrote to HDFS"
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

// The job's master runs on this machine and does not answer: what is in the job's folder.
ui::JobView silent_view(const jobs::JobFolder& folder, ui::JobView view) {
  if (const auto state = jobs::read_state_file(folder)) view.state = state->state;
  for (auto& task : view.tasks) {
    if (task.state != core::TaskState::lost) continue;
    task.state = task.node.empty() ? core::TaskState::waiting : core::TaskState::running;
  }
  view.reason =
      "its master on this machine does not answer, for example because its process is stopped: this is what it last "
      "wrote";
  view.exit_code.reset();
  return view;
}

core::Result<ui::JobView> current_view(const jobs::JobFolder& folder) {
  if (auto fresh = client::refresh(folder, std::nullopt); !fresh)
    complain({fresh.error().code, fmt::format("{}; this is what was known before", fresh.error().message)});
  if (client::has_master(folder)) {
    if (auto endpoint = net::read_endpoint(folder.master_file())) {
      net::asio::io_context context(1);
      core::Result<ui::JobView> view = core::fail(core::Errc::unavailable, "");
      net::spawn(context.get_executor(), "asking the job's master", ask_master(*std::move(endpoint), view));
      context.run();
      if (view || view.error().code == net::Errc::untrusted || view.error().code == core::Errc::refused) return view;
    }
  }
  auto stored = client::stored_job_view(folder);
  if (stored && !stored->finished) {
    if (jobs::master_lives(folder)) return silent_view(folder, *std::move(stored));
    if (const auto report = client::report_of(folder); report && *report && !yarn::is_over((*report)->state))
      return unreached_view(*std::move(stored), **report);
  }
  return stored;
}

// What the job's file says and its master does not.
void add_what_was_asked(ui::JobView& view, const jobs::JobFolder& folder) {
  const auto job = jobs::read_job_file(folder);
  if (!job) return;
  view.queue = job->spec.queue.value_or("");
  if (job->spec.roles.empty() && !job->spec.command.empty()) view.commands.push_back({"", job->spec.command});
  for (const auto& role : job->spec.roles)
    view.commands.push_back({role.name, role.command.empty() ? job->spec.command : role.command});
}

}  // namespace

int execute(const Status& command) {
  if (const auto code = show_foreign(command)) return *code;
  const auto folder = folder_of(command.job);
  if (!folder) return complain(folder.error());
  auto view = current_view(*folder);
  if (!view) return complain(view.error());
  add_what_was_asked(*view, *folder);
  print(wants_json(command.common) ? ui::json_job_line(*view) : status_text(*view, StatusScreen::of_output()));
  return 0;
}

}  // namespace ydl::cli
