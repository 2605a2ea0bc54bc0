// The connection to a master whose certificate is known, and to another server that may answer at its address.
#include "agent/master_calls.hpp"
#include "http/server.hpp"
#include "master/api.hpp"
#include "net/errors.hpp"
#include "net/http_client.hpp"
#include "protocol/hub.hpp"
#include "protocol/job_keys.hpp"
#include "support/imposter.hpp"
#include "support/loop.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <fmt/format.h>

namespace ydl::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr core::Millis kLong = test::kPatience;
constexpr const char* kSecret = "the-owners-key";

net::awaitable<Response> length(Request request) {
  co_return Response::json(fmt::format("length {}", request.body.size()));
}

class TlsTest : public testing::Test {
 protected:
  TlsTest() { ::signal(SIGPIPE, SIG_IGN); }

  std::unique_ptr<Server> serve(const net::Identity& identity, std::uint16_t port = 0) {
    ServerOptions options;
    options.secret = kSecret;
    options.identity = identity;
    options.port = port;
    Router router;
    router.add("GET", "/job", [this](Request r) {
      ++calls_;
      return length(std::move(r));
    });
    router.add("POST", "/length", length, {std::size_t{4} << 20U, ""});
    auto server = std::make_unique<Server>(loop_.executor(), options, std::move(router));
    server->on_refusals([this](std::string line) { told_.push_back(std::move(line)); });
    const auto listening = server->listen();
    if (!listening) ADD_FAILURE() << listening.error().message;
    return server;
  }
  net::Endpoint endpoint(std::uint16_t port) {
    return {"127.0.0.1", port, kSecret, net::fingerprint_of(identity_).value()};
  }
  core::Result<net::HttpResponse> get(const net::Endpoint& to, core::Millis time = kLong) {
    net::HttpClient client(loop_.executor(), to);
    return loop_.run(client.get("/job", time));
  }

  test::Loop loop_;
  const net::Identity identity_ = net::make_identity();
  int calls_ = 0;
  std::vector<std::string> told_;
};

TEST_F(TlsTest, calls_of_any_size_are_answered_on_one_connection) {
  const auto server = serve(identity_);
  net::HttpClient client(loop_.executor(), endpoint(server->port()));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16'384}, std::size_t{4} << 20U}) {
    const auto answer = loop_.run(client.post("/length", std::string(size, 'x'), kLong));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, fmt::format("length {}", size));
  }
  EXPECT_EQ(server->connections(), 1U);
}

TEST_F(TlsTest, calls_may_be_sent_before_the_last_is_answered) {
  const auto server = serve(identity_);
  net::HttpClient client(loop_.executor(), endpoint(server->port()));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(loop_.run(client.send("/length", std::string(100'000, 'x'), kLong)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(loop_.run(client.receive(kLong)).value().body, "length 100000");
}

TEST_F(TlsTest, every_master_has_a_certificate_of_its_own) {
  EXPECT_NE(net::fingerprint_of(identity_).value(), net::fingerprint_of(net::make_identity()).value());
  EXPECT_EQ(net::fingerprint_of(identity_)->size(), 64U);
  EXPECT_FALSE(net::fingerprint_of({"not a certificate", "not a key"}));
  EXPECT_FALSE(net::TlsContext::server({identity_.certificate, net::make_identity().key}));
}

TEST_F(TlsTest, a_server_with_another_certificate_is_sent_nothing) {
  const auto imposter = serve(net::make_identity());
  const auto answer = get(endpoint(imposter->port()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, net::Errc::untrusted);
  EXPECT_EQ(answer.error().message, fmt::format("connecting to 127.0.0.1:{}: the server at this address is not the "
                                                "job's master: it has a different certificate; nothing was sent to it",
                                                imposter->port()));
  EXPECT_EQ(calls_, 0);
  loop_.settle();
  EXPECT_TRUE(told_.empty()) << told_.front();
}

TEST_F(TlsTest, a_server_without_tls_never_sees_the_secret) {
  std::string heard;
  const test::Imposter imposter(loop_.executor(), [&heard](test::Socket& socket, int) -> net::awaitable<void> {
    std::string piece(4096, '\0');
    const auto [error, n] = co_await socket.async_read_some(net::asio::buffer(piece), net::tuple);
    heard.append(piece, 0, n);
    co_await test::write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    co_await test::wait_until_closed(socket);
  });
  const auto answer = get(endpoint(imposter.port()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, net::Errc::untrusted);
  EXPECT_THAT(answer.error().message, HasSubstr("is not the job's master"));
  EXPECT_THAT(heard, AllOf(Not(HasSubstr(kSecret)), Not(HasSubstr("HTTP")), Not(HasSubstr("/job"))));
  EXPECT_FALSE(heard.empty());
}

TEST_F(TlsTest, a_silent_server_is_given_up_in_time) {
  const test::Imposter imposter(loop_.executor(), [](test::Socket& socket, int) -> net::awaitable<void> {
    std::string heard;
    (void)co_await net::asio::async_read(socket, net::asio::dynamic_buffer(heard), net::tuple);
  });
  EXPECT_EQ(get(endpoint(imposter.port()), core::Millis(20)).error().code, core::Errc::timeout);
}

TEST_F(TlsTest, a_caller_without_tls_is_refused_and_told_of) {
  const auto server = serve(identity_);
  const auto answer = loop_.run(
      test::exchange(server->port(), fmt::format("GET /job HTTP/1.1\r\nAuthorization: Bearer {}\r\n\r\n", kSecret)));
  EXPECT_EQ(answer.find("200 OK"), std::string::npos);
  EXPECT_EQ(calls_, 0);
  ASSERT_TRUE(loop_.until([&] { return !told_.empty(); }));
  EXPECT_THAT(told_.front(), HasSubstr("from 127.0.0.1 (not TLS 1.3)"));
}

TEST_F(TlsTest, in_clear_no_key_counts_and_the_answer_goes_by_address_and_cookie) {
  ServerOptions options;
  options.identity = identity_;
  options.secret = kSecret;
  options.in_clear = [](const KeylessCall& call) {
    auto answer = call.target == "/" ? Response{302, fmt::format("{} with {}", call.address, call.cookie)}
                                     : Response::error(403, "over TLS 1.3 only");
    answer.location = "http://proxy/";
    return answer;
  };
  Router router;
  router.add("GET", "/job", length);
  Server server(loop_.executor(), options, std::move(router));
  ASSERT_TRUE(server.listen());
  const auto ask = [&](std::string_view target) {
    return loop_.run(test::exchange(
        server.port(),
        fmt::format("GET {} HTTP/1.1\r\nAuthorization: Bearer {}\r\nCookie: proxy-user=bob\r\n\r\n", target, kSecret)));
  };
  EXPECT_THAT(ask("/"), AllOf(HasSubstr("302 Found"), HasSubstr("Location: http://proxy/\r\n"),
                              HasSubstr("127.0.0.1 with proxy-user=bob"), HasSubstr("Connection: close")));
  EXPECT_THAT(ask("/job"), AllOf(HasSubstr("403 Forbidden"), HasSubstr("over TLS 1.3 only")));
}

TEST_F(TlsTest, a_connection_that_stops_in_the_handshake_is_closed) {
  ServerOptions options;
  options.identity = identity_;
  options.secret = kSecret;
  options.limits.header_time = core::Millis(30);
  Server server(loop_.executor(), options, Router());
  ASSERT_TRUE(server.listen());
  EXPECT_EQ(loop_.run(test::exchange(server.port(), std::string("\x16\x03\x01\x02\x00\x01", 6))), "");
}

// ---- an agent whose master is gone ------------------------------------------------------------------------------

class FreedPortTest : public TlsTest {
 protected:
  std::unique_ptr<Server> serve_agents(const net::Identity& identity, protocol::Hub& hub, const std::string& job_key,
                                       std::uint16_t port = 0) {
    const protocol::JobKeys keys(job_key);
    ServerOptions options;
    options.secret = keys.owner();
    options.key_of = [keys](std::string_view id) { return keys.agent(id); };
    options.identity = identity;
    options.port = port;
    Router router;
    master::add_agent_routes(router, hub);
    auto server = std::make_unique<Server>(loop_.executor(), options, std::move(router));
    const auto listening = server->listen();
    if (!listening) ADD_FAILURE() << listening.error().message;
    return server;
  }
  static net::awaitable<void> live(agent::MasterCalls& calls, bool& ended) {
    if (co_await calls.say_hello()) co_await calls.run();
    ended = true;
  }
};

TEST_F(FreedPortTest, run_code_by_answering_at_the_address_of_a_master_that_is_gone) {
  const core::AgentId id{"container_1"};
  protocol::Hub hub(loop_.executor());
  std::vector<protocol::Report> reports;
  hub.expect(id, {[](const protocol::Hello&) {}, [&](const protocol::Report& report) { reports.push_back(report); }});
  protocol::Prepare prepare;
  prepare.attempt = {{"worker", 0}, 1};
  hub.send(id, prepare);
  const auto job_key = protocol::JobKeys::make_job_key();
  auto master = serve_agents(identity_, hub, job_key);
  const auto port = master->port();
  net::Endpoint known{"127.0.0.1", port, protocol::JobKeys(job_key).agent(id.str()),
                      net::fingerprint_of(identity_).value()};
  int commands = 0;
  std::string lost;
  bool ended = false;
  const auto count = [&](const core::Result<protocol::Command>& command) {
    if (!std::holds_alternative<protocol::Prepare>(*command)) ++commands;
  };
  agent::MasterCalls calls(loop_.executor(),
                           {.master = known, .id = id, .outlives_master = kLong, .heartbeat = core::Millis(50)},
                           {count, [] {}, [&](std::string why) { lost = std::move(why); }});
  loop_.spawn(live(calls, ended));
  calls.tell(protocol::Note{{{"worker", 0}, 1}, "before"});
  ASSERT_TRUE(loop_.until([&] { return reports.size() == 1; }));

  master.reset();  // and at once another user of the host has its port, and even the job's key
  protocol::Hub hostile(loop_.executor(), protocol::Epoch{7});
  int greeted = 0;
  hostile.expect(id, {[&](const protocol::Hello&) { ++greeted; }, [&](const protocol::Report&) { ++greeted; }});
  hostile.send(id, protocol::Shutdown{});
  const auto imposter = serve_agents(net::make_identity(), hostile, job_key, port);
  calls.tell(protocol::Note{{{"worker", 0}, 1}, "after"});
  ASSERT_TRUE(loop_.until([&] { return ended; })) << "the agent tries for ever";
  EXPECT_EQ(commands, 0);
  EXPECT_EQ(greeted, 0);
  EXPECT_THAT(lost, HasSubstr("is not the job's master"));
}

TEST_F(FreedPortTest, an_agents_key_does_not_open_another_agents_calls) {
  protocol::Hub hub(loop_.executor());
  for (const auto* id : {"container_1", "container_2"})
    hub.expect({id}, {[](const protocol::Hello&) {}, [](const protocol::Report&) {}});
  const auto job_key = protocol::JobKeys::make_job_key();
  const auto master = serve_agents(identity_, hub, job_key);
  const auto key = protocol::JobKeys(job_key).agent("container_1");
  net::HttpClient one(loop_.executor(), {"127.0.0.1", master->port(), key, net::fingerprint_of(identity_).value()});
  const auto* none = R"({"epoch":1,"first":1,"reports":[]})";
  EXPECT_EQ(loop_.run(one.post("/v1/agents/container_1/exchange?after=0&wait=0", none, kLong))->status, 200U);
  EXPECT_EQ(loop_.run(one.post("/v1/agents/container_2/exchange?after=0&wait=0", none, kLong))->status, 401U);
  const auto other_job = protocol::JobKeys(protocol::JobKeys::make_job_key()).agent("container_1");
  net::HttpClient other(loop_.executor(),
                        {"127.0.0.1", master->port(), other_job, net::fingerprint_of(identity_).value()});
  EXPECT_EQ(loop_.run(other.post("/v1/agents/container_1/exchange?after=0&wait=0", none, kLong))->status, 401U);
}

}  // namespace
}  // namespace ydl::http
