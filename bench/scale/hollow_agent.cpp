#include "scale/hollow_agent.hpp"

#include "net/spawn.hpp"

#include <csignal>

#include <fmt/format.h>

namespace ydl::bench {
namespace {

constexpr std::uint16_t kPort = 40'001;  // of every task: no process connects to it

}  // namespace

HollowAgent::HollowAgent(const net::asio::any_io_executor& executor, Options options, std::function<void()> on_end)
    : executor_(executor),
      options_(std::move(options)),
      on_end_(std::move(on_end)),
      calls_(executor, {.master = options_.master, .id = options_.id, .outlives_master = core::Seconds(60)},
             {[this](const core::Result<protocol::Command>& command) {
                if (command) take(*command);
              },
              [] {}, [](const std::string&) {}}) {}

void HollowAgent::start() {
  net::spawn(executor_, "a hollow agent", live(shared_from_this()));
}

net::awaitable<void> HollowAgent::live(std::shared_ptr<HollowAgent> self) {
  if (const auto welcome = co_await self->calls_.say_hello(); welcome)
    co_await self->calls_.run();
  else
    fmt::print(stderr, "{}\n", welcome.error().message);
  self->running_ = false;
  self->on_end_();
}

void HollowAgent::take(const protocol::Command& command) {
  std::visit([this](const auto& one) { on(one); }, command);
}

void HollowAgent::on(const protocol::Prepare& command) {
  const auto ports = static_cast<std::size_t>(command.ports);
  calls_.tell(protocol::Prepared{command.attempt, std::vector<std::uint16_t>(ports, kPort)});
}

void HollowAgent::on(const protocol::Launch& command) {
  running_ = true;
  calls_.tell(protocol::TaskStarted{command.attempt, 4242});
  if (options_.task_life > core::Millis(0) || options_.line_period > core::Millis(0))
    net::spawn(executor_, "a hollow task", run_task(shared_from_this(), command.attempt));
}

net::awaitable<void> HollowAgent::run_task(std::shared_ptr<HollowAgent> self, core::AttemptId attempt) {
  const auto& options = self->options_;
  if (options.line_period == core::Millis(0)) co_await net::pause(options.task_life);
  for (int line = 0; self->running_ && options.line_period > core::Millis(0); ++line) {
    auto text = fmt::format("Epoch[3] Batch [{}] Speed: 1234.56 samples/sec accuracy=0.912345", line);
    self->calls_.tell(protocol::TaskOutput{attempt, std::move(text), {}, {}});
    co_await net::pause(options.line_period);
  }
  self->end_task(attempt, {});
}

void HollowAgent::on(const protocol::Stop& command) {
  job::ExitStatus status;
  status.signal = SIGTERM;
  end_task(command.attempt, status);
}

void HollowAgent::end_task(const core::AttemptId& attempt, job::ExitStatus status) {
  if (!std::exchange(running_, false)) return;
  calls_.tell(protocol::TaskExited{attempt, std::move(status), 0, {}});
}

}  // namespace ydl::bench
