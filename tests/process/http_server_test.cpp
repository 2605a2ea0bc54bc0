// The HTTP server on loopback, with a router of the test's own.
#include "http/server.hpp"
#include "net/http_client.hpp"
#include "support/imposter.hpp"
#include "support/loop.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

#include <fmt/format.h>

namespace ydl::http {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr core::Millis kLong = test::kPatience;
constexpr const char* kSecret = "0123456789abcdef";

net::awaitable<Response> echo(Request request) {
  co_return Response::json(request.body.empty() ? request.path : request.body);
}
net::awaitable<Response> length(Request request) {
  co_return Response::json(std::to_string(request.body.size()));
}
net::awaitable<Response> throws(Request) {
  throw std::runtime_error("a bug of ours");
  co_return Response{};
}
net::awaitable<void> three_events(EventStream& stream) {
  for (const auto* id : {"1", "2", "3"}) {
    if (!co_await stream.send(id, "{}") || !co_await stream.keep_alive()) co_return;
  }
}
net::awaitable<Response> events(Request) {
  Response response;
  response.stream = three_events;
  co_return response;
}

net::awaitable<Response> shared(Request) {
  static const auto end = std::make_shared<const std::string>("shared");
  auto response = Response::json("own, ");
  response.shared_end = end;
  co_return response;
}

net::awaitable<Response> guest(Request request) {
  co_return Response::json(request.guest);
}

class ServerTest : public testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.secret = kSecret;
    Router router;
    router.add("GET", "/echo/{x}", echo);
    router.add("POST", "/echo", echo);
    router.add("POST", "/length", length, {std::size_t{8} << 20U, ""});
    router.add("POST", "/small", length);
    router.add("GET", "/throws", throws);
    router.add("GET", "/events", events);
    router.add("GET", "/waits", [this](Request) { return wait_for_go(); });
    router.add("POST", "/waits_for_next", [this](Request r) { return wait_for_next(std::move(r)); });
    router.add("GET", "/shared", shared);
    router.add("GET", "/guest", guest, {.open_to = OpenTo::viewers});
    router.add("GET", "/guest_waits", [this](Request) { return wait_for_go(); }, {.open_to = OpenTo::viewers});
    server_ = std::make_unique<Server>(loop_.executor(), options, std::move(router));
    const auto listening = server_->listen();
    ASSERT_TRUE(listening) << listening.error().message;
  }
  void TearDown() override {
    server_.reset();
    EXPECT_TRUE(loop_.until([&] {
      go_.notify();
      return std::ranges::all_of(calls_, [](const auto& call) { return call->answer.has_value(); });
    })) << "a call is neither answered nor refused";
  }

  // A call that the test does not wait for.
  struct Call {
    net::HttpClient client;
    std::optional<core::Result<net::HttpResponse>> answer;
  };
  Call& ask(const std::string& target, std::string key = kSecret) {
    auto& call = *calls_.emplace_back(std::make_unique<Call>(Call{client(std::move(key)), std::nullopt}));
    net::asio::co_spawn(loop_.executor(), call.client.get(target, kLong),
                        [&call](const std::exception_ptr&, core::Result<net::HttpResponse> answer) {
                          call.answer = std::move(answer);
                        });
    return call;
  }

  net::awaitable<Response> wait_for_go() {
    ++waiting_;
    co_await go_.wait(kLong);
    co_return Response::json("gone");
  }

  net::awaitable<Response> wait_for_next(Request request) {
    bool interrupted = false;
    if (request.client->has_more([&] {
          interrupted = true;
          go_.notify();
        }))
      interrupted = true;
    ++waiting_;
    if (!interrupted) co_await go_.wait(kLong);
    co_return Response::json(interrupted ? "interrupted" : "gone");
  }

  net::HttpClient client(std::string secret = kSecret) {
    return {loop_.executor(), {"127.0.0.1", server_->port(), std::move(secret)}};
  }
  net::HttpResponse get(const std::string& target) {
    auto asking = client();
    auto response = loop_.run(asking.get(target, kLong));
    if (!response) ADD_FAILURE() << target << ": " << response.error().message;
    return response.value_or(net::HttpResponse{});
  }
  std::string raw(std::string bytes) { return loop_.run(test::exchange(server_->port(), std::move(bytes))); }
  static std::string request(std::string_view line, std::string_view headers = "") {
    return fmt::format("{} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n{}\r\n", line, kSecret, headers);
  }

  test::Loop loop_;
  net::Signal go_{loop_.executor()};
  int waiting_ = 0;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<Call>> calls_;
};

TEST_F(ServerTest, answers_and_keeps_the_connection) {
  start();
  auto asking = client();
  for (int i = 0; i < 3; ++i) {
    const auto response = loop_.run(asking.get("/echo/a%20b", kLong));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 200U);
    EXPECT_EQ(response->body, "/echo/a b");
  }
}

TEST_F(ServerTest, every_call_needs_the_secret) {
  start();
  for (const auto* secret : {"", "wrong", "0123456789abcde", "0123456789abcdeff", "0123456789ABCDEF"}) {
    auto asking = client(secret);
    const auto response = loop_.run(asking.get("/echo/x", kLong));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, 401U) << secret;
    EXPECT_THAT(response->body, HasSubstr("needs the job's secret"));
  }
  EXPECT_THAT(raw("GET /echo/x HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(raw(fmt::format("GET /echo/x HTTP/1.1\r\nAuthorization: Basic {}\r\nConnection: close\r\n\r\n", kSecret)),
              StartsWith("HTTP/1.1 401"));
}

TEST_F(ServerTest, a_browser_without_the_secret_is_greeted_and_no_more) {
  start({.greeting = "a job of ydl\n"});
  EXPECT_THAT(raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/plain"), EndsWith("a job of ydl\n")));
  EXPECT_THAT(raw("POST / HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(raw("GET /echo/x HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 401"));
}

TEST_F(ServerTest, a_guest_has_one_call_for_each_connection) {
  ServerOptions options;
  options.guest_of = [](std::string_view key) {
    return key == "of bob" ? std::optional(Guest{"bob", false}) : std::nullopt;
  };
  start(options);
  const std::string call = "GET /guest HTTP/1.1\r\nAuthorization: Bearer of bob\r\n\r\n";
  const auto answer = raw(call + call);
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Connection: close"), EndsWith("\r\n\r\nbob")));
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << "the second call on it was answered";
  auto asking = client("of bob");
  EXPECT_EQ(loop_.run(asking.get("/guest", kLong))->body, "bob");
  EXPECT_EQ(loop_.run(asking.get("/guest", kLong))->body, "bob") << "over a connection of its own";
  EXPECT_EQ(loop_.run(asking.get("/echo/x", kLong))->status, 403U);
}

TEST_F(ServerTest, guests_have_few_calls_at_a_time) {
  ServerOptions options;
  options.guest_of = [](std::string_view key) {
    return key == "of bob" ? std::optional(Guest{"bob", false}) : std::nullopt;
  };
  options.limits.guest_calls = 2;
  start(options);
  for (int i = 0; i < 2; ++i) ask("/guest_waits", "of bob");
  ASSERT_TRUE(loop_.until([&] { return waiting_ == 2; }));
  auto asking = client("of bob");
  EXPECT_EQ(loop_.run(asking.get("/guest", kLong))->status, 503U);
  EXPECT_EQ(get("/echo/x").status, 200U) << "the owner is not counted";
  go_.notify();
  EXPECT_TRUE(loop_.until([&] { return loop_.run(asking.get("/guest", kLong))->status == 200U; }));
}

TEST_F(ServerTest, a_caller_without_a_key_learns_no_paths) {
  start();
  auto asking = client("wrong");
  EXPECT_EQ(loop_.run(asking.get("/nothing/here", kLong))->status, 401U);
}

TEST_F(ServerTest, unknown_paths_methods_and_targets_are_told_apart) {
  start();
  EXPECT_EQ(get("/nothing").status, 404U);
  EXPECT_EQ(get("/length").status, 405U);
  EXPECT_EQ(get("/%zz").status, 400U);
}

TEST_F(ServerTest, a_large_body_within_the_limit_arrives_whole) {
  start();
  auto asking = client();
  EXPECT_EQ(loop_.run(asking.post("/length", std::string(8 << 20U, 'x'), kLong))->body, "8388608");
}

TEST_F(ServerTest, a_body_over_the_limit_of_its_call_is_answered_with_413) {
  start();
  for (const std::size_t size : {kSmallBody + 1, std::size_t{100'000}, std::size_t{8} << 20U}) {
    auto asking = client();
    const auto response = loop_.run(asking.post("/small", std::string(size, 'x'), kLong));
    ASSERT_TRUE(response) << size << ": " << response.error().message;
    EXPECT_EQ(response->status, 413U);
    EXPECT_THAT(response->body, HasSubstr("too large"));
  }
  EXPECT_EQ(get("/echo/still-here").status, 200U);
}

TEST_F(ServerTest, bytes_that_are_not_http_close_the_connection_and_nothing_else) {
  start();
  for (const std::string& bytes :
       {std::string("\r\n\r\n\r\n"), std::string("\x16\x03\x01\x02\x00\x01", 6), std::string(100, '\0'),
        std::string("GET /echo/x HTTP/7.0\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("POST /length HTTP/1.1\r\nContent-Length: -1\r\n\r\n")}) {
    EXPECT_EQ(raw(bytes).find("200 OK"), std::string::npos);
  }
  EXPECT_EQ(get("/echo/still-here").status, 200U);
}

TEST_F(ServerTest, a_header_without_end_is_cut_off) {
  start();
  EXPECT_EQ(raw("GET /echo/x HTTP/1.1\r\nX: " + std::string(64 << 10U, 'x')).find("200 OK"), std::string::npos);
  EXPECT_EQ(get("/echo/still-here").status, 200U);
}

TEST_F(ServerTest, a_caller_that_is_silent_between_its_calls_is_left_after_the_idle_time) {
  ServerOptions options;
  options.limits.idle_time = core::Millis(20);
  start(options);
  EXPECT_THAT(raw(request("GET /echo/x")), HasSubstr("200 OK"));
}

TEST_F(ServerTest, several_requests_sent_at_once_are_answered_in_order) {
  start();
  const auto answers =
      raw(request("GET /echo/a") + request("GET /echo/b") + request("GET /echo/c", "Connection: close\r\n"));
  const auto a = answers.find("/echo/a");
  const auto b = answers.find("/echo/b");
  const auto c = answers.find("/echo/c");
  ASSERT_NE(c, std::string::npos) << answers;
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
}

TEST_F(ServerTest, events_come_as_a_stream_that_ends) {
  start();
  const auto answer = raw(request("GET /events", "Accept: text/event-stream\r\n"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(answer, HasSubstr("text/event-stream"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nid: 1\ndata: {}\n\n:\n\nid: 2\ndata: {}\n\n:\n\nid: 3\ndata: {}\n\n:\n\n"));
}

TEST_F(ServerTest, a_handler_that_throws_is_500_and_the_server_goes_on) {
  start();
  EXPECT_EQ(get("/throws").status, 500U);
  EXPECT_EQ(get("/echo/still-here").status, 200U);
}

TEST_F(ServerTest, many_connections_at_once_are_all_served) {
  start();
  constexpr int kMany = 200;
  for (int i = 0; i < kMany; ++i) ask("/waits");
  ASSERT_TRUE(loop_.until([&] { return waiting_ == kMany; })) << waiting_;
  go_.notify();
  EXPECT_TRUE(
      loop_.until([&] { return std::ranges::all_of(calls_, [](const auto& c) { return c->answer && *c->answer; }); }));
  for (const auto& call : calls_) EXPECT_EQ((*call->answer)->body, "gone");
}

TEST_F(ServerTest, a_call_that_lets_its_client_wait_learns_of_the_next_one_on_the_connection) {
  start();
  auto asking = client();
  ASSERT_TRUE(loop_.run(asking.send("/waits_for_next", "", kLong)));
  ASSERT_TRUE(loop_.until([&] { return waiting_ == 1; }));
  ASSERT_TRUE(loop_.run(asking.send("/echo", "next", kLong)));
  EXPECT_EQ(loop_.run(asking.receive(kLong)).value().body, "interrupted");
  EXPECT_EQ(loop_.run(asking.receive(kLong)).value().body, "next");
}

TEST_F(ServerTest, a_call_whose_next_one_is_there_already_need_not_wait) {
  start();
  const auto calls =
      request("POST /waits_for_next", "Content-Length: 0\r\n") + request("GET /echo/next", "Connection: close\r\n");
  EXPECT_THAT(raw(calls), AllOf(HasSubstr("interrupted"), EndsWith("/echo/next")));
}

TEST_F(ServerTest, a_connection_goes_on_after_a_call_that_waited_for_nothing) {
  start();
  auto asking = client();
  for (int i = 0; i < 3; ++i) {
    const auto before = waiting_;
    ASSERT_TRUE(loop_.run(asking.send("/waits_for_next", "", kLong)));
    ASSERT_TRUE(loop_.until([&] { return waiting_ == before + 1; }));
    go_.notify();
    EXPECT_EQ(loop_.run(asking.receive(kLong)).value().body, "gone");
  }
}

TEST_F(ServerTest, an_answer_may_end_with_what_others_share) {
  start();
  EXPECT_EQ(get("/shared").body, "own, shared");
  EXPECT_EQ(get("/shared").body, "own, shared");
}

TEST_F(ServerTest, draining_waits_for_the_call_in_hand_and_takes_no_other) {
  start();
  const auto& call = ask("/waits");
  ASSERT_TRUE(loop_.until([&] { return waiting_ == 1; }));
  bool drained = false;
  net::asio::co_spawn(loop_.executor(), server_->drain(kLong), [&](const std::exception_ptr&) { drained = true; });
  const auto port = server_->port();
  loop_.settle();
  EXPECT_FALSE(drained);
  EXPECT_THAT(loop_.run(test::exchange(port, "x")), StartsWith("not connected"));
  go_.notify();
  EXPECT_TRUE(loop_.until([&] { return drained && call.answer; }));
  ASSERT_TRUE(*call.answer) << call.answer->error().message;
  EXPECT_EQ((*call.answer)->body, "gone");
}

TEST_F(ServerTest, draining_has_an_end) {
  start();
  ask("/waits");
  ASSERT_TRUE(loop_.until([&] { return waiting_ == 1; }));
  loop_.run(server_->drain(core::Millis(1)));
}

TEST_F(ServerTest, closing_lets_go_of_idle_connections) {
  start();
  auto asking = client();
  ASSERT_TRUE(loop_.run(asking.get("/echo/x", kLong)));
  server_->close();
  EXPECT_EQ(loop_.run(asking.get("/echo/x", kLong)).error().code, core::Errc::unavailable);
}

TEST_F(ServerTest, a_port_that_is_taken_is_said_with_address_and_port) {
  start();
  ServerOptions options;
  options.port = server_->port();
  Server other(loop_.executor(), options, Router());
  const auto listening = other.listen();
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error().message,
            fmt::format("cannot listen on 127.0.0.1:{}: Address already in use", options.port));
  options.address = "not-an-address";
  EXPECT_FALSE(Server(loop_.executor(), options, Router()).listen());
}

}  // namespace
}  // namespace ydl::http
