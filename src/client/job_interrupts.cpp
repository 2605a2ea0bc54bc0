#include "client/job_interrupts.hpp"

#include "ui/screen.hpp"

#include <array>
#include <csignal>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

namespace ydl::client {
namespace {

namespace asio = net::asio;

constexpr core::Millis kStopPatience{10'000};  // for the ResourceManager to accept the stop
constexpr int kInterrupted = 130;

// What a signal handler needs. It must not allocate memory.
struct LastWords {
  std::array<char, 256> text{};
  std::size_t size = 0;
};
LastWords last_words;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): of end_by_signal

// A terminal that takes nothing at present must not keep this process from ending.
void end_by_signal(int number) {
  ::pollfd output{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&output, 1, 0) > 0 && ::write(STDERR_FILENO, last_words.text.data(), last_words.size) < 0) {
    // There is no other way to tell it.
  }
  ::_exit(128 + number);
}

}  // namespace

JobInterrupts::JobInterrupts(asio::io_context& context, FollowedJob& job, Options options)
    : context_(context), job_(job), options_(std::move(options)), signals_(context_) {
  for (const int number : handled_signals_) signals_.add(number);
}

net::awaitable<void> JobInterrupts::watch() {
  for (;;) {
    const auto [error, number] = co_await signals_.async_wait(net::tuple);
    if (error) co_return;
    if (options_.part == Part::watcher) co_return leave_watched_job();
    if (is_stopping_) {
      if (co_await stop_job(core::Millis(0))) continue;
      co_return give_up_stopping();
    }
    if (number == SIGHUP && job_.is_managed() && leave()) co_return;  // losing the terminal does not stop the job
    const bool can_ask =
        number == SIGINT && job_.screen.mode() == ui::Mode::tty && ui::Screen(STDIN_FILENO).is_terminal();
    const auto answer = can_ask ? co_await ask() : ui::Answer::stop;
    if (answer == ui::Answer::carry_on) continue;
    if (answer == ui::Answer::leave && leave()) co_return;
    is_stopping_ = true;
    if (can_ask) job_.screen.footer({"stopping; Ctrl-C again stops without grace", "stopping"});
    if (!co_await stop_job(std::nullopt)) co_return give_up_stopping();
  }
}

void JobInterrupts::end() {
  if (!job_.is_left) {
    const auto text = fmt::format("{0}ydl: {1} has ended; `ydl logs {1}` shows the rest of its output\n",
                                  ui::Screen(STDERR_FILENO).is_terminal() ? "\n" : "", job_.folder.id().str());
    last_words.size = text.copy(last_words.text.data(), last_words.text.size());
  }
  signals_.clear();
  for (const int number : handled_signals_) {
    struct sigaction action{};
    action.sa_handler = end_by_signal;
    ::sigaction(number, &action, nullptr);
  }
}

net::awaitable<ui::Answer> JobInterrupts::ask() {
  using asio::experimental::awaitable_operators::operator||;
  const bool is_tied = job_.remote && !job_.is_managed();  // an unmanaged master goes with its client
  ui::Question question(is_tied ? ui::Leaving::impossible : ui::Leaving::possible);
  const ui::SingleKeys keys(STDIN_FILENO);
  asio::posix::stream_descriptor input(context_, ::dup(STDIN_FILENO));
  is_asking_ = true;
  std::array<char, 64> buffer{};
  while (!question.answer()) {
    job_.screen.footer(question.texts());
    const auto what =
        co_await (input.async_read_some(asio::buffer(buffer), net::tuple) || signals_.async_wait(net::tuple));
    // The job ended before an answer came: what is read as the end of the input is our own doing.
    if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none) break;
    if (what.index() == 1) {
      question.interrupt();
      continue;
    }
    const auto& [error, n] = std::get<0>(what);
    if (error)
      question.end_of_input();
    else
      question.input({buffer.data(), n});
  }
  is_asking_ = false;
  job_.screen.footer({});
  co_return question.answer().value_or(ui::Answer::carry_on);
}

net::awaitable<bool> JobInterrupts::stop_job(std::optional<core::Millis> grace) {
  using asio::experimental::awaitable_operators::operator||;
  grace_ = grace;
  if (job_.master.is_attached()) {
    const auto client = job_.master.connect();
    if (co_await client->stop(who_am_i(), grace)) co_return true;
  }
  if (!job_.is_managed()) co_return !jobs::master_lives(job_.folder);  // one that is gone stopped its job
  const auto killed =
      co_await (job_.remote->kill(fmt::format("stopped by {}", who_am_i())) || net::pause(kStopPatience));
  co_return killed.index() == 0 && std::get<0>(killed).has_value();
}

net::awaitable<void> JobInterrupts::repeat_stop() {
  if (is_stopping_ && job_.master.take_change()) (void)co_await stop_job(grace_);
}

void JobInterrupts::give_up_stopping() {
  const auto id = job_.folder.id().str();
  job_.screen.close();
  job_.screen.write(
      job_.is_managed()
          ? fmt::format("neither the job's master nor the ResourceManager can be reached: {0} may run on; "
                        "`ydl kill {0}` stops it when they are back\n",
                        id)
          : fmt::format("the job's master does not answer: {} stops as soon as its process runs again\n", id));
  job_.is_left = true;
}

bool JobInterrupts::leave() {
  if (options_.lifeline && !core::write_all(options_.lifeline.get(), "L")) return false;
  const auto id = job_.folder.id().str();
  job_.screen.close();
  job_.screen.write(fmt::format("left running: `ydl follow {0}` shows it again, `ydl kill {0}` stops it\n", id));
  job_.is_left = true;
  job_.exit_code = 0;
  return true;
}

void JobInterrupts::leave_watched_job() {
  if (job_.screen.mode() == ui::Mode::json && job_.view) job_.screen.finish(job_.with_paths(*job_.view));
  job_.screen.close();
  const auto id = job_.folder.id().str();
  (void)core::write_all(STDERR_FILENO,
                        fmt::format("{0} goes on: `ydl follow {0}` shows it again, `ydl kill {0}` stops it\n", id));
  job_.is_left = true;
  job_.exit_code = kInterrupted;
}

}  // namespace ydl::client
