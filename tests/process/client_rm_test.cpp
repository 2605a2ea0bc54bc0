// A submission with an unknown outcome.
#include "yarn/client_rm.hpp"

#include "hrpc/errors.hpp"
#include "support/loop.hpp"
#include "support/rpc_peer.hpp"
#include "yarn/proto/client_service.pb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ydl::yarn {
namespace {

using test::Imposter;
using test::RpcPeer;
using test::Socket;
using ::testing::HasSubstr;

class ClientRmTest : public testing::Test {
 protected:
  // Accepts every application, and answers reports with an exception.
  static net::awaitable<void> accept_and_forget(Socket& socket, std::string java_class) {
    RpcPeer peer(socket);
    while (const auto call = co_await peer.next_call()) {
      co_await test::write(socket, call->method == "submitApplication" ? test::reply(call->id, "")
                                                                       : test::error_reply(call->id, java_class, "no"));
    }
  }
  static net::awaitable<void> refuse(Socket& socket, std::string java_class) {
    RpcPeer peer(socket);
    while (const auto call = co_await peer.next_call())
      co_await test::write(socket, test::error_reply(call->id, java_class, "no"));
  }
  core::Error error_of_submission(Imposter::Treatment treatment) {
    Imposter server(loop_.executor(), std::move(treatment));
    hrpc::ClientOptions options;
    options.servers = {{"127.0.0.1", server.port()}};
    options.identity.user = "alice";
    options.retry = {.max_failovers = 0, .max_retries = 0};
    ClientRm rm(loop_.executor(), options);
    Submission submission;
    submission.id = ApplicationId::parse("application_1700000000000_0001").value();
    submission.queue = "default";
    auto report = loop_.run(rm.submit(std::move(submission)));
    rm.close();
    if (report) ADD_FAILURE() << "submitted";
    return report ? core::Error{} : report.error();
  }

  test::Loop loop_;
};

TEST_F(ClientRmTest, an_application_that_was_accepted_and_not_confirmed_may_run) {
  const auto error = error_of_submission([](Socket& socket, int) {
    return accept_and_forget(socket, "org.apache.hadoop.security.AccessControlException");
  });
  EXPECT_TRUE(may_be_submitted(error)) << error.message;
  EXPECT_THAT(error.message, HasSubstr("accepted it but did not confirm it"));
}

TEST_F(ClientRmTest, an_application_whose_submission_was_not_answered_may_run) {
  const auto error = error_of_submission([](Socket& socket, int) -> net::awaitable<void> {
    RpcPeer peer(socket);
    (void)co_await peer.next_call();
  });
  EXPECT_TRUE(may_be_submitted(error)) << error.message;
}

TEST_F(ClientRmTest, an_application_that_was_refused_does_not_run) {
  const auto error = error_of_submission(
      [](Socket& socket, int) { return refuse(socket, "org.apache.hadoop.security.AccessControlException"); });
  EXPECT_FALSE(may_be_submitted(error)) << error.message;
}

}  // namespace
}  // namespace ydl::yarn
