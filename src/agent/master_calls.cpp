#include "agent/master_calls.hpp"

#include "core/log.hpp"
#include "net/errors.hpp"
#include "net/spawn.hpp"
#include "protocol/command_list.hpp"
#include "protocol/report_list.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr core::Millis kFirstRetryPause{100};
constexpr core::Millis kLongestRetryPause = core::Seconds(1);
constexpr core::Millis kSendTime = core::Seconds(30);
// Long enough that a job survives a slow master, or one that is stopped for a moment.
constexpr core::Millis kAnswerTime = core::Seconds(25);      // in addition to the time for which a call stays open
constexpr std::size_t kReportBytes = std::size_t{1} << 20U;  // in one call; the rest is sent in the next one
// The open call, and a second one after which the master answers the first.
constexpr std::size_t kMostOpenCalls = 2;
// The master no longer counts the container of this agent, for example because its NodeManager was lost while the
// container kept running. A new attempt of the task may already run.
constexpr unsigned kUnknownAgent = 404;

}  // namespace

MasterCalls::MasterCalls(const net::asio::any_io_executor& executor, Options options, Listener listener)
    : executor_(executor),
      options_(std::move(options)),
      listener_(std::move(listener)),
      master_(options_.master),
      client_(std::make_shared<net::HttpClient>(executor, master_)),
      lease_({.outlives_master = options_.outlives_master, .has_folder = static_cast<bool>(options_.look)},
             core::steady_now()),
      retry_pause_(kFirstRetryPause),
      changed_(executor) {}

std::string MasterCalls::path(std::string_view call) const {
  return fmt::format("/v1/agents/{}/{}", options_.id.str(), call);
}

std::string MasterCalls::master() const {
  return net::describe(master_);
}

void MasterCalls::tell(protocol::Report report) {
  session_.push(std::move(report));
  changed_.notify();
}

void MasterCalls::stop() {
  stopped_ = true;
  changed_.notify();
  client_->close();
  if (successor_) successor_->close();
  if (look_) look_->ended.notify();
}

net::awaitable<void> MasterCalls::flush(core::Millis at_most) {
  flushing_ = true;
  changed_.notify();
  const auto deadline = core::steady_now() + at_most;
  while (!stopped_ && !session_.reports().empty()) {
    const auto left = deadline - core::steady_now();
    if (left <= core::Millis(0)) break;
    co_await changed_.wait(left);
  }
}

bool MasterCalls::may_send() const {
  if (successor_) return false;
  if (open_.empty()) return true;
  // A second call makes the master answer the first one, which confirms the reports in it.
  const bool has_news = session_.reports().last() > sent_ || (flushing_ && !session_.reports().empty());
  return open_.size() < kMostOpenCalls && has_news;
}

std::string MasterCalls::next_body() {
  auto list = protocol::encode_reports(session_.epoch(), session_.reports(), kReportBytes, sent_);
  open_.back() = sent_ = list.last;
  return std::move(list.body);
}

net::awaitable<void> MasterCalls::run() {
  taking_answers_ = true;
  net::spawn(executor_, "taking the master's answers", take_answers());
  while (!stopped_) {
    if (!may_send()) {
      co_await changed_.wait(core::Seconds(3600));
      continue;
    }
    co_await net::pause(core::Millis(0));  // let other coroutines finish, so that their reports go into one call
    if (stopped_) break;
    if (!may_send()) continue;
    open_.push_back(sent_);
    const auto wait = flushing_ ? core::Millis(0) : options_.heartbeat;
    const auto target = fmt::format("{}?after={}&wait={}", path("exchange"), session_.last_command(), wait.count());
    sending_ = true;
    const auto client = client_;
    const auto sent = co_await client->send(target, next_body(), kSendTime);
    sending_ = false;
    changed_.notify();
    if (sent || client != client_ || successor_) continue;
    failed(sent.error());
    co_await pause_before_retry();
  }
  while (taking_answers_ || searching_) co_await changed_.wait(core::Seconds(3600));
}

net::awaitable<void> MasterCalls::take_answers() {
  while (!stopped_) {
    const bool only_in_part_sent = open_.size() == 1 && sending_;
    if (open_.empty() || only_in_part_sent) {
      co_await changed_.wait(core::Seconds(3600));
      continue;
    }
    const auto client = client_;
    const auto response = co_await client->receive(options_.heartbeat + kAnswerTime);
    if (stopped_) break;
    if (client != client_ || successor_) continue;  // an answer of an earlier master
    if (response && response->status == kUnknownAgent) {
      lost(fmt::format("the master at {} has given up this container", master()));
      break;
    }
    const auto taken = response ? take(*response) : core::fail(response.error());
    if (taken) continue;
    failed(taken.error());
    co_await pause_before_retry();
  }
  taking_answers_ = false;
  changed_.notify();
}

core::Result<void> MasterCalls::take(const net::HttpResponse& response) {
  if (response.status != 200) return core::fail(core::Errc::refused, response.body);
  if (open_.empty()) return {};  // the connection failed meanwhile
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
  if (session_.epoch() != epoch) drop_open_calls();  // their numbers belong to the earlier master
  if (!read) return core::fail(read.error().within("the list of commands is malformed"));
  lease_.heard(core::steady_now(), session_.epoch().number);
  retry_pause_ = kFirstRetryPause;
  return {};
}

// All open calls are lost with their connection. Their reports are sent again.
void MasterCalls::drop_open_calls() {
  client_->close();
  open_.clear();
  sent_ = session_.reports().first() - 1;
  changed_.notify();
}

net::awaitable<void> MasterCalls::pause_before_retry() {
  const auto pause = retry_pause_;
  retry_pause_ = std::min(retry_pause_ * 2, kLongestRetryPause);
  co_await net::pause(pause);
}

void MasterCalls::lost(std::string why) {
  if (stopped_) return;
  stop();
  listener_.on_lost(std::move(why));
}

void MasterCalls::failed(const core::Error& why) {
  drop_open_calls();
  if (stopped_) return;
  // The master is gone, and another program uses its address. Without a job folder there is no way to find a new
  // master.
  if (why.code == net::Errc::untrusted && !options_.look) return lost(why.message);
  lease_.unheard(core::steady_now(), fmt::format("the master at {} does not answer: {}", master(), why.message));
  if (options_.look) {
    if (std::exchange(searching_, true)) return;
    core::log("the master at {} does not answer: {}; looking in the job's folder for a new master", master(),
              why.message);
    net::spawn(executor_, "looking for the master", search());
    return;
  }
  // Called only after a call has failed, because a late answer does not mean that the master is lost.
  auto action = lease_.next(core::steady_now());
  if (auto* give_up = std::get_if<MasterLease::GiveUp>(&action)) lost(std::move(give_up->why));
}

}  // namespace ydl::agent
