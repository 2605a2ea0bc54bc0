#include "agent/master_calls.hpp"

#include "core/json.hpp"
#include "core/log.hpp"
#include "core/user.hpp"
#include "core/utf8.hpp"
#include "core/version.hpp"
#include "net/errors.hpp"
#include "net/spawn.hpp"
#include "protocol/command_list.hpp"
#include "protocol/hello.hpp"
#include "protocol/report_list.hpp"

#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr core::Millis kHelloPause{200};
constexpr core::Millis kRetryPause{100};
constexpr core::Millis kSendTime = core::Seconds(30);
// A master that is slow, or stopped for a moment, keeps its job.
constexpr core::Millis kAnswerTime = core::Seconds(25);      // beyond the time for which a call is open
constexpr std::size_t kReportBytes = std::size_t{1} << 20U;  // of one call; the rest goes with the next
// The one that is open, and the one that lets the master answer it.
constexpr std::size_t kMostOpenCalls = 2;
// The agent's container is gone for the master, as when a NodeManager is lost while its containers live on: a successor
// may run by now.
constexpr unsigned kUnknownAgent = 404;
constexpr unsigned kTryAgain = 503;

}  // namespace

MasterCalls::MasterCalls(const net::asio::any_io_executor& executor, Options options, Listener listener)
    : options_(std::move(options)),
      listener_(std::move(listener)),
      client_(executor, options_.master),
      changed_(executor) {}

std::string MasterCalls::path(std::string_view call) const {
  return fmt::format("/v1/agents/{}/{}", options_.id.str(), call);
}

std::string MasterCalls::master() const {
  return net::describe(options_.master);
}

net::Async<> MasterCalls::say_hello() {
  const protocol::Hello hello{protocol::kProtocolVersion, std::string(core::kVersion), core::host_name(), ::getpid()};
  const auto deadline = core::steady_now() + options_.outlives_master;
  for (;;) {
    const auto answer = co_await client_.post(
        path("hello"), core::replace_invalid_utf8(boost::json::serialize(to_json(hello))), core::Seconds(10));
    if (answer && answer->status == 200) co_return welcomed(answer->body);
    if (answer && answer->status != kTryAgain) {
      co_return core::fail(core::Errc::refused,
                           fmt::format("the master at {} refuses this agent: {}", master(), answer->body));
    }
    if (!answer && answer.error().code == net::Errc::untrusted) co_return core::fail(answer.error());
    if (core::steady_now() >= deadline) {
      co_return core::fail(core::Errc::unavailable,
                           fmt::format("the master at {} cannot be reached from {}: {}", master(), hello.node,
                                       answer ? answer->body : answer.error().message));
    }
    co_await net::pause(kHelloPause);
  }
}

core::Result<void> MasterCalls::welcomed(std::string_view body) {
  const auto object = core::parse_json_object(body);
  const auto welcome = object ? protocol::welcome_from_json(*object) : core::fail(object.error());
  if (!welcome) return core::fail(welcome.error().within(fmt::format("the answer of the master at {}", master())));
  if (session_.accept(welcome->epoch)) return {};
  return core::fail(core::Errc::refused, fmt::format("the master at {} was replaced by a later one", master()));
}

void MasterCalls::tell(protocol::Report report) {
  session_.push(std::move(report));
  changed_.notify();
}

void MasterCalls::stop() {
  stopped_ = true;
  changed_.notify();
  client_.close();
}

bool MasterCalls::may_send() const {
  return open_.empty() || (open_.size() < kMostOpenCalls && session_.reports().last() > sent_);
}

std::string MasterCalls::next_body() {
  auto list = protocol::encode_reports(session_.epoch(), session_.reports(), kReportBytes, sent_);
  open_.back() = sent_ = list.last;
  return std::move(list.body);
}

net::awaitable<void> MasterCalls::run() {
  taking_answers_ = true;
  net::spawn(co_await net::asio::this_coro::executor, "taking the master's answers", take_answers());
  while (!stopped_) {
    if (!may_send()) {
      co_await changed_.wait(core::Seconds(3600));
      continue;
    }
    co_await net::pause(core::Millis(0));  // what happens in one go is reported in one call
    if (stopped_) break;
    open_.push_back(sent_);
    const auto target =
        fmt::format("{}?after={}&wait={}", path("exchange"), session_.last_command(), options_.heartbeat.count());
    sending_ = true;
    const auto sent = co_await client_.send(target, next_body(), kSendTime);
    sending_ = false;
    changed_.notify();
    if (sent) continue;
    failed(sent.error());
    co_await net::pause(kRetryPause);
  }
  while (taking_answers_) co_await changed_.wait(core::Seconds(3600));
}

net::awaitable<void> MasterCalls::take_answers() {
  while (!stopped_) {
    const bool only_in_part_sent = open_.size() == 1 && sending_;
    if (open_.empty() || only_in_part_sent) {
      co_await changed_.wait(core::Seconds(3600));
      continue;
    }
    const auto response = co_await client_.receive(options_.heartbeat + kAnswerTime);
    if (stopped_) break;
    if (response && response->status == kUnknownAgent) {
      stop();
      listener_.on_lost(fmt::format("the master at {} has given this container up", master()));
      break;
    }
    const auto taken = response ? take(*response) : core::fail(response.error());
    if (taken) continue;
    failed(taken.error());
    co_await net::pause(kRetryPause);
  }
  taking_answers_ = false;
  changed_.notify();
}

core::Result<void> MasterCalls::take(const net::HttpResponse& response) {
  if (response.status != 200) return core::fail(core::Errc::refused, response.body);
  if (open_.empty()) return {};  // its connection failed meanwhile
  const auto epoch = session_.epoch();
  session_.confirm(epoch, open_.front());
  open_.pop_front();
  changed_.notify();
  const auto begin = [this](protocol::Epoch of_master) { return session_.accept(of_master); };
  const auto take_one = [this](protocol::Sequence seq, core::Result<protocol::Command> command) {
    if (session_.accept_command(seq)) listener_.on_command(std::move(command));
  };
  auto read = protocol::read_commands(response.body, {.begin = begin, .take = take_one});
  listener_.on_commands_end();
  if (session_.epoch() != epoch) drop_open_calls();  // their numbers are those of the master before
  if (!read) return core::fail(read.error().within("the list of commands is malformed"));
  silent_since_.reset();
  return {};
}

// All calls that are open are lost with their connection; their reports go again.
void MasterCalls::drop_open_calls() {
  client_.close();
  open_.clear();
  sent_ = session_.reports().first() - 1;
  changed_.notify();
}

void MasterCalls::failed(const core::Error& why) {
  drop_open_calls();
  if (stopped_) return;
  if (why.code == net::Errc::untrusted) {  // the master is gone, and its address is another's
    stop();
    return listener_.on_lost(why.message);
  }
  if (!silent_since_) silent_since_ = core::steady_now();
  if (core::steady_now() - *silent_since_ <= options_.outlives_master) return;
  stop();
  listener_.on_lost(fmt::format("the master at {} does not answer: {}", master(), why.message));
}

}  // namespace ydl::agent
