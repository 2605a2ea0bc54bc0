// Attacks on the master's server, each named by what the attacker tries. No attacker has the key unless the test's name
// mentions it.
#include "http/server.hpp"
#include "net/http_client.hpp"
#include "support/imposter.hpp"
#include "support/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include <boost/asio/read.hpp>
#include <fmt/format.h>

namespace ydl::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace asio = net::asio;

constexpr core::Millis kLong = test::kPatience;
constexpr const char* kSecret = "0123456789abcdef";

net::awaitable<Response> length(Request request) {
  co_return Response::json(fmt::format("length {}", request.body.size()));
}

class AttackTest : public testing::Test {
 protected:
  void start(Limits limits = {}) {
    ServerOptions options;
    options.secret = kSecret;
    options.limits = limits;
    Router router;
    router.add("GET", "/job", length);
    router.add("POST", "/stop", length);
    router.add("POST", "/reports", [this](Request r) { return reports(std::move(r)); }, {1000, ""});
    server_ = std::make_unique<Server>(loop_.executor(), options, std::move(router));
    server_->on_refusals([this](std::string line) { told_.push_back(std::move(line)); });
    const auto listening = server_->listen();
    ASSERT_TRUE(listening) << listening.error().message;
  }
  void TearDown() override {
    strangers_.clear();
    server_.reset();
    go_.notify();
    loop_.settle();
  }
  net::awaitable<Response> reports(Request request) {
    ++waiting_;
    co_await go_.wait(kLong);
    co_return Response::json(fmt::format("length {}", request.body.size()));
  }

  std::string raw(std::string bytes) { return loop_.run(test::exchange(server_->port(), std::move(bytes))); }
  static std::string head(std::string_view line, std::string_view headers = "", std::string_view key = kSecret) {
    return fmt::format("{} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n{}\r\n", line, key, headers);
  }
  net::HttpClient owner() { return {loop_.executor(), {"127.0.0.1", server_->port(), kSecret}}; }
  void expect_owner_is_served() {
    auto asking = owner();
    const auto answer = loop_.run(asking.post("/stop", "{}", kLong));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "length 2");
  }
  // A connection that stays open, and what came back on it until it was closed.
  struct Stranger {
    explicit Stranger(const asio::any_io_executor& executor) : socket(executor) {}
    test::Socket socket;
    std::string heard;
    bool closed = false;
  };
  Stranger& connect(std::string bytes) {
    auto& stranger = *strangers_.emplace_back(std::make_shared<Stranger>(loop_.executor()));
    loop_.run(open(stranger, server_->port(), std::move(bytes)));
    loop_.spawn(listen(strangers_.back()));
    return stranger;
  }
  static net::awaitable<void> open(Stranger& stranger, std::uint16_t port, std::string bytes) {
    (void)co_await stranger.socket.async_connect({asio::ip::address_v4::loopback(), port}, net::tuple);
    co_await test::write(stranger.socket, std::move(bytes));
  }
  static net::awaitable<void> listen(std::shared_ptr<Stranger> stranger) {
    (void)co_await asio::async_read(stranger->socket, asio::dynamic_buffer(stranger->heard), net::tuple);
    stranger->closed = true;
  }

  test::Loop loop_;
  net::Signal go_{loop_.executor()};
  int waiting_ = 0;
  std::unique_ptr<Server> server_;
  std::vector<std::shared_ptr<Stranger>> strangers_;
  std::vector<std::string> told_;
};

TEST_F(AttackTest, memory_by_bodies_of_any_length) {
  start();
  for (const auto* body : {"Content-Length: 1099511627776\r\n", "Transfer-Encoding: chunked\r\n"}) {
    for (int i = 0; i < 50; ++i) {
      auto& stranger = connect(head("POST /reports", body, "wrong"));
      ASSERT_TRUE(loop_.until([&] { return stranger.heard.find("\r\n\r\n") != std::string::npos; }))
          << "no answer before the body";
      EXPECT_THAT(stranger.heard, StartsWith("HTTP/1.1 401"));
    }
  }
  EXPECT_EQ(waiting_, 0);
  expect_owner_is_served();
}

TEST_F(AttackTest, memory_by_bodies_that_go_on_after_the_refusal) {
  start();
  auto& stranger = connect(head("POST /reports", "Content-Length: 1099511627776\r\n", "wrong"));
  const auto piece = std::make_shared<std::string>(std::size_t{256} << 10U, 'x');
  loop_.spawn([](std::shared_ptr<Stranger> who, std::shared_ptr<std::string> what) -> net::awaitable<void> {
    for (;;) {
      const auto [error, n] = co_await asio::async_write(who->socket, asio::buffer(*what), net::tuple);
      if (error) co_return;
    }
  }(strangers_.back(), piece));
  EXPECT_TRUE(loop_.until([&] { return stranger.closed; })) << "the server reads for ever";
  EXPECT_TRUE(loop_.until([&] { return server_->connections() == 0; }));
}

TEST_F(AttackTest, memory_by_large_bodies_at_the_same_time_with_a_key) {
  start({.bodies = 1500});
  auto first = owner();
  auto second = owner();
  ASSERT_TRUE(loop_.run(first.send("/reports", std::string(1000, 'x'), kLong)));
  ASSERT_TRUE(loop_.until([&] { return waiting_ == 1; }));
  ASSERT_TRUE(loop_.run(second.send("/reports", std::string(1000, 'x'), kLong)));
  expect_owner_is_served();
  EXPECT_EQ(waiting_, 1) << "more was read than all bodies may have";
  go_.notify();
  EXPECT_EQ(loop_.run(first.receive(kLong)).value().body, "length 1000");
  ASSERT_TRUE(loop_.until([&] { return waiting_ == 2; })) << "memory was not given back";
  go_.notify();
  EXPECT_EQ(loop_.run(second.receive(kLong)).value().body, "length 1000");
}

TEST_F(AttackTest, memory_by_long_headers) {
  start();
  for (int i = 0; i < 20; ++i) {
    auto& stranger = connect("GET /job HTTP/1.1\r\nX: " + std::string(20 << 10U, 'x'));
    EXPECT_TRUE(loop_.until([&] { return stranger.closed; }));
  }
  expect_owner_is_served();
}

TEST_F(AttackTest, all_connections) {
  start({.unauthenticated = 8});
  auto before = owner();
  ASSERT_TRUE(loop_.run(before.get("/job", kLong)));
  for (int i = 0; i < 200; ++i) connect(i % 2 == 0 ? "" : "GET /job HTTP/1.1\r\n");
  expect_owner_is_served();
  EXPECT_LE(server_->connections(), 10U);
  EXPECT_TRUE(loop_.until([&] { return strangers_.front()->closed; })) << "the oldest is still there";
  EXPECT_FALSE(strangers_.back()->closed) << "a newer one was dropped before older ones";
  EXPECT_TRUE(loop_.run(before.get("/job", kLong))) << "a connection with a key was dropped";
  ASSERT_TRUE(loop_.until([&] { return !told_.empty(); }));
  EXPECT_THAT(told_.front(), HasSubstr("from 127.0.0.1 (connected without sending a key"));
}

TEST_F(AttackTest, callers_with_a_key_that_come_all_at_once_are_all_served) {
  start({.unauthenticated = 4});
  std::vector<net::HttpClient> callers;
  for (int i = 0; i < 100; ++i) callers.push_back(owner());
  std::size_t served = 0;
  for (auto& caller : callers) {
    loop_.spawn([](net::HttpClient& client, std::size_t& count) -> net::awaitable<void> {
      if (const auto answer = co_await client.get("/job", kLong)) ++count;
    }(caller, served));
  }
  EXPECT_TRUE(loop_.until([&] { return served == callers.size(); })) << served;
  EXPECT_TRUE(told_.empty()) << told_.front();
}

TEST_F(AttackTest, time_by_slow_headers) {
  start({.header_time = core::Millis(50)});
  auto& silent = connect("");
  auto& slow = connect("GET /job HTTP/1.1\r\n");
  loop_.spawn([](std::shared_ptr<Stranger> who) -> net::awaitable<void> {
    while (!who->closed) {
      co_await test::write(who->socket, "X: y\r\n");
      co_await net::pause(core::Millis(5));
    }
  }(strangers_.back()));
  EXPECT_TRUE(loop_.until([&] { return silent.closed && slow.closed; }));
  EXPECT_EQ(slow.heard.find("200 OK"), std::string::npos);
  ASSERT_TRUE(loop_.until([&] { return !told_.empty(); }));
  EXPECT_THAT(told_.front(), HasSubstr("no complete header in time"));
}

TEST_F(AttackTest, time_by_a_slow_second_header_with_a_key) {
  start({.header_time = core::Millis(50)});
  auto& stranger = connect(head("GET /job") + "GET /job HTTP/1.1\r\n");
  EXPECT_TRUE(loop_.until([&] { return stranger.closed; }));
}

TEST_F(AttackTest, time_by_half_bodies_with_a_key) {
  start({.body_time = core::Millis(50)});
  auto& stranger = connect(head("POST /stop", "Content-Length: 100\r\n") + "half");
  EXPECT_TRUE(loop_.until([&] { return stranger.closed; }));
  ASSERT_TRUE(loop_.until([&] { return !told_.empty(); }));
  EXPECT_THAT(told_.front(), HasSubstr("no complete body in time"));
  expect_owner_is_served();
}

TEST_F(AttackTest, memory_by_endless_chunks_with_a_key) {
  start();
  std::string chunks;
  for (int i = 0; i < 100; ++i) chunks += "64\r\n" + std::string(100, 'x') + "\r\n";
  EXPECT_THAT(raw(head("POST /stop", "Transfer-Encoding: chunked\r\n") + chunks), StartsWith("HTTP/1.1 413"));
  const auto extension = head("POST /stop", "Transfer-Encoding: chunked\r\n") + "1;" + std::string(256 << 10U, 'x');
  EXPECT_THAT(raw(extension), Not(HasSubstr("200 OK")));
  const auto trailer = head("POST /stop", "Transfer-Encoding: chunked\r\n") + "0\r\nX: " + std::string(256 << 10U, 'x');
  EXPECT_THAT(raw(trailer), Not(HasSubstr("200 OK")));
  expect_owner_is_served();
}

TEST_F(AttackTest, a_request_smuggled_into_the_body_of_another) {
  start();
  const auto inner = head("GET /job");
  for (const auto& headers :
       {fmt::format("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", inner.size()),
        fmt::format("Transfer-Encoding: chunked\r\nContent-Length: {}\r\n", inner.size()),
        fmt::format("Content-Length: 0\r\nContent-Length: {}\r\n", inner.size()),
        fmt::format("Content-Length: 0, {}\r\n", inner.size()), fmt::format("Content-Length: +{}\r\n", inner.size()),
        fmt::format("Content-Length : {}\r\n", inner.size())}) {
    EXPECT_THAT(raw(head("POST /stop", headers) + inner), Not(HasSubstr("200 OK"))) << headers;
  }
  expect_owner_is_served();
}

TEST_F(AttackTest, a_call_without_a_key_behind_one_with_it) {
  start();
  const auto answers = raw(head("GET /job") + head("POST /stop", "", "wrong") + head("GET /job"));
  EXPECT_THAT(answers, AllOf(HasSubstr("200 OK"), HasSubstr("401 Unauthorized")));
  EXPECT_EQ(answers.find("200 OK", answers.find("401")), std::string::npos) << "it goes on after a refusal";
}

TEST_F(AttackTest, the_secret_by_trying_thousands) {
  start();
  auto before = owner();
  ASSERT_TRUE(loop_.run(before.get("/job", kLong)));
  for (int i = 0; i < 2'000; ++i) {
    const auto answer = raw(head("GET /job", "", fmt::format("{:016x}", i)));
    ASSERT_THAT(answer, StartsWith("HTTP/1.1 401"));
    ASSERT_THAT(answer, HasSubstr("Connection: close"));
  }
  EXPECT_TRUE(loop_.run(before.get("/job", kLong)));
  ASSERT_EQ(told_.size(), 1U) << "more than one line a minute";
  EXPECT_THAT(told_.front(), HasSubstr("from 127.0.0.1 (with a wrong key)"));
}

}  // namespace
}  // namespace ydl::http
