#include "agent/task.hpp"

#include "agent/process/tree_killer.hpp"
#include "agent/task_environment.hpp"
#include "core/descriptors.hpp"
#include "core/log.hpp"
#include "core/process_guard.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "net/spawn.hpp"

#include <csignal>
#include <unistd.h>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr core::Millis kBeatPeriod = core::Seconds(5);

Environment read_own_environment() {
  Environment env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) env.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return env;
}

const Environment& own_environment() {
  static const auto environment = read_own_environment();
  return environment;
}

}  // namespace

Task::Task(net::asio::any_io_executor executor, Machine& machine, const Surroundings& surroundings,
           protocol::Prepare request, ReportSink report)
    : departs_{std::make_shared<Departure>(executor), std::make_shared<Ending>(executor)},
      context_{std::move(executor), machine, surroundings, std::move(report)},
      request_(std::move(request)),
      copying_{.patience = surroundings.hdfs_patience},
      resources_(machine, request_.attempt),
      image_(context_, request_),
      preparation_(context_, request_, resources_, image_, copying_),
      warning_(request_),
      log_(request_.attempt, request_.log_directory, context_.report),
      silence_(request_.stall_timeout),
      saves_(context_, request_),
      saving_(context_, request_, copying_) {}

Task::~Task() {
  end();
}

namespace {

// The coroutine has the owner from the moment of the call, also if the loop runs it only later.
net::awaitable<void> keep_alive([[maybe_unused]] std::shared_ptr<const void> owner, net::awaitable<void> work) {
  co_await std::move(work);
}

}  // namespace

void Task::spawn(const char* name, net::awaitable<void> work) {
  net::spawn(context_.executor, name, keep_alive(shared_from_this(), std::move(work)));
}

// ---- prepare ---------------------------------------------------------------------------------------------------

void Task::prepare(std::shared_ptr<DirectoryListings> listings, std::optional<EarlierAttempt> earlier) {
  if (auto checked = preparation_.check(); !checked)
    prepare_failed(checked.error());
  else
    spawn("preparing a task", fetch_and_prepare(std::move(listings), std::move(earlier)));
}

net::awaitable<void> Task::fetch_and_prepare(std::shared_ptr<DirectoryListings> listings,
                                             std::optional<EarlierAttempt> earlier) {
  if (earlier) {
    co_await Departure::wait(earlier->departure);
    const auto followed = co_await preparation_.follow(*earlier);
    if (copying_.cancelled) co_return;
    if (!followed) co_return prepare_failed(followed.error());
    listings = std::make_shared<DirectoryListings>();
  }
  if (preparation_.takes_long()) {
    const auto fetched = co_await preparation_.fetch();
    if (copying_.cancelled) co_return;
    if (!fetched) co_return prepare_failed(fetched.error());
    listings = std::make_shared<DirectoryListings>();  // the submission directory may have changed meanwhile
  }
  auto prepared = co_await preparation_.finish(std::move(listings));
  if (copying_.cancelled) co_return;
  if (prepared) prepared = start_scheduler();
  if (!prepared) co_return prepare_failed(prepared.error());
  auto ports = resources_.ports().ports();
  if (scheduler_) ports.push_back(scheduler_->port());
  context_.report(protocol::Prepared{request_.attempt, std::move(ports)});
}

// This is the last step of the preparation, so that no other failure can leave a scheduler behind.
core::Result<void> Task::start_scheduler() {
  if (!request_.scheduler) return {};
  const auto report = context_.report;
  auto scheduler = SchedulerHost::start(context_.executor, *request_.scheduler, request_.port_range,
                                        {[report, attempt = request_.attempt](std::string why) {
                                           report(protocol::SchedulerBroken{attempt, std::move(why)});
                                         },
                                         [report, attempt = request_.attempt](std::string text) {
                                           report(protocol::SchedulerNote{attempt, std::move(text)});
                                         }});
  if (!scheduler) return core::fail(scheduler.error());
  scheduler_ = *std::move(scheduler);
  return {};
}

void Task::prepare_failed(const core::Error& error) const {
  protocol::PrepareFailed failed{request_.attempt, error.message};
  failed.on_every_host = error.code == hrpc::Errc::not_found;  // an input does not exist in HDFS
  if (error.code == std::errc::address_in_use) failed.cause = job::Cause::port_taken;
  context_.report(std::move(failed));
}

// ---- run -------------------------------------------------------------------------------------------------------

LaunchRequest Task::launch_request(protocol::Launch request) const {
  LaunchRequest launch;
  const auto asked = request_.image ? request.env : Environment{};
  std::optional<std::string> visible_gpus;
  if (request_.gpus > 0 || request_.host_gpus != protocol::HostGpus::visible)
    visible_gpus = visible_devices(resources_.gpus());
  launch.argv = with_results_folder(std::move(request.argv), request_.results_directory);
  launch.environment = task_environment(
      std::move(request.env),
      {.working_directory = request_.working_directory,
       .results_directory = request_.results_directory,
       .restore_directory = preparation_.restore_directory(),
       .visible_gpus = std::move(visible_gpus),
       .path_first = request_.path_first,
       .python_path_first = request_.packed ? request_.packed->python_path : std::vector<std::string>(),
       .home = context_.surroundings.home,
       .warning_file = warning_.path().string(),
       .hadoop_user = context_.surroundings.hadoop_user},
      own_environment());
  launch.working_directory = request_.working_directory;
  launch.own_group = context_.surroundings.own_group;
  launch.stdout_file = std::filesystem::path(request_.log_directory) / "stdout";
  launch.stderr_file = std::filesystem::path(request_.log_directory) / "stderr";
  if (resources_.cgroup()) launch.cgroups = resources_.cgroup()->directories();
  if (const auto limit = core::original_descriptor_limit()) launch.limits.push_back({RLIMIT_NOFILE, *limit});
  if (const auto limit = core::original_core_limit()) launch.limits.push_back({RLIMIT_CORE, *limit});
  launch.umask = core::original_umask();
  launch.agent_silence = context_.surroundings.agent_silence;
  if (request_.image) image_.put_into(launch, asked);
  return launch;
}

// At most once for each job, because the master sets hidden_with_note for one task only.
void Task::report_hidden_gpus(const protocol::Launch& request) const {
  if (request_.gpus > 0 || request_.host_gpus != protocol::HostGpus::hidden_with_note) return;
  if (request.env.contains("CUDA_VISIBLE_DEVICES") || !has_gpu_device()) return;
  context_.report(protocol::Note{request_.attempt,
                                 fmt::format("{0} has GPUs, but the job requests none, so its tasks cannot see them; "
                                             "add --resource {1}:gpus=1 to assign one to each {1}",
                                             core::host_name(), request_.attempt.task.role)});
}

void Task::make_ready(protocol::Launch request) {
  if (std::exchange(was_launched_, true)) return;
  report_hidden_gpus(request);
  if (request.gang) {
    // Not in the working directory, whose files become results of the task.
    const auto folder = std::filesystem::path(request_.working_directory).parent_path();
    const auto file = context_.machine.gang_file().write(folder, *request.gang);
    if (!file) {
      ready_.emplace(core::fail(file.error()));
      return;
    }
    add_gang(request.env, *request.gang, *file);
  }
  if (auto made = warning_.prepare(); !made) {
    ready_.emplace(core::fail(made.error()));
    return;
  }
  auto launch = launch_request(std::move(request));
  path_ = launch.environment["PATH"];
  ready_.emplace(TaskProcess::prepare(std::move(launch)));
}

void Task::start() {
  if (ready_ && *ready_) started_.emplace((*ready_)->start());
}

void Task::watch() {
  if (!ready_) return;
  auto started = *ready_ ? *std::move(started_) : core::fail(ready_->error());
  started_.reset();
  ready_.reset();
  if (!started) {
    start_failed(job::Cause::start_failed, fmt::format("could not start: {}", started.error().message));
    return;
  }
  process_ = std::make_unique<TaskProcess>(*std::move(started));
  context_.machine.add_reaper(process_->reaper_pid());
  spawn("watching a task", follow());
}

net::awaitable<void> Task::follow() {
  if (process_ == nullptr) co_return;  // the task was released before this coroutine began
  net::asio::posix::stream_descriptor descriptor(context_.executor, ::dup(process_->fd()));
  while (!process_->finished()) {
    const auto [error] = co_await descriptor.async_wait(net::asio::posix::descriptor_base::wait_read, net::tuple);
    if (error || process_ == nullptr) co_return;
    while (auto event = process_->read_event()) {
      std::visit([this](const auto& e) { on(e); }, *event);
    }
  }
}

void Task::look(LookRound& round) {
  if (!running()) return;
  const auto now = core::steady_now();
  if (now - last_beat_ >= kBeatPeriod) {
    last_beat_ = now;
    process_->beat();
  }
  if (log_.read(now) > 0) silence_.wrote(now);
  log_.note_times(now, core::wall_now());
  switch (silence_.news(now)) {
    case Silence::News::silent:
      context_.report(protocol::TaskSilent{request_.attempt});
      break;
    case Silence::News::writes:
      context_.report(protocol::TaskWrites{request_.attempt});
      break;
    case Silence::News::none:
      break;
  }
  if (log_.take_checkpoint()) saves_.save_now();
  if (auto taken = ports_.check(round, process_->reaper_pid(), core::steady_now()))
    start_failed(job::Cause::port_taken, *std::move(taken));
}

std::optional<UsageSource> Task::usage_source() const {
  if (!running() || (request_.image && request_.image->runtime == "docker")) return std::nullopt;
  return UsageSource{request_.attempt, began_, reaper_pid(), resources_.cgroup()};
}

void Task::on(const Launched& event) {
  ports_.begin(resources_.ports().ports(), core::steady_now());
  began_ = core::steady_now();
  silence_.wrote(began_);
  context_.report(protocol::TaskStarted{request_.attempt, event.pid});
  saving_.copy_logs();
  spawn("saving what a task has written", save_while_it_runs());
}

net::awaitable<void> Task::save_while_it_runs() {
  if (running()) co_await saves_.run(reaper_pid());
}

void Task::on(const LaunchFailed& event) {
  departs_.processes->tell();
  const auto permanent =
      event.error.code == core::Errc::refused ? job::Cause::not_executable : job::Cause::cannot_start;
  start_failed(event.permanent ? permanent : job::Cause::start_failed,
               fmt::format("could not start: {}", event.error.message));
}

void Task::on(const Ended& event) {
  if (event.survivors > 0) core::log("{}: {} processes could not be killed", request_.attempt.str(), event.survivors);
  if (event.agent_was_silent) {
    context_.report(protocol::Note{
        request_.attempt, fmt::format("it was killed because its agent on {} was stopped or hung for {}",
                                      core::host_name(), core::format_duration(context_.surroundings.agent_silence))});
  }
  job::ExitStatus status;
  status.code = event.exit_code;
  status.signal = event.signal;
  status.peak_memory = event.peak_rss_bytes;
  ended(status, event.leftovers_killed);
}

void Task::on(const ReaperLost&) {
  core::log("the reaper of {} was killed; ending its remaining processes", request_.attempt.str());
  job::ExitStatus status;
  status.signal = SIGKILL;
  ended(status, kill_leftovers(context_.machine.reapers()));
}

void Task::start_failed(job::Cause cause, std::string reason) const {
  context_.report(protocol::TaskStartFailed{request_.attempt, cause, std::move(reason)});
}

}  // namespace ydl::agent
