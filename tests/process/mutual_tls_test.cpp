// A server that lets in only those who show the certificate of the ResourceManager's proxy.
#include "core/files.hpp"
#include "http/server.hpp"
#include "master/job_page.hpp"
#include "net/listener.hpp"
#include "net/openssl_pointers.hpp"
#include "net/stream.hpp"
#include "support/imposter.hpp"
#include "support/loop.hpp"
#include "yarn/jks.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

namespace ydl::http {
namespace {

using net::openssl::Certificate;
using net::openssl::Key;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ClientContext = std::unique_ptr<SSL_CTX, net::openssl::FreeWith<::SSL_CTX_free>>;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\nCookie: proxy-user=bob\r\n\r\n";

yarn::KeyStore store(const std::string& name, std::string_view password) {
  const auto bytes = core::read_file(std::string(YDL_WIRE_DIR) + "/yarn/key_stores/" + name);
  return yarn::decode_jks(bytes.value(), password).value();
}
net::MutualIdentity of_the_master() {
  const auto own = store("keystore.jks", "keypass7");
  return {own.keys[0].key, own.keys[0].chain, {store("truststore.jks", "trustpass7").certificates[0].certificate}};
}

Certificate certificate_of(const std::string& der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  return Certificate(::d2i_X509(nullptr, &at, static_cast<long>(der.size())));
}

// What a caller shows.
struct Shown {
  Key key = nullptr;
  Certificate certificate = nullptr;
};
Shown shown(const std::string& name, std::string_view password) {
  const auto entry = store(name, password).keys[0];
  const auto* at = reinterpret_cast<const unsigned char*>(entry.key.data());
  return {Key(::d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(entry.key.size()))), certificate_of(entry.chain[0])};
}
Shown of_the_proxy() {
  return shown("proxy.jks", "proxypass7");
}
// The names of the ResourceManager's CA, signed by a key of the caller's own.
Shown self_made() {
  Shown made{Key(::EVP_EC_gen("P-256")), of_the_proxy().certificate};
  ::X509_set_pubkey(made.certificate.get(), made.key.get());
  ::X509_sign(made.certificate.get(), made.key.get(), ::EVP_sha256());
  return made;
}

struct Outcome {
  std::string answer = {};
  int chain = 0;  // how many certificates the server sent
};

net::awaitable<Outcome> ask(std::uint16_t port, std::shared_ptr<SSL_CTX> context) {
  const auto executor = co_await net::asio::this_coro::executor;
  const net::asio::ip::tcp::endpoint to(net::asio::ip::address_v4::loopback(), port);
  auto [error, socket] = co_await net::connect_to_port(executor, to, test::kPatience);
  if (error) co_return Outcome{"not connected: " + error.message()};
  net::Stream stream(std::move(socket));
  stream.expires_after(test::kPatience);
  auto* session = ::SSL_new(context.get());
  ::SSL_set_connect_state(session);
  Outcome outcome;
  if (const auto failed = co_await stream.handshake(std::make_unique<net::TlsSession>(session))) co_return outcome;
  outcome.chain = sk_X509_num(::SSL_get_peer_cert_chain(session));
  (void)co_await net::asio::async_write(stream, net::asio::buffer(kGet), net::tuple);
  for (;;) {
    std::string piece(4096, '\0');
    const auto [ended, n] = co_await stream.async_read_some(net::asio::buffer(piece), net::tuple);
    outcome.answer.append(piece, 0, n);
    if (ended) co_return outcome;
  }
}

class MutualTlsTest : public testing::TestWithParam<int> {
 protected:
  MutualTlsTest() { ::signal(SIGPIPE, SIG_IGN); }

  std::unique_ptr<Server> serve(Limits limits = {}) {
    ServerOptions options;
    options.certified = {of_the_master(), [this](const KeylessCall& call) {
                           ++calls_;
                           return Response{200, fmt::format("the page for {}", call.cookie), "text/plain"};
                         }};
    options.limits = limits;
    auto server = std::make_unique<Server>(loop_.executor(), options);
    server->on_refusals([this](std::string line) { told_.push_back(std::move(line)); });
    const auto listening = server->listen();
    if (!listening) ADD_FAILURE() << listening.error().message;
    return server;
  }
  Outcome ask_as(std::uint16_t port, const Shown& who) {
    const std::shared_ptr<SSL_CTX> context(::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free);
    ::SSL_CTX_set_min_proto_version(context.get(), GetParam());
    ::SSL_CTX_set_max_proto_version(context.get(), GetParam());
    if (who.certificate) {
      EXPECT_EQ(::SSL_CTX_use_certificate(context.get(), who.certificate.get()), 1);
      EXPECT_EQ(::SSL_CTX_use_PrivateKey(context.get(), who.key.get()), 1);
    }
    return loop_.run(ask(port, context));
  }

  test::Loop loop_;
  int calls_ = 0;
  std::vector<std::string> told_;
};
INSTANTIATE_TEST_SUITE_P(Tls, MutualTlsTest, testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& tested) { return tested.param == TLS1_2_VERSION ? "v12" : "v13"; });

TEST_P(MutualTlsTest, the_proxy_is_answered_and_sees_both_certificates_of_the_chain) {
  const auto server = serve();
  for (int i = 0; i < 2; ++i) {  // one call for each connection
    const auto outcome = ask_as(server->port(), of_the_proxy());
    EXPECT_THAT(outcome.answer,
                AllOf(HasSubstr("200 OK"), HasSubstr("the page for proxy-user=bob"), HasSubstr("Connection: close")));
    EXPECT_EQ(outcome.chain, 2);
  }
  EXPECT_TRUE(told_.empty());
}

TEST_P(MutualTlsTest, no_other_caller_gets_through_the_handshake) {
  const auto server = serve();
  for (const auto& who : {Shown{}, self_made(), shown("keytool.jks", "changeit"),
                          // Another application's master: the ResourceManager's CA has signed this one too.
                          shown("other_application.jks", "otherpass8"),
                          // The job's own certificate.
                          shown("keystore.jks", "keypass7")}) {
    EXPECT_EQ(ask_as(server->port(), who).answer, "");
  }
  EXPECT_EQ(calls_, 0);
  ASSERT_TRUE(loop_.until([&] { return !told_.empty(); }));
  EXPECT_THAT(told_.front(), HasSubstr("from 127.0.0.1 (without the certificate of the ResourceManager's proxy)"));
  EXPECT_THAT(ask_as(server->port(), of_the_proxy()).answer, HasSubstr("the page"));
}

TEST_P(MutualTlsTest, without_tls_nothing_is_answered) {
  const auto server = serve();
  EXPECT_EQ(loop_.run(test::exchange(server->port(), std::string(kGet))).find("page"), std::string::npos);
  EXPECT_EQ(calls_, 0);
  ASSERT_TRUE(loop_.until([&] { return !told_.empty(); }));
}

TEST_P(MutualTlsTest, connections_are_accepted_one_after_the_other_with_a_pause) {
  const auto server = serve({.accept_pause = core::Seconds(3600)});
  EXPECT_THAT(ask_as(server->port(), of_the_proxy()).answer, HasSubstr("the page"));
  loop_.spawn(
      [](std::uint16_t port) -> net::awaitable<void> { (void)co_await test::exchange(port, "x"); }(server->port()));
  loop_.settle();
  loop_.settle();
  EXPECT_EQ(server->connections(), 0U);
}

TEST(MutualTls, what_cannot_be_used_is_refused_with_openssls_reason) {
  const auto good = of_the_master();
  ASSERT_TRUE(net::TlsContext::mutual_server(good));
  const auto problem = [](const net::MutualIdentity& identity) {
    const auto context = net::TlsContext::mutual_server(identity);
    return context ? std::string() : context.error().message;
  };
  EXPECT_THAT(problem({"not a key", good.chain, good.callers}), HasSubstr("the private key cannot be used for TLS: "));
  EXPECT_THAT(problem({good.key + "x", good.chain, good.callers}), HasSubstr("the private key cannot be used"));
  EXPECT_EQ(problem({good.key, {}, good.callers}), "the private key has no certificate");
  EXPECT_THAT(problem({good.key, {good.chain[1]}, good.callers}), HasSubstr("key values mismatch"));
  EXPECT_THAT(problem({good.key, {good.chain[0], "x"}, good.callers}), HasSubstr("certificate 2 of the chain"));
  EXPECT_EQ(problem({good.key, good.chain, {}}), "the list of callers' certificates is empty");
  EXPECT_THAT(problem({good.key, good.chain, {"x"}}), HasSubstr("a caller's certificate cannot be used"));
  const auto dsa = store("dsa.jks", "changeit").keys[0];
  EXPECT_THAT(problem({dsa.key, dsa.chain, good.callers}), HasSubstr("cannot be used for TLS: "));
}

}  // namespace
}  // namespace ydl::http

namespace ydl::master {
namespace {

const yarn::ApplicationId kApplication{1'700'000'000'000, 7};
const net::Endpoint kApi{"127.0.0.1", 4711, "secret", "fingerprint"};

JobPage page(test::Loop& loop, net::MutualIdentity identity) {
  auto access = std::make_shared<JobAccess>(
      JobAccess::Facts{.application = kApplication, .owner = "olga", .acls_enforced = false, .realm = ""});
  return {loop.executor(), kApplication, ProxyPage::choose(hconf::Config(), kApplication, std::move(identity)),
          std::move(access)};
}

TEST(JobPage, with_a_key_it_is_https_on_a_port_of_its_own_and_never_in_clear) {
  test::Loop loop;
  auto made = page(loop, http::of_the_master());
  made.listen({"127.0.0.1"});
  EXPECT_THAT(made.tracking_url(kApi), ::testing::MatchesRegex("https://127.0.0.1:[0-9]+/"));
  EXPECT_NE(made.tracking_url(kApi), "https://127.0.0.1:4711/");
  EXPECT_FALSE(made.in_clear());
}

TEST(JobPage, a_key_that_tls_cannot_use_or_a_port_that_is_taken_leaves_the_job_without_a_page) {
  test::Loop loop;
  auto identity = http::of_the_master();
  auto taken = net::Listener::on_port(loop.executor(), {});
  ASSERT_TRUE(taken);
  auto on_taken_port = page(loop, identity);
  on_taken_port.listen({"127.0.0.1", taken->port(), taken->port()});
  EXPECT_EQ(on_taken_port.tracking_url(kApi), "");
  identity.key = "not a key";
  auto without_key = page(loop, identity);
  without_key.listen({"127.0.0.1"});
  EXPECT_EQ(without_key.tracking_url(kApi), "");
  EXPECT_FALSE(without_key.in_clear());
}

}  // namespace
}  // namespace ydl::master
