// Tests of the scheduler's driver over loopback, with real sockets and simulated nodes.
#include "pslite/scheduler.hpp"

#include "support/pslite_node.hpp"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace ydl::pslite {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ydl::testing::PsliteNode;

void rethrow(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
}

class SchedulerTest : public ::testing::Test {
 protected:
  Scheduler& start(SchedulerOptions options) {
    options.notify = [this](const Notice& notice) {
      notices_.push_back(notice);
      if (on_notice_) on_notice_(notice);
    };
    if (!options.vouches_for) options.vouches_for = [](const std::string&) { return true; };  // no tasks are expected
    auto listening = Scheduler::listen(io_.get_executor(), std::move(options));
    if (!listening) throw std::runtime_error(listening.error().message);
    scheduler_ = *std::move(listening);
    return *scheduler_;
  }

  PsliteNode& node(Role role) {
    nodes_.push_back(std::make_unique<PsliteNode>(io_.get_executor(), role, scheduler_->port()));
    return *nodes_.back();
  }

  void spawn(asio::awaitable<void> life) { asio::co_spawn(io_, std::move(life), rethrow); }

  // Runs the loop until the condition is true. Returns false after a time that is only reached by a hang.
  [[nodiscard]] bool until(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io_.run_one_for(std::chrono::milliseconds(100));
      io_.restart();
    }
    return true;
  }

  template <class T>
  [[nodiscard]] std::vector<T> told() const {
    std::vector<T> found;
    for (const Notice& notice : notices_) {
      if (const T* one = std::get_if<T>(&notice)) found.push_back(*one);
    }
    return found;
  }
  template <class T>
  [[nodiscard]] bool until_told(std::size_t count = 1) {
    return until([&] { return told<T>().size() >= count; });
  }

  // Connects, sends, and reads until the scheduler closes the connection.
  [[nodiscard]] bool hung_up_on(const std::string& bytes) {
    tcp::socket socket(io_);
    socket.connect({asio::ip::address_v4::loopback(), scheduler_->port()});
    asio::write(socket, asio::buffer(bytes));
    bool closed = false;
    std::vector<char> buffer(256);
    std::function<void()> read = [&] {
      socket.async_read_some(asio::buffer(buffer), [&](const boost::system::error_code& error, std::size_t) {
        closed = static_cast<bool>(error);
        if (!closed) read();
      });
    };
    read();
    return until([&] { return closed; });
  }

  asio::io_context io_{1};
  std::vector<Notice> notices_;
  std::function<void(const Notice&)> on_notice_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<std::unique_ptr<PsliteNode>> nodes_;
};

asio::awaitable<void> whole_life(PsliteNode& node) {
  co_await node.join();
  co_await node.barrier(kAllGroups);
  co_await node.barrier(kWorkerGroup + kServerGroup);
  co_await node.barrier(kAllGroups);
}

asio::awaitable<void> join_and_start(PsliteNode& node, int& started) {
  co_await node.join();
  co_await node.barrier(kAllGroups);
  ++started;
}

asio::awaitable<void> only_join(PsliteNode& node, int& joined) {
  co_await node.join();
  ++joined;
}

asio::awaitable<void> pass(PsliteNode& node, int group, int& passed) {
  co_await node.barrier(group);
  ++passed;
}

TEST_F(SchedulerTest, a_job_runs_from_registration_to_completion) {
  start({.job = {.workers = 3, .servers = 2}});
  for (const Role role : {Role::worker, Role::server, Role::worker, Role::server, Role::worker})
    spawn(whole_life(node(role)));
  ASSERT_TRUE(until_told<Finished>());
  EXPECT_EQ(told<Registered>().size(), 5U);
  EXPECT_EQ(told<BarrierPassed>().size(), 3U);
  EXPECT_THAT(told<Note>(), IsEmpty());
}

TEST_F(SchedulerTest, run_code_as_alice_unknown_peer_at_the_scheduler) {
  start({.job = {.workers = 1, .servers = 1}, .vouches_for = [](const std::string&) { return false; }});
  scheduler_->expect({{"worker", 0}, Role::worker, "127.0.0.2", 0});
  spawn(whole_life(node(Role::worker)));  // from 127.0.0.1
  ASSERT_TRUE(until_told<UnknownPeerRefused>());
  EXPECT_EQ(told<UnknownPeerRefused>().at(0).sentence,
            "a peer that tried to register as worker from 127.0.0.1, where this job has no worker");
  EXPECT_TRUE(told<Registered>().empty());
}

TEST_F(SchedulerTest, stop_alices_job_connections_from_elsewhere_take_none_from_its_nodes) {
  bool from_the_job = false;
  start({.job = {.workers = 1, .servers = 1},
         .vouches_for = [&](const std::string&) { return from_the_job; },
         .max_links = 2});
  std::vector<asio::ip::tcp::socket> silent;
  for (int i = 0; i < 100; ++i) {
    auto& socket = silent.emplace_back(io_);
    socket.connect({asio::ip::address_v4::loopback(), scheduler_->port()});
  }
  // The last connections are closed immediately. When this is visible, all of them have been handled.
  bool closed = false;
  char byte = 0;
  silent.back().async_read_some(asio::buffer(&byte, 1), [&](auto error, std::size_t) { closed = bool(error); });
  ASSERT_TRUE(until([&] { return closed; }));
  from_the_job = true;
  for (const auto role : {Role::worker, Role::server}) spawn(whole_life(node(role)));
  ASSERT_TRUE(until_told<Finished>());
  EXPECT_EQ(told<Registered>().size(), 2U);
}

TEST_F(SchedulerTest, a_port_in_use_is_an_error_with_a_remedy) {
  start({});
  const auto second = Scheduler::listen(io_.get_executor(), {.port = scheduler_->port()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, core::Errc::exists);
  EXPECT_THAT(second.error().message, HasSubstr("the address is in use; choose another port"));
  const auto named = Scheduler::listen(io_.get_executor(), {.address = "localhost"});
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, core::Errc::usage);
}

TEST_F(SchedulerTest, a_peer_that_sends_garbage_is_disconnected_and_others_are_not_affected) {
  start({.job = {.workers = 1, .servers = 1}});
  const std::string open = zmtp::encode_greeting() + zmtp::encode_ready({{"Socket-Type", "DEALER"}, {"Identity", ""}});
  EXPECT_TRUE(hung_up_on("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_THAT(told<Note>().at(0).sentence, HasSubstr("does not speak ZeroMQ"));
  // Announces a frame of 2 GB.
  EXPECT_TRUE(hung_up_on(open + std::string("\x02\0\0\0\0\x80\0\0\0", 9)));
  EXPECT_THAT(told<Note>().at(1).sentence, HasSubstr("a frame of 2147483648 bytes was announced"));
  EXPECT_TRUE(hung_up_on(open + zmtp::encode_message("garbage")));
  EXPECT_THAT(told<Note>().at(2).sentence, HasSubstr("an invalid ps-lite message"));
  EXPECT_TRUE(hung_up_on(open + zmtp::encode_message(zmtp::Message{{"a", "b"}})));
  EXPECT_THAT(told<Note>().at(3).sentence, HasSubstr("with data"));
  EXPECT_TRUE(
      hung_up_on(zmtp::encode_greeting() + zmtp::encode_ready({{"Socket-Type", "DEALER"}, {"Identity", "ps9"}})));
  EXPECT_THAT(told<Note>().at(4).sentence, HasSubstr("has the identity 'ps9'"));
  spawn(whole_life(node(Role::worker)));
  spawn(whole_life(node(Role::server)));
  EXPECT_TRUE(until_told<Finished>());
}

TEST_F(SchedulerTest, a_silent_connection_is_closed_in_time) {
  start({.handshake_timeout = core::Millis(50)});
  EXPECT_TRUE(hung_up_on(""));
  EXPECT_THAT(told<Note>().at(0).sentence, HasSubstr("did not finish the ZeroMQ handshake within 50 ms"));
  EXPECT_TRUE(hung_up_on(zmtp::encode_greeting() + zmtp::encode_ready({{"Socket-Type", "DEALER"}})));
  EXPECT_EQ(told<Note>().size(), 1U);
}

TEST_F(SchedulerTest, connections_are_limited) {
  start({.max_links = 2});
  std::vector<tcp::socket> sockets;
  for (int i = 0; i < 2; ++i) {
    sockets.emplace_back(io_);
    sockets.back().connect({asio::ip::address_v4::loopback(), scheduler_->port()});
  }
  EXPECT_TRUE(hung_up_on(""));
  EXPECT_THAT(told<Note>().at(0).sentence, HasSubstr("has reached its limit of 2 connections"));
}

TEST_F(SchedulerTest, a_killed_worker_is_replaced_and_the_job_ends) {
  Scheduler& scheduler = start({.job = {.workers = 2, .servers = 1}});
  PsliteNode& first = node(Role::worker);
  PsliteNode& second = node(Role::worker);
  PsliteNode& server = node(Role::server);
  scheduler.expect({.task = {"worker", 0}, .role = Role::worker, .host = "127.0.0.1", .port = first.port()});
  scheduler.expect({.task = {"worker", 1}, .role = Role::worker, .host = "127.0.0.1", .port = second.port()});
  int started = 0;
  for (PsliteNode* one : {&first, &second, &server}) spawn(join_and_start(*one, started));
  ASSERT_TRUE(until([&] { return started == 3; }));
  EXPECT_EQ(second.id(), NodeId{11});
  int passed = 0;
  spawn(pass(first, kWorkerGroup, passed));
  spawn(pass(second, kWorkerGroup, passed));
  ASSERT_TRUE(until([&] { return passed == 2; }));

  second.die();
  scheduler.node_exited({.task = {"worker", 1}, .outlook = Outlook::restarts, .how = "killed"});
  ASSERT_TRUE(until_told<NodeDead>());
  int joined = 0;
  PsliteNode& again = node(Role::worker);
  spawn(only_join(again, joined));
  ASSERT_TRUE(until([&] { return joined == 1; }));
  EXPECT_EQ(again.id(), NodeId{11});
  EXPECT_TRUE(again.is_recovery());
  ASSERT_TRUE(until([&] { return first.latest_list().size() == 1; }));
  EXPECT_EQ(first.latest_list()[0].port, again.port());

  for (PsliteNode* one : {&first, &again, &server}) spawn(pass(*one, kAllGroups, passed));
  ASSERT_TRUE(until([&] { return passed == 5; }));
  EXPECT_TRUE(until_told<Finished>());
}

TEST_F(SchedulerTest, an_unreachable_node_whose_end_was_not_reported_is_a_note) {
  start({.job = {.workers = 1, .servers = 1}, .unreachable_after = core::Millis(200)});
  // It registers and disconnects.
  PsliteNode& lost = node(Role::worker);
  int joined = 0;
  asio::co_spawn(io_, only_join(lost, joined), asio::detached);
  ASSERT_TRUE(until_told<Registered>());
  lost.die();
  asio::co_spawn(io_, only_join(node(Role::server), joined), asio::detached);
  ASSERT_TRUE(until_told<Note>());
  EXPECT_THAT(told<Note>()[0].sentence, HasSubstr("the scheduler cannot connect to it: Connection refused"));
  EXPECT_THAT(told<Failed>(), IsEmpty());
}

TEST_F(SchedulerTest, with_waits_for_begin_no_node_is_registered_before_begin) {
  Scheduler& scheduler = start({.job = {.workers = 1, .servers = 1}, .waits_for_begin = true});
  int joined = 0;
  for (const Role role : {Role::worker, Role::server}) spawn(only_join(node(role), joined));
  (void)io_.run_for(std::chrono::milliseconds(50));
  io_.restart();
  EXPECT_THAT(notices_, IsEmpty());
  scheduler.begin("127.0.0.1");
  EXPECT_TRUE(until([&] { return joined == 2; }));
}

TEST_F(SchedulerTest, host_names_are_resolved_with_the_given_function) {
  std::vector<std::string> asked;
  SchedulerOptions options{.job = {.workers = 1, .servers = 1}, .unreachable_after = core::Millis(100)};
  options.resolve = [&](std::string host) -> asio::awaitable<core::Result<asio::ip::address>> {
    asked.push_back(host);
    co_return core::fail(core::Errc::not_found, "unknown host " + host);
  };
  start(std::move(options));
  const std::string open = zmtp::encode_greeting() + zmtp::encode_ready({{"Socket-Type", "DEALER"}, {"Identity", ""}});
  std::vector<tcp::socket> sockets;
  for (const Role role : {Role::worker, Role::server}) {
    Meta meta;
    meta.control = Control{.command = Command::add_node, .nodes = {Node{.role = role, .host = "gpu7", .port = 1}}};
    sockets.emplace_back(io_);
    sockets.back().connect({asio::ip::address_v4::loopback(), scheduler_->port()});
    asio::write(sockets.back(), asio::buffer(open + zmtp::encode_message(encode(meta))));
  }
  ASSERT_TRUE(until_told<Failed>());
  EXPECT_THAT(told<Failed>()[0].sentence, HasSubstr("unknown host gpu7"));
  EXPECT_GE(asked.size(), 2U);
}

TEST_F(SchedulerTest, a_registration_that_takes_too_long_fails) {
  start({.job = {.workers = 1, .servers = 1, .registration_timeout = core::Millis(50)}}).begin();
  ASSERT_TRUE(until_told<Failed>());
  EXPECT_EQ(told<Failed>()[0].failure, Failure::registration_timeout);
}

TEST_F(SchedulerTest, close_at_every_notice_leaves_nothing_running) {
  // A job with two nodes has seven notices. A close at each of them must end all coroutines.
  for (std::size_t stop_at = 1; stop_at <= 7; ++stop_at) {
    notices_.clear();
    nodes_.clear();
    on_notice_ = [&](const Notice&) {
      if (notices_.size() == stop_at) scheduler_->close();
    };
    start({.job = {.workers = 1, .servers = 1}});
    PsliteNode& a = node(Role::worker);
    PsliteNode& b = node(Role::server);
    // The connections of the nodes break when the scheduler is closed, as intended.
    asio::co_spawn(io_, whole_life(a), asio::detached);
    asio::co_spawn(io_, whole_life(b), asio::detached);
    ASSERT_TRUE(until([&] { return notices_.size() == stop_at; })) << stop_at;
    a.die();
    b.die();
    io_.restart();
    io_.run_for(std::chrono::seconds(20));
    EXPECT_TRUE(io_.stopped()) << stop_at;
    io_.restart();
    EXPECT_EQ(notices_.size(), stop_at);
  }
}

}  // namespace
}  // namespace ydl::pslite
