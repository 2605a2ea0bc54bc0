#include "agent/task.hpp"

#include "agent/task_environment.hpp"
#include "agent/tree_killer.hpp"
#include "core/descriptors.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "net/spawn.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

namespace ydl::agent {
namespace {

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

net::Async<GpuPool*> Machine::gpus() {
  if (gpus_) co_return &*gpus_;
  if (const auto look = look_) {
    while (!look->result) co_await look->ended.wait(core::Seconds(60));
    if (!*look->result) co_return core::fail(look->result->error());
    co_return &*gpus_;
  }
  const auto look = look_ = std::make_shared<GpuLook>(co_await net::asio::this_coro::executor);
  auto found = std::make_shared<core::Result<std::vector<Gpu>>>();
  look->result = co_await worker_.run([found](const std::stop_token&) { *found = discover_gpus(); });
  look_.reset();
  if (*look->result && !*found) look->result = core::fail(found->error());
  if (*look->result) gpus_.emplace(**std::move(found), kGpuLocks);
  look->ended.notify();
  if (!*look->result) co_return core::fail(look->result->error());
  co_return &*gpus_;
}

void Machine::release(std::span<const Gpu> gpus) {
  if (gpus_) gpus_->release(gpus);
}

void Machine::add_reaper(pid_t pid) {
  reapers_.push_back(pid);
}

void Machine::remove_reaper(pid_t pid) {
  std::erase(reapers_, pid);
}

Cgroups& Machine::cgroups() {
  if (!cgroups_) {
    cgroups_ = Cgroups::detect();
    cgroups_->remove_leftovers(core::wall_now(), core::Seconds(3600));
  }
  return *cgroups_;
}

Task::Task(net::asio::any_io_executor executor, Machine& machine, const Surroundings& surroundings, Prepare request,
           ReportSink report)
    : executor_(std::move(executor)),
      machine_(machine),
      surroundings_(surroundings),
      request_(std::move(request)),
      report_(std::move(report)),
      copying_{.patience = surroundings.hdfs_patience},
      saved_(executor_),
      out_(std::filesystem::path(request_.log_directory) / "stdout"),
      err_(std::filesystem::path(request_.log_directory) / "stderr") {}

Task::~Task() {
  end();
  machine_.release(gpus_);
  if (cgroup_ && !cgroup_->remove())
    core::log("the cgroup of {} is still busy; a later agent removes it", request_.attempt.str());
}

// ---- prepare ---------------------------------------------------------------------------------------------------

bool Task::needs_hdfs() const {
  return !request_.inputs.empty() || !request_.remote_results.empty() || !request_.remote_logs.empty();
}

void Task::prepare(DirectoryListings& listings) {
  if (needs_hdfs() && surroundings_.hdfs == nullptr) {
    report_(PrepareFailed{request_.attempt, "its agent was told of no HDFS to bring inputs from or keep results in"});
  } else if (auto fits = check_image(); !fits) {
    report_(PrepareFailed{request_.attempt, fits.error().message});
  } else if (needs_hdfs() || request_.image || request_.gpus > 0) {
    net::spawn(executor_, "preparing a task", fetch_and_prepare());
  } else {
    prepare_here(listings);
  }
}

net::awaitable<void> Task::fetch_and_prepare() {
  const auto self = shared_from_this();
  auto fetched = co_await fetch_image();
  if (fetched && needs_hdfs()) fetched = co_await fetch_from_hdfs();
  if (fetched && !copying_.cancelled && request_.gpus > 0) fetched = co_await take_gpus();
  if (copying_.cancelled) co_return;
  if (!fetched) {
    PrepareFailed failed{request_.attempt, fetched.error().message};
    failed.on_every_host = fetched.error().code == hrpc::Errc::not_found;  // an input that HDFS does not have
    report_(std::move(failed));
    co_return;
  }
  DirectoryListings listings;
  prepare_here(listings);
}

void Task::prepare_here(DirectoryListings& listings) {
  auto prepared = prepare_workspace(request_, listings);
  if (prepared) prepared = take_ports_and_limits();
  if (prepared)
    report_(Prepared{request_.attempt, ports_.ports()});
  else
    report_(PrepareFailed{request_.attempt, prepared.error().message});
}

net::Async<> Task::take_gpus() {
  const auto pool = co_await machine_.gpus();
  if (!pool) co_return core::fail(pool.error());
  auto gpus = (*pool)->allocate(static_cast<std::size_t>(request_.gpus));
  if (!gpus) {
    co_return core::fail(core::Errc::no_capacity,
                         fmt::format("it asks for {}, of this machine's {} only {} are free: other tasks or jobs of "
                                     "ydl have the rest",
                                     core::plural(request_.gpus, "GPU"), (*pool)->size(), (*pool)->available()));
  }
  gpus_ = *std::move(gpus);
  co_return core::Result<>{};
}

core::Result<void> Task::take_ports_and_limits() {
  std::optional<PortRange> range;
  if (request_.port_range) range = PortRange{request_.port_range->first, request_.port_range->second};
  auto ports = HeldPorts::hold(request_.ports, range);
  if (!ports) return core::fail(ports.error());
  ports_ = *std::move(ports);
  if (request_.memory_limit > 0 || request_.vcores_limit > 0) {
    CgroupLimits limits;
    if (request_.memory_limit > 0) limits.memory_bytes = request_.memory_limit;
    if (request_.vcores_limit > 0) limits.vcores = request_.vcores_limit;
    const auto name = Cgroups::name_for(surroundings_.job, request_.attempt.task.file_name(), request_.attempt.attempt);
    // Limits are set where the system lets us; where it does not, the job runs as it would without them.
    if (auto made = machine_.cgroups().create(name, limits))
      cgroup_ = *std::move(made);
    else
      core::log("{} runs without limits: {}", request_.attempt.str(), made.error().message);
  }
  return {};
}

// ---- run -------------------------------------------------------------------------------------------------------

LaunchRequest Task::launch_request(Launch request) const {
  LaunchRequest launch;
  const auto asked = request_.image ? request.env : Environment{};
  std::optional<std::string> visible_gpus;
  if (request_.gpus > 0 || request_.host_gpus != HostGpus::visible) visible_gpus = visible_devices(gpus_);
  launch.argv = with_results_folder(std::move(request.argv), request_.results_directory);
  launch.environment = task_environment(std::move(request.env),
                                        {.working_directory = request_.working_directory,
                                         .results_directory = request_.results_directory,
                                         .visible_gpus = std::move(visible_gpus),
                                         .path_first = request_.path_first,
                                         .home = surroundings_.home},
                                        own_environment());
  launch.working_directory = request_.working_directory;
  launch.own_group = surroundings_.own_group;
  launch.stdout_file = std::filesystem::path(request_.log_directory) / "stdout";
  launch.stderr_file = std::filesystem::path(request_.log_directory) / "stderr";
  if (cgroup_) launch.cgroups = cgroup_->directories();
  if (const auto limit = core::original_descriptor_limit()) launch.limits.push_back({RLIMIT_NOFILE, *limit});
  if (request_.image) put_into_image(launch, asked);
  return launch;
}

// Once per job: the master asks one task for it.
void Task::tell_of_hidden_gpus(const Launch& request) {
  if (request_.gpus > 0 || request_.host_gpus != HostGpus::hidden_with_note) return;
  if (request.env.contains("CUDA_VISIBLE_DEVICES") || !has_gpu_device()) return;
  report_(
      Note{request_.attempt, fmt::format("{0} has GPUs, but the job asks for none, so its tasks do not see them; add "
                                         "--resource {1}:gpus=1 to give one to each {1}",
                                         core::host_name(), request_.attempt.task.role)});
}

void Task::make_ready(Launch request) {
  tell_of_hidden_gpus(request);
  if (request.gang) {
    // Beside the working directory, whose files become the task's results.
    const auto folder = std::filesystem::path(request_.working_directory).parent_path();
    const auto file = machine_.gang_file().write(folder, *request.gang);
    if (!file) {
      ready_.emplace(core::fail(file.error()));
      return;
    }
    add_gang(request.env, *request.gang, *file);
  }
  ready_.emplace(TaskProcess::prepare(launch_request(std::move(request))));
}

void Task::start() {
  if (*ready_) started_.emplace((*ready_)->start());
}

void Task::watch() {
  auto started = *ready_ ? *std::move(started_) : core::fail(ready_->error());
  started_.reset();
  ready_.reset();
  if (!started) {
    start_failed(job::Cause::start_failed, fmt::format("could not start: {}", started.error().message));
    return;
  }
  process_ = std::make_unique<TaskProcess>(*std::move(started));
  machine_.add_reaper(process_->reaper_pid());
  net::spawn(executor_, "watching a task", follow());
}

net::awaitable<void> Task::follow() {
  const auto self = shared_from_this();
  net::asio::posix::stream_descriptor descriptor(executor_, ::dup(process_->fd()));
  while (!process_->finished()) {
    const auto [error] = co_await descriptor.async_wait(net::asio::posix::descriptor_base::wait_read, net::tuple);
    if (error || process_ == nullptr) co_return;
    while (auto event = process_->read_event()) {
      std::visit([this](const auto& e) { on(e); }, *event);
    }
  }
}

void Task::on(const Launched& event) {
  watch_ports();
  report_(TaskStarted{request_.attempt, event.pid});
  if (!request_.remote_logs.empty()) copy_logs_to_hdfs();
}

void Task::on(const LaunchFailed& event) {
  start_failed(event.permanent ? job::Cause::cannot_start : job::Cause::start_failed,
               fmt::format("could not start: {}", event.error.message));
}

void Task::on(const Ended& event) {
  if (event.survivors > 0) core::log("{}: {} processes could not be killed", request_.attempt.str(), event.survivors);
  job::ExitStatus status;
  status.code = event.exit_code;
  status.signal = event.signal;
  status.peak_memory = event.peak_rss_bytes;
  ended(status, event.leftovers_killed);
}

void Task::on(const ReaperLost&) {
  core::log("the reaper of {} was killed; ending what it left", request_.attempt.str());
  job::ExitStatus status;
  status.signal = SIGKILL;
  ended(status, kill_strays(machine_.reapers()));
}

void Task::ended(const job::ExitStatus& status, int leftovers) {
  TaskExited exited{request_.attempt, status, was_stopped_ ? 0 : leftovers, {}};
  if (cgroup_) {
    exited.status.out_of_memory = !status.ok() && cgroup_->oom_killed();
    exited.status.memory_limit = request_.memory_limit;
    exited.status.peak_memory = std::max(status.peak_memory, cgroup_->peak_memory().value_or(0));
  }
  net::spawn(executor_, "saving results", save(std::move(exited)));
}

void Task::start_failed(job::Cause cause, std::string reason) {
  report_(TaskStartFailed{request_.attempt, cause, std::move(reason)});
}

void Task::stop(core::Millis grace) {
  if (!running()) return;
  was_stopped_ = true;
  process_->stop(grace);
}

void Task::kill() {
  if (!running()) return;
  was_stopped_ = true;
  process_->kill();
}

void Task::end() {
  const pid_t reaper = reaper_pid();
  if (running()) {
    process_->kill();
    remove_container_now();
  }
  process_.reset();  // ends whatever still runs
  machine_.remove_reaper(reaper);
}

void Task::give_up() {
  kill();
  copying_.cancelled = true;
  for (const auto& copy : log_copies_) copy->cancel();
}

}  // namespace ydl::agent
