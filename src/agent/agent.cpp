#include "agent/agent.hpp"

#include "agent/command_list.hpp"
#include "agent/container_credentials.hpp"
#include "agent/images.hpp"
#include "agent/numbered_queue.hpp"
#include "agent/task.hpp"
#include "agent/task_environment.hpp"
#include "agent/tree_killer.hpp"
#include "core/log.hpp"
#include "core/user.hpp"
#include "core/version.hpp"
#include "net/spawn.hpp"

#include <csignal>
#include <fcntl.h>
#include <map>
#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::agent {
namespace {

namespace asio = net::asio;
namespace json = boost::json;

constexpr core::Millis kHeartbeat = core::Seconds(5);
constexpr core::Millis kCommandWait = core::Seconds(20);
constexpr core::Millis kLookPeriod{200};
// Its container is gone for the master, as when a NodeManager is lost while its containers live on: a successor may run
// by now.
constexpr unsigned kUnknownAgent = 404;
constexpr std::size_t kReportBytes = std::size_t{1} << 20U;  // of one call; the rest goes with the next

// The agent: fetches commands on one connection, reports on another so that a heartbeat never waits behind a command.
class Agent {
 public:
  Agent(asio::io_context& context, Machine& machine, AgentOptions options, AgentCredentials credentials)
      : context_(context),
        machine_(machine),
        options_(std::move(options)),
        endpoint_(std::move(credentials.master)),
        news_(context.get_executor()) {
    surroundings_.own_group = options_.leash == Leash::standard_input;
    surroundings_.job = surroundings_.own_group ? options_.credentials.parent_path().filename().string()  // the job's
                                                : options_.id.str();  // the container's, unique on its host
    if (!surroundings_.own_group && !is_home(core::process_getenv("HOME").value_or("")))
      surroundings_.home = directory_.string();  // goes with the container
    surroundings_.hdfs_patience = options_.hdfs_patience;
    if (!options_.expected_image.empty()) check_place();
    if (credentials.hdfs) {
      hdfs_.emplace(context.get_executor(), *std::move(credentials.hdfs));
      surroundings_.hdfs = &*hdfs_;
    }
  }

  void start() {
    net::spawn(context_.get_executor(), "reporting to the master", serve());
    if (options_.leash == Leash::standard_input)
      net::spawn(context_.get_executor(), "watching the master", watch_leash());
    net::spawn(context_.get_executor(), "watching signals", watch_signals());
  }

  [[nodiscard]] int exit_code() const { return exit_code_; }

  void end_tasks() {
    for (auto& [attempt, task] : tasks_) task->kill();  // all at once, then wait for each
    for (auto& [attempt, task] : tasks_) task->end();
    tasks_.clear();
    kill_strays({});
  }

 private:
  net::awaitable<void> serve() {
    net::HttpClient client(context_.get_executor(), endpoint_);
    if (auto welcome = co_await say_hello(client); !welcome) {
      exit_code_ = 1;
      leave(welcome.error().message);
      co_return;
    }
    net::spawn(context_.get_executor(), "fetching commands", fetch_commands());
    net::spawn(context_.get_executor(), "looking at the tasks", look_at_tasks());
    co_await send_reports(client);
  }

  // A NodeManager without Docker ignores the image without a word.
  void check_place() {
    if (in_image(look_around())) return;
    surroundings_.wrong_place = image_was_ignored(options_.expected_image, core::host_name());
    core::log("{}", surroundings_.wrong_place);
  }

  // Errors: the master is not there, or does not want this agent.
  net::Async<> say_hello(net::HttpClient& client) {
    const Hello hello{kProtocolVersion, std::string(core::kVersion), core::host_name(), ::getpid()};
    const auto deadline = core::steady_now() + options_.outlives_master;
    for (;;) {
      const auto answer = co_await client.post(fmt::format("/v1/agents/{}/hello", options_.id.str()),
                                               json::serialize(to_json(hello)), core::Seconds(10));
      if (answer && answer->status == 200) co_return core::Result<>{};
      if (answer) {
        co_return core::fail(core::Errc::refused,
                             fmt::format("the master at {} refuses this agent: {}", master(), answer->body));
      }
      if (core::steady_now() >= deadline) {
        co_return core::fail(core::Errc::unavailable, fmt::format("the master at {} cannot be reached from {}: {}",
                                                                  master(), hello.node, answer.error().message));
      }
      co_await net::pause(core::Millis(200));
    }
  }

  [[nodiscard]] std::string master() const { return fmt::format("{}, port {}", endpoint_.address, endpoint_.port); }

  net::awaitable<void> fetch_commands() {
    net::HttpClient client(context_.get_executor(), endpoint_);
    std::optional<core::Instant> silent_since;
    Inbox inbox;
    while (!leaving_) {
      const auto target =
          fmt::format("/v1/agents/{}/commands?after={}&wait={}", options_.id.str(), inbox.last(), kCommandWait.count());
      const auto response = co_await client.get(target, kCommandWait + core::Seconds(10));
      if (response && response->status == kUnknownAgent) {
        leave(fmt::format("the master at {} has given this container up", master()));
        co_return;
      }
      if (!response || response->status != 200) {
        if (!silent_since) silent_since = core::steady_now();
        if (core::steady_now() - *silent_since > options_.outlives_master) {
          leave(fmt::format("the master at {} does not answer: {}", master(),
                            response ? response->body : response.error().message));
          co_return;
        }
        co_await net::pause(core::Millis(100));
        continue;
      }
      silent_since.reset();
      if (auto taken = take_commands(response->body, inbox); !taken) {
        core::log("the master sent what is no list of commands: {}", taken.error().message);
        co_await net::pause(core::Millis(100));
      }
    }
  }

  core::Result<void> take_commands(std::string_view body, Inbox& inbox) {
    auto read = read_commands(body, [&](Sequence seq, core::Result<Command> command) {
      if (!inbox.accept(seq)) return;
      if (!command) {
        core::log("a command is not understood: {}", command.error().message);
        return;
      }
      if (!std::holds_alternative<Launch>(*command)) launch_ready();  // what follows a launch may be about its task
      std::visit([this](auto& c) { on(std::move(c)); }, *command);
    });
    launch_ready();
    listings_ = {};
    return read;
  }

  void launch_ready() {
    for (const auto& task : ready_) task->start();
    for (const auto& task : ready_) task->watch();
    ready_.clear();
  }

  void on(const Prepare& command) {
    auto task = std::make_shared<Task>(context_.get_executor(), machine_, surroundings_,
                                       with_absolute_paths(command, directory_, options_.logs),
                                       [this](Report report) { tell(std::move(report)); });
    tasks_[command.attempt] = task;
    task->prepare(listings_);
  }
  void on(Launch command) {
    const auto found = tasks_.find(command.attempt);
    if (found == tasks_.end()) return;
    found->second->make_ready(std::move(command));
    ready_.push_back(found->second);
  }
  void on(const Stop& command) {
    if (const auto found = tasks_.find(command.attempt); found != tasks_.end()) found->second->stop(command.grace);
  }
  void on(const ReadLog& command) {
    const auto found = tasks_.find(command.attempt);
    if (found != tasks_.end()) return tell(found->second->log_piece(command));
    tell(LogPiece{command.attempt,
                  command.token,
                  command.offset,
                  0,
                  {},
                  fmt::format("the agent has no log of {} any more", command.attempt.str())});
  }
  void on(const Release& command) {
    if (const auto found = tasks_.find(command.attempt); found != tasks_.end()) {
      found->second->give_up();
      tasks_.erase(found);
    }
  }
  void on(const Shutdown&) { leave("the master said so"); }

  void tell(Report report) {
    reports_.push(std::move(report));
    news_.notify();
  }

  net::awaitable<void> send_reports(net::HttpClient& client) {
    while (!leaving_) {
      if (reports_.empty()) co_await news_.wait(kHeartbeat);
      co_await net::pause(core::Millis(0));  // what comes in one go travels in one call
      auto last = reports_.first() - 1;
      std::string body = fmt::format(R"({{"first":{},"reports":[)", reports_.first());
      for (const auto& report : reports_.items()) {
        if (body.size() > kReportBytes) break;
        body.append(last >= reports_.first() ? "," : "").append(json::serialize(to_json(report)));
        ++last;
      }
      const auto response =
          co_await client.post(fmt::format("/v1/agents/{}/reports", options_.id.str()), body + "]}", core::Seconds(30));
      if (response && response->status == 200)
        reports_.confirm(last);
      else
        co_await net::pause(core::Millis(200));  // fetch_commands decides when to give up
    }
  }

  net::awaitable<void> look_at_tasks() {
    while (!leaving_) {
      co_await net::pause(kLookPeriod);
      LookRound round;
      for (const auto& [attempt, task] : tasks_) task->look(round);
    }
  }

  net::awaitable<void> watch_leash() {
    asio::posix::stream_descriptor leash(context_, ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    char byte = 0;
    (void)co_await leash.async_read_some(asio::buffer(&byte, 1), net::tuple);
    leave("the master let go of it");
  }

  net::awaitable<void> watch_signals() {
    asio::signal_set signals(context_, SIGTERM, SIGINT);
    const auto [error, number] = co_await signals.async_wait(net::tuple);
    if (error) co_return;
    // As of a program that died of it: a NodeManager takes 0 for a success, whatever it had killed it for.
    exit_code_ = 128 + number;
    leave(fmt::format("signal {}", number));
  }

  void leave(std::string_view why) {
    if (std::exchange(leaving_, true)) return;
    core::log("the agent leaves: {}", why);
    context_.stop();
  }

  asio::io_context& context_;
  Machine& machine_;
  AgentOptions options_;
  net::Endpoint endpoint_;
  std::filesystem::path directory_ = std::filesystem::current_path();
  Surroundings surroundings_;
  std::optional<hdfs::FileSystem> hdfs_;
  std::map<core::AttemptId, std::shared_ptr<Task>> tasks_;
  std::vector<std::shared_ptr<Task>> ready_;  // to be launched together
  DirectoryListings listings_;                // of one call's commands
  Outbox<Report> reports_;
  net::Signal news_;
  bool leaving_ = false;
  int exit_code_ = 0;
};

}  // namespace

int run_agent_process(const AgentOptions& options) {
  ::prctl(PR_SET_NAME, "ydl-agent");
  ::signal(SIGPIPE, SIG_IGN);
  // A task in our process group that is frozen and then killed can leave that group without a parent in our session:
  // the kernel hangs up on all of it, us too.
  ::signal(SIGHUP, SIG_IGN);
  adopt_orphans();
  const auto file = credentials_file(options.credentials);
  auto entered = file ? core::Result<>() : core::fail(file.error());
  if (entered && !options.unlinked_files.empty())
    entered = enter_container(file->parent_path(), options.unlinked_files);
  const auto credentials = entered ? read_agent_credentials(*file) : core::fail(entered.error());
  if (!credentials) {
    core::log("{}", credentials.error().message);
    return 1;
  }
  Machine machine;  // outlives the context, whose coroutines hold the last tasks
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
