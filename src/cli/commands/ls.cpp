#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "client/cluster_choice.hpp"
#include "client/yarn/cluster_client.hpp"
#include "client/yarn/foreign_job.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/strings.hpp"
#include "jobs/job_summary.hpp"
#include "net/wait_for.hpp"
#include "ui/relative_time.hpp"
#include "ui/table.hpp"
#include "yarn/diagnostics.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

std::string_view state_word(const jobs::JobSummary& job) {
  return job.state ? core::name(*job.state) : "unreadable";
}

std::string json_line(const jobs::JobSummary& job) {
  boost::json::object object{{"v", 1},
                             {"type", "summary"},
                             {"job", job.id.str()},
                             {"name", job.name},
                             {"framework", job.framework},
                             {"cluster", job.cluster ? core::name(*job.cluster) : ""},
                             {"state", state_word(job)},
                             {"tasks", job.tasks},
                             {"reason", job.reason}};
  object["submitted"] = job.created ? boost::json::value(core::format_utc(*job.created)) : nullptr;
  object["finished"] = job.finished ? boost::json::value(core::format_utc(*job.finished)) : nullptr;
  return boost::json::serialize(object) + "\n";
}

ui::Tone tone_of(const std::optional<core::JobState>& state) {
  if (!state || *state == core::JobState::failed || *state == core::JobState::lost) return ui::Tone::red;
  if (*state == core::JobState::succeeded) return ui::Tone::green;
  return ui::Tone::plain;
}

// What the ResourceManager knows of this user's jobs.
net::Async<std::vector<yarn::AppReport>> ask_cluster(client::ClusterClient& cluster) {
  yarn::ClientRm::Filter filter;
  filter.types = {"YDL"};
  filter.users = {cluster.user};
  auto reports = co_await cluster.rm->applications(std::move(filter));
  cluster.close();
  co_return reports;
}

// Jobs on the cluster as the ResourceManager sees them; those submitted from other machines are among them.
void add_cluster_jobs(std::vector<jobs::JobSummary>& jobs, const std::vector<yarn::AppReport>& reports) {
  for (const auto& report : reports) {
    const auto id = client::job_id_of(report.tags);
    if (!id) continue;
    const auto known = std::ranges::find(jobs, *id, [](const jobs::JobSummary& job) { return job.id.str(); });
    const bool is_new = known == jobs.end();
    auto& job = is_new ? jobs.emplace_back() : *known;
    if (!is_new && (!job.state || is_final(*job.state))) continue;
    job.id = {*id};
    job.name = report.name;
    job.cluster = core::ClusterKind::yarn;
    if (!job.created) job.created = report.started;
    if (const auto state = client::state_of(report); is_new || job.state == core::JobState::placing || is_final(state))
      job.state = state;
    if (!yarn::is_over(report.state)) continue;
    job.finished = report.finished;
    job.reason = yarn::describe_end_of_application(report.diagnostics);
  }
  std::ranges::sort(jobs, std::greater{}, [](const jobs::JobSummary& job) { return std::pair(job.created, job.id); });
}

core::Result<> look_at_cluster(const CommonOptions& options, std::vector<jobs::JobSummary>& jobs) {
  if (options.cluster == core::ClusterKind::local) return {};
  const auto where = client::choose_cluster({.cluster = options.cluster, .cluster_only = {}});
  if (!where) return core::fail(where.error());
  if (where->cluster != core::ClusterKind::yarn) return {};
  net::asio::io_context context(1);
  auto cluster = client::open_cluster(context.get_executor(), *where->hadoop);
  if (!cluster) return core::fail(cluster.error());
  const auto reports = net::wait_for(context, ask_cluster(*cluster));
  if (!reports) return core::fail(reports.error());
  add_cluster_jobs(jobs, *reports);
  return {};
}

}  // namespace

int execute(const List& command) {
  const auto jobs = jobs::jobs_root();
  if (!jobs) return complain(jobs.error());
  auto summaries = jobs::summarise_jobs(*jobs);
  int code = 0;  // a list that lacks the cluster's jobs is not a success
  if (auto looked = look_at_cluster(command.common, summaries); !looked) code = complain(looked.error());
  if (summaries.size() > static_cast<std::size_t>(command.limit))
    summaries.resize(static_cast<std::size_t>(command.limit));
  if (wants_json(command.common)) {
    for (const auto& job : summaries) print(json_line(job));
    return code;
  }
  if (summaries.empty()) {
    print(fmt::format("no jobs in {}\n", jobs->string()));
    return code;
  }
  const auto now = core::wall_now();
  ui::Table table({{"ID"},
                   {"STATE"},
                   {"FRAMEWORK"},
                   {"TASKS", ui::Align::right},
                   {"SUBMITTED"},
                   {"TOOK"},
                   {"REASON", ui::Align::left, ui::Fit::shrink}});
  for (const auto& job : summaries) {
    const auto end = job.finished ? *job.finished : now;
    const bool goes_on = job.state && !is_final(*job.state) && *job.state != core::JobState::lost;
    table.row({job.id.str(), std::string(state_word(job)), job.framework,
               job.tasks > 0 ? std::to_string(job.tasks) : "", job.created ? ui::relative_time(*job.created, now) : "",
               job.created && (job.finished || goes_on) ? core::format_duration(end - *job.created) : "",
               job.state == core::JobState::succeeded ? "" : job.reason},
              tone_of(job.state));
  }
  print(table.render(table_width(), output_style()));
  return code;
}

}  // namespace ydl::cli
