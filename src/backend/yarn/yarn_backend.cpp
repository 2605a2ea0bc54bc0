#include "backend/yarn/yarn_backend.hpp"

#include "backend/yarn/agent_container.hpp"
#include "backend/yarn/container_starter.hpp"
#include "backend/yarn/log_rescue.hpp"
#include "backend/yarn/remote_files.hpp"
#include "backend/yarn/yarn_machine.hpp"
#include "core/log.hpp"
#include "net/resolver.hpp"
#include "net/spawn.hpp"
#include "yarn/app_master.hpp"
#include "yarn/configured.hpp"
#include "yarn/explain.hpp"

#include <deque>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr core::Millis kSavePatience{15'000};
constexpr core::Millis kResolvePatience{10'000};
constexpr core::Millis kProgressEvery{1'000};

core::AgentId agent_of(const yarn::ContainerId& id) {
  return {id.str()};
}

// The warnings of the schedulers do not contain the time at which a container will be taken away.
core::Millis preemption_wait(const YarnOptions& options) {
  const bool is_fair = options.job.scheduler.find("Fair") != std::string::npos;
  const auto wait =
      options.config.get_int(is_fair ? "yarn.scheduler.fair.waitTimeBeforeKill"
                                     : "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill");
  return wait && *wait > 0 ? core::Millis(*wait) : YarnMachineOptions{}.preemption_wait;
}

YarnMachineOptions machine_options(const YarnOptions& options) {
  return {.roles = options.roles,
          .image = options.image,
          .master = fmt::format("{}:{}", options.address, options.port),
          .agent_silence = options.agent_silence,
          .blind = options.blind,
          .can_be_replaced = options.can_be_replaced,
          .replaces_another = options.replaces_another,
          .preemption_wait = preemption_wait(options)};
}

yarn::FinalStatus final_status(job::JobState state) {
  if (state == job::JobState::succeeded) return yarn::FinalStatus::succeeded;
  return state == job::JobState::stopped ? yarn::FinalStatus::killed : yarn::FinalStatus::failed;
}

core::Millis until(core::Instant when) {
  return std::chrono::duration_cast<core::Millis>(when - core::steady_now()) + core::Millis(1);
}

}  // namespace

// Carries out the actions of the machine and reports their results to it. Shared with the coroutines that do this.
struct YarnBackend::State : std::enable_shared_from_this<YarnBackend::State> {
  State(net::asio::any_io_executor executor_, protocol::Hub& hub_, Sink sink_, YarnOptions options_)
      : executor(std::move(executor_)),
        hub(hub_),
        sink(std::move(sink_)),
        options(std::move(options_)),
        machine(options.job, machine_options(options)),
        starter(executor, options.config, {.user = options.job.user, .retry_pause = options.reconnect_pause}),
        news(executor) {}

  void carry_out(YarnActions actions);
  void on(const RegisterMaster& action);
  void on(const Allocate& action);
  void on(const UseToken& action) { master->use_token(action.token); }
  void on(const StartContainers& action);
  void on(const StopContainer& action) { starter.stop(action.node, action.token, {action.id}); }
  void on(const LookAtContainer& action);
  void on(const SaveLogs& action);
  void on(const RevokeAgent& action);
  void on(const ExpectAgent& action);
  void on(const SendToAgent& action) { hub.send(agent_of(action.id), action.command); }
  void on(const ForgetAgent& action) { hub.forget(agent_of(action.id)); }
  void on(const TellJob& action) { sink.event(action.event); }
  void on(const GiveUpJob& action) {
    if (sink.replaced) sink.replaced(action.why);
  }
  void on(const TellUser& action) { sink.note(action.text); }
  void on(const PassOutput& action) { sink.output(action.output); }
  void on(const LogLine& action) { core::log("{}", action.text); }

  [[nodiscard]] core::Result<> connect();
  [[nodiscard]] yarn::AppMaster::Address own_address() const;
  void close();
  void not_started(const yarn::ContainerId& id, const core::Error& error) {
    carry_out(machine.not_started(id, error, core::steady_now()));
  }

  net::asio::any_io_executor executor;
  protocol::Hub& hub;
  Sink sink;
  YarnOptions options;
  YarnMachine machine;
  ContainerStarter starter;
  std::optional<yarn::AppMaster> master;
  std::deque<YarnAction> to_do;
  bool carrying_out = false;
  net::Signal news;  // the machine's next deadline or its state may have changed
  bool closed = false;
  core::Instant heard = core::steady_now();  // when the ResourceManager last answered
};

namespace {

using Shared = std::shared_ptr<YarnBackend::State>;

net::Async<> register_master(Shared state) {
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

// Runs until the backend closes.
net::awaitable<void> keep_time(Shared state) {
  const auto last_heard = [&hub = state->hub](const yarn::ContainerId& id) { return hub.last_heard(agent_of(id)); };
  for (core::Instant next_progress = {}; !state->closed;) {
    const auto now = core::steady_now();
    if (const auto next = state->machine.next_deadline(now); next > now) {
      co_await state->news.wait(until(next));
      continue;  // the deadline may have changed
    }
    if (now >= next_progress) {
      next_progress = now + kProgressEvery;
      state->machine.set_progress(state->sink.progress());
    }
    state->carry_out(state->machine.tick(last_heard, now));
  }
}

bool end_is_kept(const YarnOptions& options) {
  return !options.end_is_kept || options.end_is_kept();
}

// If a master ends without unregistering, the ResourceManager counts it as failed and starts another one. That one
// would run the job again if it had no record of the end.
net::awaitable<void> finish(Shared state, yarn::AppMaster::Ending ending) {
  constexpr int kTries = 3;
  auto& master = *state->master;
  for (int i = 0; i < kTries || !end_is_kept(state->options); ++i) {
    if (i > 0) co_await net::pause(state->options.reconnect_pause);
    const auto finished = co_await master.finish(ending);
    if (finished || yarn::is_attempt_over(finished.error())) co_return;
    core::log("reporting the end of the job to the ResourceManager: {}", finished.error().message);
    if (!yarn::is_not_registered(finished.error())) continue;
    (void)co_await master.register_master(state->own_address());  // the ResourceManager was restarted
  }
}

}  // namespace

// ---- actions of the machine ------------------------------------------------------------------------------------

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

core::Result<> YarnBackend::State::connect() {
  auto made = yarn::app_master_options(options.config, {.user = options.job.user, .tokens = {&options.token, 1}});
  if (!made) return core::fail(made.error());
  made->retry.same_server_pause = options.reconnect_pause;
  made->retry.backoff_base = std::min(made->retry.backoff_base, options.reconnect_pause);
  made->retry.backoff_max = std::min(made->retry.backoff_max, options.reconnect_pause);
  master.emplace(executor, *std::move(made));
  return {};
}

yarn::AppMaster::Address YarnBackend::State::own_address() const {
  return {.host = options.address, .port = options.port, .tracking_url = options.tracking_url};
}

void YarnBackend::State::close() {
  closed = true;
  machine.close();
  news.notify();
}

// ---- the backend -----------------------------------------------------------------------------------------------

YarnBackend::YarnBackend(net::asio::any_io_executor executor, protocol::Hub& hub, Sink sink, YarnOptions options)
    : state_(std::make_shared<State>(std::move(executor), hub, std::move(sink), std::move(options))) {}

YarnBackend::~YarnBackend() {
  state_->close();
}

net::Async<> YarnBackend::open() {
  const auto state = state_;
  if (auto connected = state->connect(); !connected) co_return connected;
  if (auto registered = co_await register_master(state); !registered) co_return registered;
  net::spawn(state->executor, "watching the YARN job", keep_time(state));
  co_return core::Result<>{};
}

void YarnBackend::place(TaskRequest request) {
  state_->carry_out(state_->machine.place(request, core::steady_now()));
}

void YarnBackend::launch(protocol::Launch request) {
  state_->carry_out(state_->machine.launch(std::move(request), core::steady_now()));
}

void YarnBackend::stop(protocol::Stop request) {
  state_->carry_out(state_->machine.stop(std::move(request), core::steady_now()));
}

void YarnBackend::pass(protocol::Notice notice) {
  state_->carry_out(state_->machine.pass(std::move(notice)));
}

void YarnBackend::release(const core::AttemptId& attempt) {
  state_->carry_out(state_->machine.release(attempt, core::steady_now()));
}

void YarnBackend::adopt(TaskRequest request, const job::Adopt& adopted) {
  state_->carry_out(state_->machine.adopt(request, adopted, core::steady_now()));
}

void YarnBackend::adopted_all() {
  state_->carry_out(state_->machine.adopted_all(core::steady_now()));
}

core::Instant YarnBackend::heard_resource_manager() const {
  return state_->heard;
}

void YarnBackend::avoid(const std::string& node) {
  state_->machine.avoid(node);
  state_->news.notify();
}

void YarnBackend::forgive(const std::string& node) {
  state_->machine.forgive(node);
  state_->news.notify();
}

net::awaitable<void> YarnBackend::close(const job::Outcome& outcome) {
  const auto state = state_;
  if (state->closed) co_return;
  state->close();
  for (const auto deadline = core::steady_now() + kSavePatience;
       state->machine.logs_being_saved() > 0 && core::steady_now() < deadline;) {
    co_await state->news.wait(until(deadline));
  }
  const auto& last_words = state->options.before_finish;
  const bool is_kept = end_is_kept(state->options);
  if (last_words && is_kept) co_await last_words();
  if (state->master && state->machine.has_to_finish()) {
    co_await finish(state, {.status = final_status(outcome.state), .diagnostics = outcome.reason, .tracking_url = {}});
  }
  if (last_words && !is_kept) co_await last_words();
  if (state->master) state->master->close();
}

}  // namespace ydl::backend
