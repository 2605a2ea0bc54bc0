#include "agent/agent.hpp"

#include "agent/container_credentials.hpp"
#include "agent/image/images.hpp"
#include "agent/job_folder_look.hpp"
#include "agent/master_calls.hpp"
#include "agent/process/tree_killer.hpp"
#include "agent/resources/usage.hpp"
#include "agent/task.hpp"
#include "agent/task_environment.hpp"
#include "core/log.hpp"
#include "core/user.hpp"
#include "net/in_thread.hpp"
#include "net/spawn.hpp"

#include <csignal>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace asio = net::asio;

constexpr core::Millis kLookPeriod{200};
constexpr core::Millis kUsagePeriod = core::Seconds(5);
// The master gives up on an agent that has not ended 15 s after it was told to shut down.
constexpr core::Millis kTasksEnd = core::Seconds(8);
constexpr core::Millis kLastReports = core::Seconds(5);

// The agent: it carries out the commands of its master and reports the results.
class Agent {
 public:
  Agent(asio::io_context& context, Machine& machine, AgentOptions options, AgentCredentials credentials)
      : context_(context),
        machine_(machine),
        options_(std::move(options)),
        calls_(context.get_executor(),
               {.master = std::move(credentials.master),
                .id = options_.id,
                .outlives_master = options_.outlives_master,
                .look = look_of(credentials)},
               {[this](core::Result<protocol::Command> command) { take(std::move(command)); },
                [this] { commands_end(); }, [this](const std::string& why) { leave(why); }}),
        gone_(context.get_executor()) {
    surroundings_.own_group = options_.lifeline == Lifeline::standard_input;
    surroundings_.job = surroundings_.own_group
                            ? options_.credentials.parent_path().filename().string()  // unique for each job
                            : options_.id.str();  // unique for each container on this host
    surroundings_.renews_directories = !surroundings_.own_group;
    if (!surroundings_.own_group && !is_home(core::process_getenv("HOME").value_or("")))
      surroundings_.home = directory_.string();  // removed together with the container
    if (!surroundings_.own_group)
      surroundings_.token_file = core::process_getenv("HADOOP_TOKEN_FILE_LOCATION").value_or("");
    surroundings_.hadoop_user = std::move(credentials.hadoop_user);
    surroundings_.hdfs_patience = options_.hdfs_patience;
    if (!options_.expected_image.empty()) check_place();
    if (credentials.hdfs) {
      const auto user = credentials.hdfs->namenode.identity.user;
      hdfs_.emplace(context.get_executor(), *std::move(credentials.hdfs));
      surroundings_.hdfs = &*hdfs_;
      file_systems_.emplace(context.get_executor(), *hdfs_, std::move(credentials.config),
                            hdfs::FileSystems::Login{user, std::move(credentials.tokens)});
      surroundings_.file_systems = &*file_systems_;
    }
  }

  void start() {
    net::spawn(context_.get_executor(), "reporting to the master", serve());
    if (options_.lifeline == Lifeline::standard_input)
      net::spawn(context_.get_executor(), "watching the master", watch_lifeline());
    net::spawn(context_.get_executor(), "watching signals", watch_signals());
  }

  [[nodiscard]] int exit_code() const { return exit_code_; }

  void end_tasks() {
    for (auto& [attempt, task] : tasks_) task->kill();  // all at once, then wait for each
    for (auto& [attempt, task] : tasks_) task->end();
    tasks_.clear();
    kill_leftovers({});
    machine_.preparer().close();
    machine_.worker().close();
  }

 private:
  net::awaitable<void> serve() {
    if (auto welcome = co_await calls_.say_hello(); !welcome) {
      exit_code_ = 1;
      leave(welcome.error().message);
      co_return;
    }
    net::spawn(context_.get_executor(), "looking at the tasks", look_at_tasks());
    net::spawn(context_.get_executor(), "counting what the tasks use", count_usage_of_tasks());
    co_await calls_.run();
  }

  // Returns nothing if no other master can take over the job.
  [[nodiscard]] std::function<net::awaitable<FolderLook>()> look_of(const AgentCredentials& credentials) {
    if (!credentials.hdfs || credentials.folder.empty()) return {};
    return [this, folder = credentials.folder] { return look_at_job_folder(*hdfs_, folder, options_.id); };
  }

  // A NodeManager without Docker silently ignores the image and runs the container without it.
  void check_place() {
    if (in_image(look_around())) return;
    surroundings_.wrong_place = image_was_ignored(options_.expected_image, core::host_name());
    core::log("{}", surroundings_.wrong_place);
  }

  void take(core::Result<protocol::Command> command) {
    if (shutting_down_) return;
    if (!command) {
      core::log("skipping a command that cannot be decoded: {}", command.error().message);
      return;
    }
    if (!std::holds_alternative<protocol::Launch>(*command))
      launch_ready();  // later commands may be about the tasks that are launched here
    std::visit([this](auto& c) { on(std::move(c)); }, *command);
  }

  void commands_end() {
    launch_ready();
    listings_ = std::make_shared<DirectoryListings>();
  }

  void launch_ready() {
    for (const auto& task : ready_) task->start();
    for (const auto& task : ready_) task->watch();
    ready_.clear();
  }

  // A master that took over the job may repeat commands of the earlier one.
  void on(const protocol::Prepare& command) {
    if (tasks_.contains(command.attempt)) return;
    calls_.hold(command.attempt);
    auto task = std::make_shared<Task>(context_.get_executor(), machine_, surroundings_,
                                       with_absolute_paths(command, directory_, options_.logs),
                                       [this](protocol::Report report) { tell(std::move(report)); });
    release_others_in(task->request().working_directory);
    tasks_[command.attempt] = task;
    const auto earlier = released_.extract(task->request().working_directory);
    task->prepare(listings_, earlier.empty() ? std::nullopt : std::optional(earlier.mapped()));
  }
  // A master that was lost may have prepared an attempt here that its successor has no record of.
  void release_others_in(const std::string& directory) {
    std::vector<core::AttemptId> others;
    for (const auto& [attempt, task] : tasks_) {
      if (task->request().working_directory == directory) others.push_back(attempt);
    }
    for (const auto& attempt : others) on(protocol::Release{attempt});
  }
  void on(protocol::Launch command) {
    const auto found = tasks_.find(command.attempt);
    if (found == tasks_.end()) return;
    found->second->make_ready(std::move(command));
    ready_.push_back(found->second);
  }
  void on(const protocol::Stop& command) {
    if (const auto found = tasks_.find(command.attempt); found != tasks_.end()) found->second->stop(command);
  }
  void on(const protocol::Warn& command) {
    if (const auto found = tasks_.find(command.attempt); found != tasks_.end()) found->second->warn(command);
  }
  void on(const protocol::CallOff& command) {
    if (const auto found = tasks_.find(command.attempt); found != tasks_.end()) found->second->call_off();
  }
  void on(const protocol::SchedulerExpect& command) {
    if (const auto found = tasks_.find(command.attempt); found != tasks_.end()) found->second->tell_scheduler(command);
  }
  void on(const protocol::SchedulerEnded& command) {
    if (const auto found = tasks_.find(command.attempt); found != tasks_.end()) found->second->tell_scheduler(command);
  }
  void on(const protocol::ReadLog& command) {
    const auto found = tasks_.find(command.attempt);
    if (found != tasks_.end()) return tell(found->second->log_piece(command));
    tell(protocol::LogPiece{command.attempt,
                            command.token,
                            command.offset,
                            0,
                            {},
                            fmt::format("the agent no longer has a log of {}", command.attempt.str())});
  }
  void on(const protocol::Release& command) {
    calls_.release(command.attempt);
    const auto found = tasks_.find(command.attempt);
    if (found == tasks_.end()) {
      if (!going_.contains(command.attempt)) tell(protocol::TaskGone{command.attempt});
      return;
    }
    const auto task = found->second;
    released_[task->request().working_directory] = {command.attempt.attempt, task->departure()};
    tasks_.erase(found);
    give_up(command.attempt, *task);
  }
  void on(const protocol::Shutdown&) {
    if (!std::exchange(shutting_down_, true)) net::spawn(context_.get_executor(), "shutting down", shut_down());
  }

  // Report to the master when no process of the attempt is left.
  void give_up(const core::AttemptId& attempt, Task& task) {
    going_.insert(attempt);
    task.give_up();
    net::spawn(context_.get_executor(), "waiting for the end of a task",
               report_when_gone(attempt, task.processes_end()));
  }
  net::awaitable<void> report_when_gone(core::AttemptId attempt, std::shared_ptr<Ending> end) {
    co_await Ending::wait(std::move(end));
    going_.erase(attempt);
    calls_.tell(protocol::TaskGone{attempt});
    gone_.notify();
  }
  net::awaitable<void> shut_down() {
    for (const auto& [attempt, task] : tasks_) give_up(attempt, *task);
    const auto deadline = core::steady_now() + kTasksEnd;
    while (!going_.empty() && core::steady_now() < deadline) co_await gone_.wait(deadline - core::steady_now());
    co_await calls_.flush(kLastReports);
    leave("the master told it to shut down");
  }

  void tell(protocol::Report report) {
    if (!shutting_down_) calls_.tell(std::move(report));  // the master no longer needs the ends of tasks
  }

  net::awaitable<void> look_at_tasks() {
    while (!leaving_) {
      co_await net::pause(kLookPeriod);
      LookRound round;
      for (const auto& [attempt, task] : tasks_) task->look(round);
    }
  }

  // In a thread of its own: on a busy host the kernel may take long to count.
  net::awaitable<void> count_usage_of_tasks() {
    UsageRates rates;
    while (!leaving_) {
      co_await net::pause(kUsagePeriod);
      auto sources = std::make_shared<std::vector<UsageSource>>();
      for (const auto& [attempt, task] : tasks_) {
        if (auto source = task->usage_source()) sources->push_back(*std::move(source));
      }
      rates.keep(*sources);
      if (sources->empty()) continue;
      auto counts = std::make_shared<std::vector<UsageCount>>();
      const bool counted = co_await net::in_thread(
          [sources, counts] {
            for (const auto& source : *sources) counts->push_back(count_usage(source));
          },
          kUsagePeriod);
      if (!counted) {  // its thread goes on: few of them may pile up
        co_await net::pause(core::Seconds(60));
        continue;
      }
      const auto now = core::steady_now();
      for (std::size_t i = 0; i < counts->size(); ++i) {
        const auto& attempt = (*sources)[i].attempt;
        const auto usage = rates.rate((*sources)[i], (*counts)[i], now);
        if (const auto found = tasks_.find(attempt); found != tasks_.end()) found->second->note_usage(usage);
      }
    }
  }

  net::awaitable<void> watch_lifeline() {
    asio::posix::stream_descriptor lifeline(context_, ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    char byte = 0;
    (void)co_await lifeline.async_read_some(asio::buffer(&byte, 1), net::tuple);
    leave("no master of the job needs it any more");
  }

  net::awaitable<void> watch_signals() {
    asio::signal_set signals(context_, SIGTERM, SIGINT);
    const auto [error, number] = co_await signals.async_wait(net::tuple);
    if (error) co_return;
    // The exit code of a program that SIGTERM killed. A NodeManager takes 0 for a success even if it killed the
    // container.
    exit_code_ = 128 + number;
    leave(fmt::format("signal {}", number));
  }

  void leave(std::string_view why) {
    if (std::exchange(leaving_, true)) return;
    core::log("the agent ends: {}", why);
    calls_.stop();
    context_.stop();
  }

  asio::io_context& context_;
  Machine& machine_;
  AgentOptions options_;
  MasterCalls calls_;
  std::filesystem::path directory_ = std::filesystem::current_path();
  Surroundings surroundings_;
  std::optional<hdfs::FileSystem> hdfs_;
  std::optional<hdfs::FileSystems> file_systems_;
  std::map<core::AttemptId, std::shared_ptr<Task>> tasks_;
  std::set<core::AttemptId> going_;                 // given up, but processes of them may still run
  net::Signal gone_;                                // notified when one of these has ended
  std::map<std::string, EarlierAttempt> released_;  // the last one of each working directory
  std::vector<std::shared_ptr<Task>> ready_;        // to be launched together
  // Of one call's commands.
  std::shared_ptr<DirectoryListings> listings_ = std::make_shared<DirectoryListings>();
  bool shutting_down_ = false;
  bool leaving_ = false;
  int exit_code_ = 0;
};

}  // namespace

int run_agent_process(const AgentOptions& options) {
  ::prctl(PR_SET_NAME, "ydl-agent");
  ::signal(SIGPIPE, SIG_IGN);
  // If a task of the agent's process group is frozen and then killed, the group may lose its last parent in the
  // session. The kernel then sends SIGHUP to the whole group, including the agent.
  ::signal(SIGHUP, SIG_IGN);
  adopt_orphans();
  const auto file = credentials_file(options.credentials);
  auto entered = file ? core::Result<>() : core::fail(file.error());
  if (entered && !options.unlinked_files.empty())
    entered = enter_container(file->parent_path(), options.unlinked_files);
  auto credentials = entered ? read_agent_credentials(*file) : core::fail(entered.error());
  if (const auto hidden = credentials ? hide_from_tasks(*file) : core::Result<>(); !hidden)
    credentials = core::fail(hidden.error());
  if (!credentials) {
    core::log("{}", credentials.error().message);
    return 1;
  }
  Machine machine;  // declared first: coroutines in the context may hold tasks until it is destroyed
  asio::io_context context(1);
  Agent agent(context, machine, options, *credentials);
  agent.start();
  int exit_code = 1;
  try {
    context.run();
    exit_code = agent.exit_code();
  } catch (const net::BackgroundFailure& failure) {
    core::log("{}", failure.what());
  }
  agent.end_tasks();
  return exit_code;
}

}  // namespace ydl::agent
