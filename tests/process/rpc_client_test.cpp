// The RPC client against servers that behave well, badly, and not at all.
#include "hrpc/client.hpp"
#include "hrpc/errors.hpp"
#include "support/loop.hpp"
#include "support/rpc_peer.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::hrpc {
namespace {

using net::awaitable;
using test::ClientFrame;
using test::Imposter;
using test::RpcPeer;
using test::Socket;
using ::testing::HasSubstr;

constexpr Method kRead{"org.example.Protocol", "read", Repeat::idempotent};
constexpr Method kCreate{"org.example.Protocol", "create", Repeat::at_most_once};
constexpr Method kOnce{"org.example.Protocol", "once", Repeat::never};
constexpr core::Millis kShort{60};

class RpcClientTest : public testing::Test {
 protected:
  std::unique_ptr<Imposter> server(Imposter::Treatment treatment) {
    return std::make_unique<Imposter>(loop_.executor(), std::move(treatment));
  }
  std::unique_ptr<Imposter> who_says(std::string bytes) {
    return server([bytes = std::move(bytes)](Socket& socket, int) { return say(socket, bytes); });
  }
  std::unique_ptr<Imposter> echo() {
    return server([](Socket& socket, int) { return answer_all(socket, 0); });
  }

  static ClientOptions options(std::vector<std::uint16_t> ports) {
    ClientOptions options;
    for (const auto port : ports) options.servers.push_back({"127.0.0.1", port});
    options.identity.user = "alice";
    options.connect_timeout = test::kPatience;
    options.call_timeout = test::kPatience;
    options.retry = {.max_failovers = 3,
                     .max_retries = 2,
                     .backoff_base = core::Millis(1),
                     .backoff_max = core::Millis(2),
                     .same_server_pause = core::Millis(1)};
    return options;
  }
  Client client(std::vector<std::uint16_t> ports) { return {loop_.executor(), options(std::move(ports))}; }

  core::Error error_of(Client& client, const Method& method = kRead,
                       std::optional<core::Millis> at_most = std::nullopt) {
    auto answer = loop_.run(client.call_bytes(method, "x", at_most));
    if (answer) ADD_FAILURE() << "answered " << *answer;
    return answer ? core::Error{} : answer.error();
  }

  static awaitable<void> say(Socket& socket, std::string bytes) {
    RpcPeer peer(socket);
    if (co_await peer.next_call()) co_await test::write(socket, std::move(bytes));
    co_await test::listen_until_closed(socket);
  }
  // Answers `before_closing` calls with what they asked (0: all of them), then closes.
  static awaitable<void> answer_all(Socket& socket, int before_closing) {
    RpcPeer peer(socket);
    for (int i = 0; before_closing == 0 || i < before_closing; ++i) {
      const auto call = co_await peer.next_call();
      if (!call) co_return;
      co_await test::write(socket, test::reply(call->id, call->method + " " + call->request));
    }
  }
  static awaitable<void> refuse_all(Socket& socket, std::string java_class, std::vector<ClientFrame>& seen) {
    RpcPeer peer(socket);
    while (auto call = co_await peer.next_call()) {
      const auto id = call->id;
      seen.push_back(*std::move(call));
      co_await test::write(socket, test::error_reply(id, java_class, "no\n\tat Java"));
    }
  }

  test::Loop loop_;
};

TEST_F(RpcClientTest, a_call_is_answered) {
  const auto running = echo();
  auto calling = client({running->port()});
  EXPECT_EQ(loop_.run(calling.call_bytes(kRead, "x")), "read x");
  EXPECT_EQ(loop_.run(calling.call_bytes(kCreate, "y")), "create y");
  EXPECT_EQ(running->connections(), 1);
}

awaitable<void> collect_then_answer_backwards(Socket& socket, std::size_t count) {
  RpcPeer peer(socket);
  std::vector<ClientFrame> calls;
  while (calls.size() < count) {
    auto call = co_await peer.next_call();
    if (!call) co_return;
    calls.push_back(*std::move(call));
  }
  std::ranges::reverse(calls);
  for (const auto& call : calls) co_await test::write(socket, test::reply(call.id, call.request));
  co_await test::listen_until_closed(socket);
}

awaitable<void> expect_echo(Client& client, std::string text, int& done) {
  const auto answer = co_await client.call_bytes(kRead, text);
  EXPECT_EQ(answer, text);
  ++done;
}

TEST_F(RpcClientTest, a_thousand_calls_in_flight_are_answered_in_any_order_on_one_connection) {
  constexpr int kCalls = 1000;
  const auto running = server([](Socket& socket, int) { return collect_then_answer_backwards(socket, kCalls); });
  auto calling = client({running->port()});
  int done = 0;
  for (int i = 0; i < kCalls; ++i) loop_.spawn(expect_echo(calling, "call " + std::to_string(i), done));
  EXPECT_TRUE(loop_.until([&] { return done == kCalls; }));
  EXPECT_EQ(running->connections(), 1);
}

TEST_F(RpcClientTest, an_exception_is_the_call_s_alone) {
  std::vector<ClientFrame> seen;
  const auto refusing =
      server([&](Socket& socket, int) { return refuse_all(socket, "java.io.FileNotFoundException", seen); });
  auto calling = client({refusing->port()});
  const auto error = error_of(calling);
  EXPECT_EQ(error.code, Errc::not_found);
  EXPECT_EQ(error.message, "FileNotFoundException: no");
  EXPECT_EQ(error_of(calling).code, Errc::not_found);
  EXPECT_EQ(refusing->connections(), 1);
}

TEST_F(RpcClientTest, a_port_without_a_listener_is_unreachable_and_named) {
  const auto gone = server(nullptr)->port();
  auto calling = client({gone});
  const auto error = error_of(calling);
  EXPECT_EQ(error.code, Errc::unreachable);
  EXPECT_EQ(error.message, "127.0.0.1:" + std::to_string(gone) +
                               ": Connection refused; is the service running there? (after 3 attempts: the configured "
                               "number of retries is used up)");
}

TEST_F(RpcClientTest, a_silent_server_times_out) {
  const auto silent = server([](Socket& socket, int) { return test::listen_until_closed(socket); });
  auto opts = options({silent->port()});
  opts.call_timeout = kShort;
  Client calling(loop_.executor(), opts);
  const auto error = error_of(calling);
  EXPECT_EQ(error.code, Errc::timed_out);
  EXPECT_THAT(error.message, HasSubstr("no answer to read within 60 ms"));
}

TEST_F(RpcClientTest, the_caller_s_time_bounds_retries_too) {
  auto opts = options({server(nullptr)->port()});
  opts.retry = {.max_retries = 1'000'000, .same_server_pause = core::Millis(1)};
  Client calling(loop_.executor(), opts);
  const auto error = error_of(calling, kRead, kShort);
  EXPECT_THAT(error.message, HasSubstr("the time limit of the call is reached"));
}

TEST_F(RpcClientTest, a_server_that_is_silent_in_the_handshake_times_out) {
  const auto silent = server([](Socket& socket, int) { return test::listen_until_closed(socket); });
  auto opts = options({silent->port()});
  opts.identity.token = Token{"id", "password", "kind", "service"};
  opts.connect_timeout = kShort;
  opts.retry.max_retries = 0;
  Client calling(loop_.executor(), opts);
  const auto error = error_of(calling);
  EXPECT_EQ(error.code, Errc::timed_out);
  EXPECT_THAT(error.message, HasSubstr("did not finish the handshake within 60 ms"));
}

TEST_F(RpcClientTest, an_http_server_is_recognised) {
  const auto wrong = who_says("HTTP/1.1 400 Bad Request\r\n\r\n");
  auto calling = client({wrong->port()});
  const auto error = error_of(calling);
  EXPECT_EQ(error.code, Errc::not_hadoop);
  EXPECT_EQ(error.message, "127.0.0.1:" + std::to_string(wrong->port()) +
                               ": an HTTP server answered instead of Hadoop RPC; check that this is the RPC port");
}

TEST_F(RpcClientTest, a_length_of_four_gigabytes_is_refused) {
  const auto wrong = server([](Socket& socket, int) -> awaitable<void> {
    RpcPeer peer(socket);
    for (int i = 0; i < 2; ++i) (void)co_await peer.next_call();
    co_await test::write(socket, test::reply(CallId{0}, "fine") + "\xff\xff\xff\xf0");
    co_await test::listen_until_closed(socket);
  });
  auto calling = client({wrong->port()});
  int done = 0;
  loop_.spawn(expect_echo(calling, "fine", done));
  loop_.settle();
  const auto error = error_of(calling, kOnce);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(error.code, Errc::corrupt);
  EXPECT_THAT(error.message, HasSubstr("announced an answer of 4294967280 bytes"));
}

TEST_F(RpcClientTest, a_server_that_closes_within_a_frame_fails_every_waiter) {
  const auto closing = server([](Socket& socket, int) -> awaitable<void> {
    RpcPeer peer(socket);
    for (int i = 0; i < 3; ++i) (void)co_await peer.next_call();
    co_await test::write(socket, test::reply(CallId{0}, "half").substr(0, 6));
  });
  auto calling = client({closing->port()});
  int failed = 0;
  const auto expect_loss = [](Client& caller, int& count) -> awaitable<void> {
    const auto answer = co_await caller.call_bytes(kOnce, "x");
    EXPECT_FALSE(answer);
    if (!answer) EXPECT_EQ(answer.error().code, Errc::connection_lost);
    ++count;
  };
  for (int i = 0; i < 3; ++i) loop_.spawn(expect_loss(calling, failed));
  EXPECT_TRUE(loop_.until([&] { return failed == 3; }));
  EXPECT_EQ(closing->connections(), 1) << "a call that may have been done is not repeated";
}

awaitable<void> drop_first_connection(Socket& socket, int connection, std::vector<ClientFrame>& seen) {
  RpcPeer peer(socket);
  auto call = co_await peer.next_call();
  if (!call) co_return;
  seen.push_back(*call);
  if (connection > 1) {
    co_await test::write(socket, test::reply(call->id, "done"));
    co_await test::listen_until_closed(socket);
  }
}

TEST_F(RpcClientTest, a_repeated_call_has_the_same_ids_and_a_higher_count) {
  std::vector<ClientFrame> seen;
  const auto dropping =
      server([&](Socket& socket, int connection) { return drop_first_connection(socket, connection, seen); });
  auto calling = client({dropping->port()});
  EXPECT_EQ(loop_.run(calling.call_bytes(kCreate, "x")), "done");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].id, seen[1].id);
  EXPECT_EQ(seen[0].client_id, seen[1].client_id);
  EXPECT_EQ(seen[0].client_id.size(), 16U);
  EXPECT_EQ(seen[0].retry, 0);
  EXPECT_EQ(seen[1].retry, 1);
}

TEST_F(RpcClientTest, a_standby_sends_us_to_the_active_and_we_stay_there) {
  std::vector<ClientFrame> seen;
  const auto standby =
      server([&](Socket& socket, int) { return refuse_all(socket, "org.apache.hadoop.ipc.StandbyException", seen); });
  const auto active = echo();
  auto calling = client({standby->port(), active->port()});
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "x")), "once x");
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "y")), "once y");
  EXPECT_EQ(seen.size(), 1U);
}

TEST_F(RpcClientTest, the_connection_to_a_server_we_have_left_is_closed_when_its_last_call_is_answered) {
  int closes = 0;
  net::Signal moved(loop_.executor());
  const auto standby = server([&](Socket& socket, int) -> awaitable<void> {
    RpcPeer peer(socket);
    const auto slow = co_await peer.next_call();
    const auto quick = co_await peer.next_call();
    co_await test::write(socket, test::error_reply(quick->id, "org.apache.hadoop.ipc.StandbyException", "no"));
    co_await moved.wait(test::kPatience);
    co_await test::write(socket, test::reply(slow->id, "slow"));
    co_await test::listen_until_closed(socket);
    ++closes;
  });
  const auto active = server([&](Socket& socket, int) {
    moved.notify();
    return answer_all(socket, 0);
  });
  auto calling = client({standby->port(), active->port()});
  int done = 0;
  loop_.spawn(expect_echo(calling, "slow", done));
  loop_.settle();
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "x")), "once x");
  EXPECT_TRUE(loop_.until([&] { return done == 1 && closes == 1; }));
}

TEST_F(RpcClientTest, a_dead_server_of_a_pair_sends_us_to_the_other) {
  const auto gone = server(nullptr)->port();
  const auto active = echo();
  auto calling = client({gone, active->port()});
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "x")), "once x");
}

TEST_F(RpcClientTest, two_standbys_are_given_up_after_the_allowed_changes) {
  std::vector<ClientFrame> seen;
  const auto treatment = [&](Socket& socket, int) {
    return refuse_all(socket, "org.apache.hadoop.ipc.StandbyException", seen);
  };
  const auto one = server(treatment);
  const auto two = server(treatment);
  auto calling = client({one->port(), two->port()});
  const auto error = error_of(calling);
  EXPECT_EQ(error.code, Errc::standby);
  EXPECT_THAT(error.message, HasSubstr("after 4 attempts: no server of the group could handle the call"));
  EXPECT_EQ(seen.size(), 4U);
}

awaitable<void> retriable_then_done(Socket& socket) {
  RpcPeer peer(socket);
  for (int i = 0;; ++i) {
    const auto call = co_await peer.next_call();
    if (!call) co_return;
    co_await test::write(socket, i < 2 ? test::error_reply(call->id, "org.apache.hadoop.ipc.RetriableException", "soon")
                                       : test::reply(call->id, "done"));
  }
}

TEST_F(RpcClientTest, a_server_that_asks_for_patience_gets_it) {
  const auto starting = server([](Socket& socket, int) { return retriable_then_done(socket); });
  auto calling = client({starting->port()});
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "x")), "done");
  EXPECT_EQ(starting->connections(), 1);
}

awaitable<void> answer_after_pings(Socket& socket, int& pings) {
  RpcPeer peer(socket);
  const auto call = co_await peer.next_call();
  while (pings < 2) {
    const auto frame = co_await peer.next();
    if (!frame) co_return;
    if (frame->id == kPingCall) ++pings;
  }
  co_await test::write(socket, test::reply(call->id, "after two pings"));
  co_await test::listen_until_closed(socket);
}

TEST_F(RpcClientTest, a_silent_server_is_pinged_while_calls_wait) {
  int pings = 0;
  const auto slow = server([&](Socket& socket, int) { return answer_after_pings(socket, pings); });
  auto opts = options({slow->port()});
  opts.ping_interval = core::Millis(5);
  Client calling(loop_.executor(), opts);
  EXPECT_EQ(loop_.run(calling.call_bytes(kRead, "x")), "after two pings");
}

awaitable<void> answer_and_count_closes(Socket& socket, int& closes) {
  RpcPeer peer(socket);
  while (const auto call = co_await peer.next_call()) co_await test::write(socket, test::reply(call->id, "done"));
  ++closes;
}

TEST_F(RpcClientTest, an_idle_connection_is_closed_and_opened_again_when_needed) {
  int closes = 0;
  const auto running = server([&](Socket& socket, int) { return answer_and_count_closes(socket, closes); });
  auto opts = options({running->port()});
  opts.idle_close = core::Millis(5);
  Client calling(loop_.executor(), opts);
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "x")), "done");
  EXPECT_TRUE(loop_.until([&] { return closes == 1; }));
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "x")), "done");
  EXPECT_EQ(running->connections(), 2);
}

awaitable<void> first_call_last(Socket& socket) {
  RpcPeer peer(socket);
  const auto slow = co_await peer.next_call();
  while (const auto call = co_await peer.next_call()) {
    co_await test::write(socket, test::reply(call->id, "quick"));
    if (call->request == "end") co_await test::write(socket, test::reply(slow->id, "late"));
  }
}

TEST_F(RpcClientTest, a_call_that_gave_up_does_not_disturb_the_others) {
  const auto running = server([](Socket& socket, int) { return first_call_last(socket); });
  auto calling = client({running->port()});
  bool gave_up = false;
  const auto give_up = [](Client& caller, bool& done) -> awaitable<void> {
    const auto answer = co_await caller.call_bytes(kOnce, "slow", kShort);
    EXPECT_FALSE(answer);
    if (!answer) EXPECT_EQ(answer.error().code, Errc::timed_out);
    done = true;
  };
  loop_.spawn(give_up(calling, gave_up));
  loop_.settle();
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "x")), "quick");
  EXPECT_TRUE(loop_.until([&] { return gave_up; }));
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "end")), "quick");
  EXPECT_EQ(loop_.run(calling.call_bytes(kOnce, "x")), "quick");
  EXPECT_EQ(running->connections(), 1);
}

TEST_F(RpcClientTest, silence_to_one_call_is_silence_to_all) {
  const auto silent = server([](Socket& socket, int) { return test::listen_until_closed(socket); });
  auto calling = client({silent->port()});
  bool is_lost = false;
  const auto wait_long = [](Client& caller, bool& done) -> awaitable<void> {
    const auto answer = co_await caller.call_bytes(kOnce, "patient");
    EXPECT_FALSE(answer);
    if (!answer) EXPECT_EQ(answer.error().code, Errc::connection_lost);
    done = true;
  };
  loop_.spawn(wait_long(calling, is_lost));
  loop_.settle();
  EXPECT_EQ(error_of(calling, kOnce, kShort).code, Errc::timed_out);
  EXPECT_TRUE(loop_.until([&] { return is_lost; }));
}

awaitable<void> expect_cancelled(Client& client, int& done) {
  const auto answer = co_await client.call_bytes(kRead, "x");
  EXPECT_FALSE(answer);
  if (!answer) EXPECT_EQ(answer.error().code, core::Errc::cancelled);
  ++done;
}

TEST_F(RpcClientTest, close_ends_calls_that_wait_for_an_answer) {
  bool has_call = false;
  const auto silent = server([&](Socket& socket, int) -> awaitable<void> {
    RpcPeer peer(socket);
    has_call = (co_await peer.next_call()).has_value();
    co_await test::listen_until_closed(socket);
  });
  auto calling = client({silent->port()});
  int done = 0;
  loop_.spawn(expect_cancelled(calling, done));
  EXPECT_TRUE(loop_.until([&] { return has_call; }));
  calling.close();
  EXPECT_TRUE(loop_.until([&] { return done == 1; }));
  loop_.spawn(expect_cancelled(calling, done));
  EXPECT_TRUE(loop_.until([&] { return done == 2; }));
}

TEST_F(RpcClientTest, close_ends_calls_that_wait_for_the_handshake_or_for_a_retry) {
  const auto silent = server([](Socket& socket, int) { return test::listen_until_closed(socket); });
  auto opts = options({silent->port()});
  opts.identity.token = Token{"id", "password", "kind", "service"};
  Client shaking(loop_.executor(), opts);
  auto patient_options = options({server(nullptr)->port()});
  patient_options.retry.same_server_pause = test::kPatience;
  Client patient(loop_.executor(), patient_options);
  int done = 0;
  loop_.spawn(expect_cancelled(shaking, done));
  loop_.spawn(expect_cancelled(patient, done));
  EXPECT_TRUE(loop_.until([&] { return silent->connections() == 1; }));
  loop_.settle();
  shaking.close();
  patient.close();
  EXPECT_TRUE(loop_.until([&] { return done == 2; }));
}

TEST_F(RpcClientTest, a_client_may_go_while_calls_are_in_flight) {
  const auto silent = server([](Socket& socket, int) { return test::listen_until_closed(socket); });
  int done = 0;
  {
    auto calling = client({silent->port()});
    const auto call = [](net::Async<std::string> pending, int& count) -> awaitable<void> {
      const auto answer = co_await std::move(pending);
      EXPECT_FALSE(answer);
      ++count;
    };
    loop_.spawn(call(calling.call_bytes(kRead, "x"), done));
    EXPECT_TRUE(loop_.until([&] { return silent->connections() == 1; }));
  }
  EXPECT_TRUE(loop_.until([&] { return done == 1; }));
}

}  // namespace
}  // namespace ydl::hrpc
