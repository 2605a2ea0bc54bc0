// The HTTP client against servers that behave badly.
#include "net/http_client.hpp"

#include "support/imposter.hpp"
#include "support/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace ydl::net {
namespace {

using test::Imposter;
using test::Socket;
using ::testing::HasSubstr;

constexpr core::Millis kLong = test::kPatience;
constexpr core::Millis kShort{50};
constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

class HttpClientTest : public testing::Test {
 protected:
  HttpClient client(std::uint16_t port) { return {loop_.executor(), {"127.0.0.1", port, "s3cret"}}; }

  // A server that sends these bytes to every caller, and closes.
  std::unique_ptr<Imposter> who_says(std::string bytes) {
    return std::make_unique<Imposter>(
        loop_.executor(), [bytes = std::move(bytes)](Socket& socket, int) { return answer_once(socket, bytes); });
  }
  static awaitable<void> answer_once(Socket& socket, std::string bytes) {
    if (co_await test::read_request(socket)) co_await test::write(socket, std::move(bytes));
  }

  static awaitable<void> hear_and_wait(Socket& socket, bool& heard) {
    heard = co_await test::read_request(socket);
    (void)co_await test::read_request(socket);
  }
  static awaitable<void> until(const bool& condition) {
    while (!condition) co_await pause(core::Millis(1));
  }

  core::Error error_of(HttpClient& client, core::Millis timeout = kLong) {
    auto response = loop_.run(client.get("/v1/job", timeout));
    if (response) ADD_FAILURE() << "answered " << response->status << ": " << response->body;
    return response ? core::Error{} : response.error();
  }

  test::Loop loop_;
};

TEST_F(HttpClientTest, an_answer_has_status_and_body) {
  const auto server = who_says("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone");
  auto asking = client(server->port());
  const auto response = loop_.run(asking.get("/x", kLong));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 404U);
  EXPECT_EQ(response->body, "none");
}

TEST_F(HttpClientTest, a_call_that_waits_ends_when_another_part_of_its_group_is_done) {
  bool heard = false;
  const auto silent = std::make_unique<Imposter>(
      loop_.executor(), [&heard](Socket& socket, int) { return hear_and_wait(socket, heard); });
  auto asking = client(silent->port());
  loop_.run([](HttpClient& client, const bool& asked) -> awaitable<void> {
    using namespace asio::experimental::awaitable_operators;  // NOLINT(google-build-using-namespace)
    (void)co_await (client.get("/x", 2 * kLong) || until(asked));
  }(asking, heard));
}

TEST_F(HttpClientTest, a_port_without_a_listener_is_unavailable_and_named) {
  const auto gone = std::make_unique<Imposter>(loop_.executor(), nullptr)->port();
  auto asking = client(gone);
  const auto error = error_of(asking);
  EXPECT_EQ(error.code, core::Errc::unavailable);
  EXPECT_EQ(error.message, "connecting to 127.0.0.1:" + std::to_string(gone) + ": Connection refused");
}

TEST_F(HttpClientTest, a_silent_server_times_out) {
  Imposter silent(loop_.executor(), [](Socket& socket, int) { return test::wait_until_closed(socket); });
  auto asking = client(silent.port());
  const auto error = error_of(asking, kShort);
  EXPECT_EQ(error.code, core::Errc::timeout);
  EXPECT_THAT(error.message, HasSubstr("no answer in time"));
}

TEST_F(HttpClientTest, a_server_that_stops_in_the_middle_times_out) {
  Imposter slow(loop_.executor(), [](Socket& socket, int) -> awaitable<void> {
    co_await test::write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\npart");
    co_await test::wait_until_closed(socket);
  });
  auto asking = client(slow.port());
  EXPECT_EQ(error_of(asking, kShort).code, core::Errc::timeout);
}

TEST_F(HttpClientTest, what_does_not_speak_http_is_corrupt) {
  for (const auto* bytes :
       {"SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x01\x01\x02\x02\x28 not a line\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"}) {
    const auto server = who_says(bytes);
    auto asking = client(server->port());
    const auto error = error_of(asking);
    EXPECT_EQ(error.code, core::Errc::corrupt) << bytes << ": " << error.message;
    EXPECT_THAT(error.message, HasSubstr("does not speak HTTP")) << bytes;
  }
}

TEST_F(HttpClientTest, a_server_that_dies_before_or_within_its_answer_is_unavailable) {
  for (const auto* bytes : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\npart"}) {
    const auto server = who_says(bytes);
    auto asking = client(server->port());
    const auto error = error_of(asking);
    EXPECT_EQ(error.code, core::Errc::unavailable) << bytes << ": " << error.message;
    EXPECT_THAT(error.message, HasSubstr("closed before the answer was complete"));
  }
}

TEST_F(HttpClientTest, calls_share_a_connection) {
  Imposter server(loop_.executor(), [](Socket& socket, int) -> awaitable<void> {
    while (co_await test::read_request(socket)) co_await test::write(socket, kOk);
  });
  auto asking = client(server.port());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(loop_.run(asking.get("/x", kLong))->body, "hi");
  EXPECT_EQ(server.connections(), 1);
  asking.close();
  EXPECT_EQ(loop_.run(asking.get("/x", kLong))->body, "hi");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpClientTest, a_connection_closed_between_calls_is_opened_again_silently) {
  const auto server = who_says(kOk);
  auto asking = client(server->port());
  for (int i = 0; i < 5; ++i) {
    const auto response = i % 2 == 0 ? loop_.run(asking.get("/x", kLong)) : loop_.run(asking.post("/x", "{}", kLong));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "hi");
  }
  EXPECT_EQ(server->connections(), 5);
}

TEST_F(HttpClientTest, an_announced_close_is_respected) {
  const auto server = who_says("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi");
  auto asking = client(server->port());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(loop_.run(asking.get("/x", kLong)));
  EXPECT_EQ(server->connections(), 3);
}

TEST_F(HttpClientTest, a_stale_connection_is_tried_again_once_and_not_for_ever) {
  Imposter server(loop_.executor(), [](Socket& socket, int connection) -> awaitable<void> {
    if (connection == 1) co_await answer_once(socket, kOk);
  });
  auto asking = client(server.port());
  ASSERT_TRUE(loop_.run(asking.get("/x", kLong)));
  EXPECT_EQ(error_of(asking).code, core::Errc::unavailable);
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpClientTest, after_a_failure_the_next_call_starts_afresh) {
  Imposter server(loop_.executor(), [](Socket& socket, int connection) -> awaitable<void> {
    return answer_once(socket, connection == 1 ? "garbage\r\n\r\n" : kOk);
  });
  auto asking = client(server.port());
  EXPECT_EQ(error_of(asking).code, core::Errc::corrupt);
  EXPECT_TRUE(loop_.run(asking.get("/x", kLong)));
}

TEST_F(HttpClientTest, a_name_is_not_an_address) {
  HttpClient asking(loop_.executor(), {"localhost", 80, ""});
  const auto response = loop_.run(asking.get("/x", kLong));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "'localhost' is not an address");
}

// Reads two whole requests before it answers either.
awaitable<void> answer_two_at_a_time(Socket& socket) {
  std::string seen;
  while (seen.find("first") == std::string::npos || seen.find("second") == std::string::npos) {
    std::string piece(4096, '\0');
    const auto [error, n] = co_await socket.async_read_some(asio::buffer(piece), tuple);
    if (error) co_return;
    seen.append(piece, 0, n);
  }
  co_await test::write(
      socket, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\noneHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo");
}

TEST_F(HttpClientTest, calls_may_be_sent_before_the_last_is_answered) {
  const auto server =
      std::make_unique<Imposter>(loop_.executor(), [](Socket& socket, int) { return answer_two_at_a_time(socket); });
  auto asking = client(server->port());
  ASSERT_TRUE(loop_.run(asking.send("/x", "first", kLong)));
  ASSERT_TRUE(loop_.run(asking.send("/x", "second", kLong)));
  EXPECT_EQ(loop_.run(asking.receive(kLong)).value().body, "one");
  EXPECT_EQ(loop_.run(asking.receive(kLong)).value().body, "two");
  EXPECT_EQ(server->connections(), 1);
}

TEST_F(HttpClientTest, what_waits_for_an_answer_fails_with_its_connection_and_the_next_call_has_a_new_one) {
  const auto server = std::make_unique<Imposter>(loop_.executor(), [](Socket& socket, int connection) {
    return connection == 1 ? test::write(socket, "") : answer_once(socket, kOk);
  });
  auto asking = client(server->port());
  (void)loop_.run(asking.send("/x", "", kLong));  // may fail or not: the server closes at once
  EXPECT_FALSE(loop_.run(asking.receive(kLong)));
  ASSERT_TRUE(loop_.run(asking.send("/x", "", kLong)));
  EXPECT_EQ(loop_.run(asking.receive(kLong)).value().body, "hi");
}

}  // namespace
}  // namespace ydl::net
