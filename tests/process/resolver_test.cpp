// Looking up names with a name server of the test's own, over real sockets on loopback.
#include "net/resolver.hpp"

#include "support/loop.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include <boost/asio/detached.hpp>
#include <boost/asio/ip/udp.hpp>
#include <fmt/format.h>

namespace ydl::net {
namespace {

using asio::ip::make_address;
using asio::ip::udp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Answers every question for an IPv4 address, or for the name of one, in the way it is told to, and says that there is
// no IPv6 address.
class NameServer {
 public:
  enum class Manner { knows, knows_nothing, is_silent, babbles, fails, forgets_the_first };

  NameServer(const asio::any_io_executor& executor, Manner manner)
      : state_(
            std::make_shared<State>(State{udp::socket(executor, {asio::ip::address_v4::loopback(), 0}), manner, 0})) {
    asio::co_spawn(executor, serve(state_), asio::detached);
  }
  ~NameServer() { state_->socket.close(); }
  NameServer(const NameServer&) = delete;
  NameServer& operator=(const NameServer&) = delete;

  [[nodiscard]] ResolverOptions options() const {
    return {fmt::format("127.0.0.1:{}", state_->socket.local_endpoint().port()), core::Millis(20)};
  }
  [[nodiscard]] int questions() const { return state_->questions; }

 private:
  struct State {
    udp::socket socket;
    Manner manner;
    int questions;
  };

  static std::string reply_to(std::string question, Manner manner) {
    if (manner == Manner::babbles) return "what?";
    question[2] = '\x81';  // an answer, recursion desired
    question[3] = '\x80';  // recursion available, no error
    const auto type = question.at(question.find('\0', 12) + 2);
    question.resize(question.find('\0', 12) + 5);  // without what follows the question
    question.replace(8, 4, 4, '\0');
    if (manner == Manner::knows_nothing) question[3] = '\x83';
    if (manner == Manner::fails) question[3] = '\x82';
    if (question[3] == '\x80' && type == 12) {  // PTR
      question[7] = 1;
      return question + std::string("\xc0\x0c\0\x0c\0\1\0\0\0\x3c\0\x11\2nn\7cluster\4test\0", 29);
    }
    if (question[3] != '\x80' || type != 1) return question;
    question[7] = 1;  // one answer: the name at offset 12, A, IN, 60 s, 4 bytes
    return question + std::string("\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x0a\1\2\3", 16);
  }

  static awaitable<void> serve(std::shared_ptr<State> state) {
    for (;;) {
      std::array<char, 512> buffer{};
      udp::endpoint peer;
      auto [error, size] = co_await state->socket.async_receive_from(asio::buffer(buffer), peer, tuple);
      if (error) co_return;
      ++state->questions;
      if (state->manner == Manner::is_silent) continue;
      if (state->manner == Manner::forgets_the_first && state->questions <= 2) continue;  // A and AAAA
      const auto reply = reply_to(std::string(buffer.data(), size), state->manner);
      co_await state->socket.async_send_to(asio::buffer(reply), peer, tuple);
    }
  }

  std::shared_ptr<State> state_;
};

class ResolverTest : public testing::Test {
 protected:
  using Manner = NameServer::Manner;

  core::Result<std::vector<asio::ip::address>> look_up(std::string host, const NameServer& server,
                                                       core::Millis at_most = core::Millis(30'000)) {
    return loop_.run(resolve(std::move(host), at_most, server.options()));
  }

  test::Loop loop_;
};

TEST_F(ResolverTest, a_numeric_address_is_its_own_answer) {
  const NameServer server(loop_.executor(), Manner::fails);
  EXPECT_THAT(look_up("10.0.0.7", server).value(), ElementsAre(make_address("10.0.0.7")));
  EXPECT_THAT(look_up("::1", server).value(), ElementsAre(make_address("::1")));
  EXPECT_EQ(server.questions(), 0);
}

TEST_F(ResolverTest, the_hosts_file_comes_first) {
  const NameServer server(loop_.executor(), Manner::fails);
  const auto found = look_up("localhost", server);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, testing::Contains(testing::Property(&asio::ip::address::is_loopback, true)));
  EXPECT_EQ(server.questions(), 0);
}

TEST_F(ResolverTest, the_name_server_is_asked) {
  const NameServer server(loop_.executor(), Manner::knows);
  const auto found = look_up("rm.cluster.test", server);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(make_address("10.1.2.3")));
}

TEST_F(ResolverTest, the_name_of_an_address_is_asked_of_the_name_server) {
  const NameServer server(loop_.executor(), Manner::knows);
  const auto name = loop_.run(reverse_name(make_address("10.1.2.3"), core::Millis(30'000), server.options()));
  ASSERT_TRUE(name) << name.error().message;
  EXPECT_EQ(*name, "nn.cluster.test");
}

TEST_F(ResolverTest, the_name_of_an_address_may_be_in_the_hosts_file) {
  const NameServer server(loop_.executor(), Manner::fails);
  const auto name = loop_.run(reverse_name(make_address("127.0.0.1"), core::Millis(30'000), server.options()));
  ASSERT_TRUE(name) << name.error().message;
  EXPECT_EQ(*name, "localhost");
}

TEST_F(ResolverTest, an_address_without_a_name_has_none) {
  const NameServer server(loop_.executor(), Manner::knows_nothing);
  const auto name = loop_.run(reverse_name(make_address("10.1.2.3"), core::Millis(30'000), server.options()));
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code, core::Errc::not_found);
}

TEST_F(ResolverTest, a_lost_question_is_asked_again) {
  const NameServer server(loop_.executor(), Manner::forgets_the_first);
  const auto found = look_up("rm.cluster.test", server);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(make_address("10.1.2.3")));
  EXPECT_GT(server.questions(), 2);
}

TEST_F(ResolverTest, an_unknown_name_is_reported) {
  const NameServer server(loop_.executor(), Manner::knows_nothing);
  const auto found = look_up("rm.cluster.test", server);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, core::Errc::not_found);
  EXPECT_THAT(found.error().message, HasSubstr("the host 'rm.cluster.test' is unknown"));
  EXPECT_THAT(found.error().message, HasSubstr("127.0.0.1"));
}

TEST_F(ResolverTest, a_name_server_that_fails_is_named) {
  const NameServer server(loop_.executor(), Manner::fails);
  const auto found = look_up("rm.cluster.test", server);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, core::Errc::unavailable);
  EXPECT_THAT(found.error().message, HasSubstr("the name server 127.0.0.1"));
}

TEST_F(ResolverTest, silence_and_nonsense_end_at_the_deadline) {
  for (const auto manner : {Manner::is_silent, Manner::babbles}) {
    const NameServer server(loop_.executor(), manner);
    const auto found = look_up("rm.cluster.test", server, core::Millis(15));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, core::Errc::timeout) << found.error().message;
  }
}

TEST_F(ResolverTest, what_cannot_be_a_name_is_refused) {
  const NameServer server(loop_.executor(), Manner::knows_nothing);
  for (const auto& host : {std::string(300, 'a'), std::string("a..b"), std::string("")}) {
    const auto found = look_up(host, server);
    ASSERT_FALSE(found) << host;
    EXPECT_EQ(found.error().code, core::Errc::not_found) << found.error().message;
  }
}

}  // namespace
}  // namespace ydl::net
