// What the backend does for its machine: calls of the ResourceManager, NodeManagers and HDFS, and messages to agents.
#include "backend/yarn/agent_container.hpp"
#include "backend/yarn/log_rescue.hpp"
#include "backend/yarn/remote_files.hpp"
#include "backend/yarn/yarn_backend_state.hpp"
#include "net/resolver.hpp"
#include "net/spawn.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

using Shared = std::shared_ptr<YarnBackend::State>;

constexpr core::Millis kResolvePatience{10'000};

net::awaitable<void> register_again(Shared state) {
  (void)co_await register_master(state);
}

net::awaitable<void> allocate(Shared state, yarn::AllocateRequest request) {
  const auto response = co_await state->master->allocate(std::move(request));
  if (state->closed) co_return;
  const auto now = core::steady_now();
  if (response) state->heard = now;
  state->carry_out(response ? state->machine.allocated(*response, now)
                            : state->machine.allocate_failed(response.error(), now));
}

// First looks up the address of the host, which the peers of its task need.
net::awaitable<void> start_containers(Shared state, StartContainers action) {
  const auto& host = action.node.host;
  if (state->machine.address_of(host) == nullptr) {
    const auto found = co_await net::resolve(host, kResolvePatience);
    if (!found || found->empty()) {
      const core::Error error = found ? core::Error{core::Errc::not_found, "it has no address"} : found.error();
      for (const auto& container : action.containers) state->not_started(container.id, error);
      co_return;
    }
    state->machine.node_found(host, found->front().to_string());
  }
  if (state->closed) co_return;
  const AgentContainers agents{.files = state->options.job.staged.files,
                               .image = state->options.image,
                               .outlives_master = state->options.outlives_master,
                               .acl = state->options.acl};
  std::vector<yarn::ContainerManager::Start> starts;
  for (const auto& container : action.containers) {
    auto launch = launch_agent(container.id, agents);
    if (state->options.credentials_of) launch.credentials = state->options.credentials_of(agent_of(container.id));
    starts.push_back({container.id, container.token, std::move(launch)});
  }
  state->starter.start(action.node, action.token, std::move(starts),
                       [state](const auto& id, const core::Error& error) { state->not_started(id, error); });
}

net::awaitable<void> save_logs(Shared state, SaveLogs action) {
  const auto& container = action.container;
  const auto http = hconf::parse_host_port(container.node_http_address, 0);
  core::Result<> saved;
  if (http) {
    saved = co_await complete_logs(*state->options.fs, {.container = container.id,
                                                        .node_http = {action.address, http->port},
                                                        .user = state->options.job.user,
                                                        .copies = action.copies});
  } else {
    saved = core::fail(http.error());
  }
  state->carry_out(state->machine.logs_saved(container.id, saved, core::steady_now()));
}

net::awaitable<void> look_at_container(Shared state, LookAtContainer action) {
  using Found = YarnMachine::Found;
  auto found = Found::unknown;
  if (action.token) {
    const auto statuses = co_await state->starter.statuses(action.node, *action.token, {action.id});
    if (!statuses) found = Found::no_answer;
    for (const auto& status : statuses ? statuses->found : std::vector<yarn::ContainerStatus>{})
      found = status.state == yarn::ContainerState::complete ? Found::complete : Found::running;
  } else {
    found = (co_await container_on_page(action.page, action.id)).value_or(Found::no_answer);
  }
  if (state->closed) co_return;
  state->carry_out(state->machine.container_looked_at(action.id, found, core::steady_now()));
}

net::awaitable<void> revoke_agent(Shared state, RevokeAgent action) {
  const auto file = fmt::format("{}/{}", revocations(state->options.job.folder), action.id.str());
  const auto written = co_await state->options.fs->make_directory(file, hdfs::Parents::create, 0700);
  if (!state->closed) state->carry_out(state->machine.revoked(action.id, written, core::steady_now()));
}

}  // namespace

net::Async<> register_master(std::shared_ptr<YarnBackend::State> state) {
  const auto registration = co_await state->master->register_master(state->own_address());
  if (registration && state->options.on_registered) state->options.on_registered(*registration);
  const auto now = core::steady_now();
  if (registration) state->heard = now;
  state->carry_out(registration ? state->machine.registered(*registration, now)
                                : state->machine.registration_failed(registration.error(), now));
  if (state->machine.is_registered()) co_return core::Result<>{};
  if (!registration) co_return core::fail(registration.error());
  co_return core::fail(core::Errc::cancelled,
                       "the job ended while its master was registering with the ResourceManager");
}

// Carries out actions in order: actions that follow from one come after those that were decided before it. After
// close() there is nothing to do, because the ResourceManager ends all containers at the end of the application.
void YarnBackend::State::carry_out(YarnActions actions) {
  if (closed) return news.notify();
  to_do.insert(to_do.end(), std::move_iterator(actions.begin()), std::move_iterator(actions.end()));
  if (std::exchange(carrying_out, true)) return;
  try {
    while (!to_do.empty() && !closed) {
      const auto next = std::move(to_do.front());
      to_do.pop_front();
      std::visit([this](const auto& action) { on(action); }, next);
    }
  } catch (...) {
    carrying_out = false;  // the actions that end the job after this failure must be carried out
    throw;
  }
  carrying_out = false;
  news.notify();
}

void YarnBackend::State::on(const RegisterMaster& /*action*/) {
  net::spawn(executor, "registering with the ResourceManager", register_again(shared_from_this()));
}

void YarnBackend::State::on(const Allocate& action) {
  net::spawn(executor, "sending a heartbeat to the ResourceManager", allocate(shared_from_this(), action.request));
}

void YarnBackend::State::on(const StartContainers& action) {
  net::spawn(executor, "starting containers", start_containers(shared_from_this(), action));
}

void YarnBackend::State::on(const LookAtContainer& action) {
  net::spawn(executor, "checking a container", look_at_container(shared_from_this(), action));
}

void YarnBackend::State::on(const RevokeAgent& action) {
  net::spawn(executor, "revoking an agent", revoke_agent(shared_from_this(), action));
}

void YarnBackend::State::on(const SaveLogs& action) {
  net::spawn(executor, "saving the logs of a container", save_logs(shared_from_this(), action));
}

void YarnBackend::State::on(const ExpectAgent& action) {
  hub.expect(agent_of(action.id), {[weak = weak_from_this(), id = action.id](const protocol::Hello& hello) {
                                     const auto state = weak.lock();
                                     if (state == nullptr) return;
                                     state->carry_out(state->machine.agent_called(id, hello, core::steady_now()));
                                   },
                                   [weak = weak_from_this(), id = action.id](const protocol::Report& report) {
                                     const auto state = weak.lock();
                                     if (state == nullptr) return;
                                     state->carry_out(state->machine.reported(id, report, core::steady_now()));
                                   }});
  if (action.has) hub.adopt(agent_of(action.id), *action.has, action.ports);
}

}  // namespace ydl::backend
