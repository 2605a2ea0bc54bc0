// Our YARN client for cluster tests. Every line on standard output reports one event. An error is printed and ends the
// program.
//
//   yarn_tool nodes                      the cluster's nodes and labels
//   yarn_tool check MIB                  whether a job with one container of this size could run
//   yarn_tool run COMMAND...             submits the command as an ApplicationMaster and waits for its end
//   yarn_tool start COMMAND...           the same without waiting
//   yarn_tool master                     in a container, as its ApplicationMaster: registers and runs until killed
//   yarn_tool kill ID
//   yarn_tool list TAG
//   yarn_tool gang N COMMAND...          as an unmanaged ApplicationMaster: N containers with one command each
//   yarn_tool intrude rm|nm HOST PORT    connects to a port without its token
//   yarn_tool token RENEWER              gets, renews and cancels a delegation token
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "hrpc/configured.hpp"
#include "tool_main.hpp"
#include "yarn/allocator_fsm.hpp"
#include "yarn/app_master.hpp"
#include "yarn/client_rm.hpp"
#include "yarn/container_manager.hpp"
#include "yarn/credentials.hpp"
#include "yarn/exit_status.hpp"
#include "yarn/needs_check.hpp"
#include "yarn/token_identifiers.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace {

using namespace ydl;

struct Arguments {
  std::vector<std::string> words;
  std::vector<std::string> environment;  // NAME=VALUE
  std::string queue = "default";
  std::string label;
  std::string tag = "yarn-tool";
  std::int64_t linger_ms = 0;  // how long a gang sends heartbeats after its containers have ended
  std::int64_t memory = 128;
  int attempts = 1;  // of an ApplicationMaster
};

using test::say;

class Tool {
 public:
  Tool(net::asio::any_io_executor executor, hconf::Config config, Arguments arguments)
      : executor_(std::move(executor)), config_(std::move(config)), arguments_(std::move(arguments)) {}

  net::Async<> run();

 private:
  enum class Port { client, scheduler };
  core::Result<hrpc::ClientOptions> manager(Port port, std::string_view token_kind, std::vector<hrpc::Token> tokens);

  net::Async<> nodes(yarn::ClientRm& rm);
  net::Async<> check(yarn::ClientRm& rm);
  net::Async<yarn::ApplicationId> submit(yarn::ClientRm& rm, bool unmanaged);
  net::Async<> wait_for_end(yarn::ClientRm& rm, yarn::ApplicationId id);
  net::Async<> list(yarn::ClientRm& rm);
  net::Async<> token(yarn::ClientRm& rm);
  net::Async<> intrude();

  net::Async<> gang(yarn::ClientRm& rm);
  net::Async<> idle();
  net::Async<> be_master(yarn::AppMaster& master, yarn::AllocatorFsm& fsm, int wanted);
  net::Async<> start(const yarn::AllocatorFsm& fsm, const yarn::Container& container);

  [[nodiscard]] yarn::Launch launch() const;
  [[nodiscard]] std::vector<std::string> command(std::size_t from) const {
    return {arguments_.words.begin() + static_cast<std::ptrdiff_t>(from), arguments_.words.end()};
  }

  net::asio::any_io_executor executor_;
  hconf::Config config_;
  Arguments arguments_;
};

core::Result<hrpc::ClientOptions> Tool::manager(Port port, std::string_view token_kind,
                                                std::vector<hrpc::Token> tokens) {
  const auto managers = hconf::resource_managers(config_);
  if (!managers) return core::fail(managers.error());
  std::vector<hconf::HostPort> servers;
  for (const auto& one : *managers) servers.push_back(port == Port::client ? one.client : one.scheduler);
  return hrpc::resource_manager_options(config_, std::move(servers), token_kind,
                                        {.user = core::user_name(), .tokens = tokens});
}

yarn::Launch Tool::launch() const {
  yarn::Launch launch;
  launch.command = command(arguments_.words[0] == "gang" ? 2 : 1);
  for (const auto& variable : arguments_.environment) {
    const auto equals = variable.find('=');
    launch.environment[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  return launch;
}

net::Async<> Tool::nodes(yarn::ClientRm& rm) {
  const auto nodes = co_await rm.nodes({yarn::NodeState::running});
  if (!nodes) co_return core::fail(nodes.error());
  for (const auto& node : *nodes) {
    say(fmt::format("node {} {} [{}] {} {}", node.id.host, to_string(node.state), node.label, node.id.port,
                    to_string(node.free())));
  }
  const auto labels = co_await rm.node_labels();
  if (!labels) co_return core::fail(labels.error());
  for (const auto& label : *labels) say(fmt::format("label {}", label.name));
  const auto metrics = co_await rm.metrics();
  if (!metrics) co_return core::fail(metrics.error());
  say(fmt::format("active {}", metrics->active));
  co_return core::Result<>{};
}

net::Async<> Tool::check(yarn::ClientRm& rm) {
  const auto application = co_await rm.new_application();
  if (!application) co_return core::fail(application.error());
  const auto root = co_await rm.queue("root");
  if (!root) co_return core::fail(root.error());
  const auto nodes = co_await rm.nodes({});
  if (!nodes) co_return core::fail(nodes.error());
  const auto labels = co_await rm.node_labels();
  if (!labels) co_return core::fail(labels.error());
  const auto types = co_await rm.resource_types();
  if (!types) co_return core::fail(types.error());
  const std::vector<yarn::Need> needs{
      {.role = "am", .resource = {.memory_mib = 256, .vcores = 1}},
      {.role = "worker",
       .resource = {.memory_mib = core::parse_int<std::int64_t>(arguments_.words.at(1)).value_or(0), .vcores = 1},
       .label = arguments_.label}};
  const auto notes = yarn::check_needs(needs, {.maximum = application->maximum,
                                               .root = *root,
                                               .queue = arguments_.queue,
                                               .nodes = *nodes,
                                               .labels = *labels,
                                               .types = *types});
  if (!notes) co_return core::fail(notes.error());
  say("fits");
  co_return core::Result<>{};
}

net::Async<yarn::ApplicationId> Tool::submit(yarn::ClientRm& rm, bool unmanaged) {
  const auto application = co_await rm.new_application();
  if (!application) co_return core::fail(application.error());
  yarn::Submission submission{.id = application->id, .name = "yarn_tool", .queue = arguments_.queue};
  submission.tags = {arguments_.tag};
  submission.unmanaged = unmanaged;
  submission.max_attempts = arguments_.attempts;
  if (!unmanaged) {
    submission.master = launch();
    submission.master_resource = {.memory_mib = arguments_.memory, .vcores = 1};
    submission.master_label = arguments_.label;
  }
  const auto report = co_await rm.submit(std::move(submission));
  if (!report) co_return core::fail(report.error());
  say(fmt::format("submitted {}", report->id.str()));
  co_return report->id;
}

net::Async<> Tool::wait_for_end(yarn::ClientRm& rm, yarn::ApplicationId id) {
  for (;; co_await net::pause(core::Millis(100))) {
    const auto report = co_await rm.report(id);
    if (!report) co_return core::fail(report.error());
    if (!is_over(report->state)) continue;
    say(fmt::format("ended {} {} {}", to_string(report->state), to_string(report->final_status),
                    core::printable(report->diagnostics)));
    co_return core::Result<>{};
  }
}

net::Async<> Tool::list(yarn::ClientRm& rm) {
  const auto reports = co_await rm.applications({.tags = {arguments_.words.at(1)}});
  if (!reports) co_return core::fail(reports.error());
  for (const auto& report : *reports)
    say(fmt::format("{} {} {}", report.id.str(), to_string(report.state), report.user));
  co_return core::Result<>{};
}

net::Async<> Tool::token(yarn::ClientRm& rm) {
  const auto token = co_await rm.delegation_token(arguments_.words.at(1));
  if (!token) co_return core::fail(token.error());
  const auto identifier = yarn::read_rm_delegation_token(*token);
  if (!identifier) co_return core::fail(identifier.error());
  say(fmt::format("token of {} renewed by {}", identifier->owner, identifier->renewer));
  const auto options = manager(Port::client, yarn::kRmDelegationToken, {*token});
  if (!options) co_return core::fail(options.error());
  yarn::ClientRm with_token(executor_, *options);
  const auto metrics = co_await with_token.metrics();
  if (!metrics) co_return core::fail(metrics.error());
  say("the token opens the ResourceManager");
  const auto expires = co_await rm.renew_token(*token);
  if (!expires) co_return core::fail(expires.error());
  say("renewed");
  co_return co_await rm.cancel_token(*token);
}

net::Async<> Tool::intrude() {
  const hconf::HostPort server{arguments_.words.at(2),
                               core::parse_int<std::uint16_t>(arguments_.words.at(3)).value_or(0)};
  hrpc::ClientOptions options{.servers = {server}, .identity = {.user = core::user_name()}};
  if (arguments_.words.at(1) == "rm") {
    yarn::AppMaster master(executor_, options);
    const auto answer = co_await master.register_master({.host = "localhost"});
    co_return answer ? core::Result<>{} : core::fail(answer.error());
  }
  yarn::ContainerManager manager(executor_, {server.host, server.port}, options);
  const auto answer = co_await manager.statuses({{}});
  co_return answer ? core::Result<>{} : core::fail(answer.error());
}

net::Async<> Tool::start(const yarn::AllocatorFsm& fsm, const yarn::Container& container) {
  const auto* token = fsm.nm_token(container.node);
  if (token == nullptr) co_return core::fail(core::Errc::not_found, "no token for " + container.node.str());
  auto options =
      hrpc::node_manager_options(config_, {container.node.host, static_cast<std::uint16_t>(container.node.port)},
                                 *token, {.user = core::user_name()});
  if (!options) co_return core::fail(options.error());
  yarn::ContainerManager manager(executor_, container.node, *std::move(options));
  const auto outcome = co_await manager.start({{container.id, container.token, launch()}});
  if (!outcome) co_return core::fail(outcome.error());
  if (!outcome->failed.empty()) co_return core::fail(outcome->failed[0].error);
  say(fmt::format("started {} on {}", container.id.str(), container.node.host));
  co_return core::Result<>{};
}

// Sends heartbeats until all requested containers have ended and the time to linger is over.
net::Async<> Tool::be_master(yarn::AppMaster& master, yarn::AllocatorFsm& fsm, int wanted) {
  int ended = 0;
  std::optional<core::Instant> all_ended;
  while (!all_ended || core::steady_now() < *all_ended + core::Millis(arguments_.linger_ms)) {
    if (fsm.state() == yarn::AllocatorFsm::State::unregistered) {
      const auto registration = co_await master.register_master({.host = "localhost"});
      if (!registration) co_return core::fail(registration.error());
      (void)fsm.registered(*registration, core::steady_now());
      say("registered in queue " + registration->queue);
    }
    co_await net::pause(fsm.next_heartbeat(core::steady_now()) - core::steady_now());
    const auto response = co_await master.allocate(fsm.next_request(core::steady_now()));
    if (!response) {
      if (fsm.on_failure(response.error(), core::steady_now()) == yarn::AllocatorFsm::Next::end)
        co_return core::fail(response.error());
      continue;
    }
    const auto heard = fsm.on_response(*response, core::steady_now());
    if (heard.new_token) {
      master.use_token(*heard.new_token);
      say("new token");
    }
    for (const auto& container : heard.granted) {
      if (auto started = co_await start(fsm, container); !started) co_return started;
    }
    for (const auto& status : heard.completed) {
      say(fmt::format("completed {}: {}", status.id.str(), yarn::describe_exit(status.exit_status)));
      if (++ended == wanted) all_ended = core::steady_now();
    }
  }
  co_return core::Result<>{};
}

net::Async<> Tool::gang(yarn::ClientRm& rm) {
  constexpr yarn::AskKey kWorker{{1}, 1};
  const int wanted = core::parse_int<int>(arguments_.words.at(1)).value_or(0);
  const auto nodes = co_await rm.nodes({yarn::NodeState::running});
  if (!nodes) co_return core::fail(nodes.error());
  const auto id = co_await submit(rm, true);
  if (!id) co_return core::fail(id.error());
  const auto token = co_await rm.unmanaged_token(*id);
  if (!token) co_return core::fail(token.error());
  const auto options = manager(Port::scheduler, yarn::kAmRmToken, {*token});
  if (!options) co_return core::fail(options.error());
  yarn::AppMaster master(executor_, *options);
  yarn::AllocatorFsm fsm({}, *nodes);
  fsm.add_role({.key = kWorker, .resource = {.memory_mib = arguments_.memory, .vcores = 1}, .label = arguments_.label});
  fsm.want(kWorker, wanted, core::steady_now());
  if (auto done = co_await be_master(master, fsm, wanted); !done) co_return done;
  if (auto finished = co_await master.finish({.diagnostics = "all done"}); !finished) co_return finished;
  co_return co_await wait_for_end(rm, *id);
}

// Requests no containers and starts nothing.
net::Async<> Tool::idle() {
  const auto bytes = core::read_file(core::process_getenv("HADOOP_TOKEN_FILE_LOCATION").value_or(""));
  if (!bytes) co_return core::fail(bytes.error());
  const auto credentials = yarn::decode_credentials(*bytes);
  if (!credentials) co_return core::fail(credentials.error());
  const auto* token = credentials->find_kind(yarn::kAmRmToken);
  if (token == nullptr)
    co_return core::fail(core::Errc::not_found, "this is not the container of an ApplicationMaster");
  const auto options = manager(Port::scheduler, yarn::kAmRmToken, {*token});
  if (!options) co_return core::fail(options.error());
  yarn::AppMaster master(executor_, *options);
  yarn::AllocatorFsm fsm({}, {});
  co_return co_await be_master(master, fsm, 1);
}

net::Async<> Tool::run() {
  if (arguments_.words.at(0) == "master") co_return co_await idle();
  const auto options = manager(Port::client, yarn::kRmDelegationToken, {});
  if (!options) co_return core::fail(options.error());
  yarn::ClientRm rm(executor_, *options);
  const auto& verb = arguments_.words.at(0);
  if (verb == "nodes") co_return co_await nodes(rm);
  if (verb == "check") co_return co_await check(rm);
  if (verb == "list") co_return co_await list(rm);
  if (verb == "token") co_return co_await token(rm);
  if (verb == "intrude") co_return co_await intrude();
  if (verb == "gang") co_return co_await gang(rm);
  if (verb == "kill") {
    const auto id = yarn::ApplicationId::parse(arguments_.words.at(1));
    if (!id) co_return core::fail(id.error());
    if (auto killed = co_await rm.kill(*id, "killed by a test"); !killed) co_return killed;
    co_return co_await wait_for_end(rm, *id);
  }
  const auto id = co_await submit(rm, false);
  if (!id) co_return core::fail(id.error());
  co_return verb == "run" ? co_await wait_for_end(rm, *id) : core::Result<>{};
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app;
  app.prefix_command();
  app.add_option("--env", arguments.environment)->allow_extra_args(false);
  app.add_option("--queue", arguments.queue);
  app.add_option("--label", arguments.label);
  app.add_option("--tag", arguments.tag);
  app.add_option("--memory", arguments.memory);
  app.add_option("--linger-ms", arguments.linger_ms);
  app.add_option("--attempts", arguments.attempts);
  CLI11_PARSE(app, argc, argv);
  arguments.words = app.remaining();
  if (arguments.words.empty()) {
    test::say("what?");
    return 2;
  }
  return test::run_tool([&](net::asio::any_io_executor executor, hconf::Config config) -> net::Async<> {
    Tool tool(std::move(executor), std::move(config), arguments);
    co_return co_await tool.run();
  });
}
