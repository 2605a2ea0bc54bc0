#include "backend/yarn/yarn_backend.hpp"

#include "backend/yarn/yarn_backend_state.hpp"
#include "net/spawn.hpp"
#include "yarn/configured.hpp"
#include "yarn/explain.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

using Shared = std::shared_ptr<YarnBackend::State>;

constexpr core::Millis kSavePatience{15'000};
constexpr core::Millis kProgressEvery{1'000};

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

YarnBackend::State::State(net::asio::any_io_executor executor_, protocol::Hub& hub_, Sink sink_, YarnOptions options_)
    : executor(std::move(executor_)),
      hub(hub_),
      sink(std::move(sink_)),
      options(std::move(options_)),
      machine(options.job, machine_options(options)),
      starter(executor, options.config, {.user = options.job.user, .retry_pause = options.reconnect_pause}),
      news(executor) {}

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
