// The backend's side towards the ResourceManager and the NodeManagers.
#include "backend/yarn/yarn_state.hpp"

#include "core/log.hpp"
#include "core/strings.hpp"
#include "hconf/services.hpp"
#include "hrpc/configured.hpp"
#include "net/resolver.hpp"
#include "net/spawn.hpp"
#include "yarn/token_identifiers.hpp"

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr core::Millis kReconnectPause{1'000};  // Hadoop's default is half a minute, for clients that nobody waits for
constexpr core::Millis kSavePatience{15'000};
constexpr core::Millis kResolvePatience{10'000};

yarn::AllocatorOptions allocator_options(const YarnJob& job) {
  yarn::AllocatorOptions options;
  if (job.scheduler.find("Fair") != std::string::npos) options.style = yarn::AskStyle::anywhere;
  return options;
}

yarn::FinalStatus final_status(job::JobState state) {
  if (state == job::JobState::succeeded) return yarn::FinalStatus::succeeded;
  return state == job::JobState::stopped ? yarn::FinalStatus::killed : yarn::FinalStatus::failed;
}

}  // namespace

core::AgentId agent_of(const yarn::ContainerId& id) {
  return {id.str()};
}

YarnBackend::State::State(net::asio::any_io_executor executor_, agent::Hub& hub_, Sink sink_, YarnOptions options_)
    : executor(std::move(executor_)),
      hub(hub_),
      sink(std::move(sink_)),
      options(std::move(options_)),
      starter(executor, options.config, options.job.user),
      fsm(allocator_options(options.job), options.job.nodes),
      news(executor),
      saved(executor) {
  for (const auto& role : options.roles) {
    fsm.add_role({.key = key_of(role.name),
                  .resource = role.resource,
                  .label = role.label,
                  .hosts = role.hosts,
                  .racks = role.racks,
                  .arrangement = role.arrangement});
  }
}

// ---- the ResourceManager ---------------------------------------------------------------------------------------

net::Async<> YarnBackend::State::register_master() {
  if (!master) {
    const auto managers = hconf::resource_managers(options.config);
    if (!managers) co_return core::fail(managers.error());
    std::vector<hconf::HostPort> servers;
    for (const auto& manager : *managers) servers.push_back(manager.scheduler);
    auto made = hrpc::resource_manager_options(options.config, std::move(servers), yarn::kAmRmToken,
                                               {.user = options.job.user, .tokens = {&options.token, 1}});
    if (!made) co_return core::fail(made.error());
    made->retry.same_server_pause = kReconnectPause;
    made->retry.backoff_base = std::min(made->retry.backoff_base, kReconnectPause);
    made->retry.backoff_max = std::min(made->retry.backoff_max, kReconnectPause);
    master.emplace(executor, *std::move(made));
  }
  const auto registration =
      co_await master->register_master({.host = options.address,
                                        .port = options.port,
                                        .tracking_url = fmt::format("http://{}:{}/", options.address, options.port)});
  if (registration) {
    on_heard(fsm.registered(*registration, core::steady_now()));
    co_return core::Result<>{};
  }
  (void)fsm.on_registration_failure(registration.error(), core::steady_now());
  if (fsm.state() == yarn::AllocatorFsm::State::idle) co_return core::Result<>{};
  co_return core::fail(registration.error());
}

net::awaitable<void> YarnBackend::State::beat() {
  using Next = yarn::AllocatorFsm::Next;
  fsm.set_progress(static_cast<float>(sink.progress()));
  const auto response = co_await master->allocate(fsm.next_request(core::steady_now()));
  if (closed) co_return;
  if (response) {
    const auto heard = fsm.on_response(*response, core::steady_now());
    if (heard.new_token) master->use_token(*heard.new_token);
    on_heard(heard);
    co_return;
  }
  const auto next = fsm.on_failure(response.error(), core::steady_now());
  core::log("heartbeat: {}", response.error().message);
  if (next == Next::end) {
    tell(job::Broken{fmt::format("the ResourceManager ended this master: {}", response.error().message)});
  }
}

net::awaitable<void> heartbeats(std::shared_ptr<YarnBackend::State> state) {
  while (!state->closed && state->fsm.state() != yarn::AllocatorFsm::State::over) {
    const auto now = core::steady_now();
    if (const auto next = state->fsm.next_heartbeat(now); next > now) {
      co_await state->news.wait(std::chrono::duration_cast<core::Millis>(next - now) + core::Millis(1));
      continue;  // what woke us may have changed when the next one is
    }
    if (state->fsm.state() == yarn::AllocatorFsm::State::unregistered) {
      if (auto again = co_await state->register_master(); !again) {
        core::log("registering again: {}", again.error().message);
        if (state->fsm.state() == yarn::AllocatorFsm::State::over)
          state->tell(job::Broken{fmt::format("the ResourceManager ended this master: {}", again.error().message)});
      }
    } else {
      co_await state->beat();
    }
    if (state->closed) co_return;
    state->look_for_silence();
    state->say_what_is_missing();
    state->say_what_takes_long();
  }
}

net::awaitable<void> YarnBackend::State::end(const job::Outcome& outcome) {
  for (const auto deadline = core::steady_now() + kSavePatience; saving > 0 && core::steady_now() < deadline;) {
    co_await saved.wait(std::chrono::duration_cast<core::Millis>(deadline - core::steady_now()) + core::Millis(1));
  }
  if (options.before_finish) co_await options.before_finish();
  if (!master || fsm.state() == yarn::AllocatorFsm::State::unregistered ||
      fsm.state() == yarn::AllocatorFsm::State::over)
    co_return;
  const auto finished = co_await master->finish(
      {.status = final_status(outcome.state), .diagnostics = outcome.reason, .tracking_url = {}});
  if (!finished) core::log("telling the ResourceManager of the end: {}", finished.error().message);
  master->close();
}

void YarnBackend::State::on_heard(const yarn::AllocatorFsm::Heard& heard) {
  if (!heard.granted.empty()) on_granted(heard.granted);
  for (const auto& status : heard.completed) on_completed(status);
  for (const auto& container : heard.recovered) fsm.release(container.id);  // of a master before this one
}

void YarnBackend::State::on_granted(const std::vector<yarn::Container>& containers) {
  std::map<yarn::NodeId, std::vector<yarn::ContainerId>> by_node;
  for (const auto& container : containers) {
    const auto* role = role_of(container.key);
    auto* held = role == nullptr ? nullptr : book.assign(role->name, container, core::steady_now());
    if (held == nullptr) {
      fsm.release(container.id);
      continue;
    }
    const auto id = container.id;
    tell(job::Granted{held->request.attempt, container.node.host});
    hub.expect(agent_of(id), {[self = weak_from_this(), attempt = held->request.attempt](const agent::Hello&) {
                                if (const auto state = self.lock()) state->tell(job::Reached{attempt});
                              },
                              [self = weak_from_this(), id](const agent::Report& report) {
                                if (const auto state = self.lock()) state->on_report(id, report);
                              }});
    hub.send(agent_of(id), held->request);
    by_node[container.node].push_back(id);
  }
  for (auto& [node, ids] : by_node) net::spawn(executor, "starting containers", start_on(node, std::move(ids)));
}

// The node's address first: the task's place will need it.
net::awaitable<void> YarnBackend::State::start_on(yarn::NodeId node, std::vector<yarn::ContainerId> ids) {
  const auto self = shared_from_this();
  if (!addresses.contains(node.host)) {
    const auto found = co_await net::resolve(node.host, kResolvePatience);
    if (!found || found->empty()) {
      const core::Error error = found ? core::Error{core::Errc::not_found, "it has no address"} : found.error();
      for (const auto& id : ids) on_start_failed(id, error);
      co_return;
    }
    addresses[node.host] = found->front().to_string();
  }
  const auto* token = fsm.nm_token(node);
  std::vector<yarn::ContainerManager::Start> starts;
  for (const auto& id : ids) {
    if (const auto* held = book.find(id)) starts.push_back(start_of(*held));
  }
  if (starts.empty() || closed) co_return;
  if (token == nullptr) {
    for (const auto& start : starts)
      on_start_failed(start.id, {core::Errc::corrupt, "the ResourceManager gave no token for this node"});
    co_return;
  }
  starter.start(node, *token, std::move(starts), [weak = weak_from_this()](const auto& id, const core::Error& error) {
    if (const auto state = weak.lock()) state->on_start_failed(id, error);
  });
}

yarn::ContainerManager::Start YarnBackend::State::start_of(const Held& held) const {
  yarn::Launch launch;
  const bool is_linked = !options.image || options.image->start == yarn::ImageRuntime::Start::script;
  launch.command = {fmt::format("{}/{}", is_linked ? "." : yarn::kImageFiles, kStagedProgram),
                    "__agent",
                    "--id",
                    held.container.id.str(),
                    "--outlives-master",
                    std::to_string(options.outlives_master.count())};
  launch.log_name = "agent.stderr";  // NodeManagers quote the end of files with such names when a container fails
  launch.expanded_environment["YDL_LOG_DIR"] = "<LOG_DIR>";  // a command's words would be quoted
  launch.image = options.image;
  if (options.image) launch.command.insert(launch.command.end(), {"--expect-image", options.image->image});
  if (!is_linked) launch.command.insert(launch.command.end(), {"--files", std::string(yarn::kImageFiles)});
  launch.files = options.job.staged.files;
  launch.credentials = options.agent_credentials;
  return {held.container.id, held.container.token, std::move(launch)};
}

const YarnRole* YarnBackend::State::role_of(const yarn::AskKey& key) const {
  const auto index = static_cast<std::size_t>(key.allocation_id - 1);
  return index < options.roles.size() ? &options.roles[index] : nullptr;
}

yarn::AskKey YarnBackend::State::key_of(const std::string& role) const {
  const auto found = std::ranges::find(options.roles, role, &YarnRole::name);
  const auto number = static_cast<std::int32_t>(found - options.roles.begin()) + 1;
  return {{number}, number};
}

}  // namespace ydl::backend
