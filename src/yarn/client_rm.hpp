#pragma once

#include "hrpc/client.hpp"
#include "net/asio.hpp"
#include "yarn/records.hpp"
#include "yarn/submission.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ydl::yarn {

// The calls of a client to the ResourceManager (ApplicationClientProtocol). The RPC client does retries and failover;
// client_rm*.cpp defines for each method whether it may be repeated. Errors: those of hrpc/errors.hpp; the messages
// name the attempted operation.
class ClientRm {
 public:
  ClientRm(net::asio::any_io_executor executor, hrpc::ClientOptions options)
      : rpc_(std::move(executor), std::move(options)) {}

  // Applications.
  struct NewApplication {
    ApplicationId id;
    Resource maximum;  // the largest container
  };
  [[nodiscard]] net::Async<NewApplication> new_application();
  // Waits until the ResourceManager has stored the application, and returns its first report. After a failover in
  // between, it is submitted again. A refused application is not an error but a report with the state failed and
  // diagnostics. After an error for which may_be_submitted() is true, the ResourceManager may have the application.
  [[nodiscard]] net::Async<AppReport> submit(Submission submission, core::Millis at_most = kSubmitPatience);
  [[nodiscard]] net::Async<AppReport> report(ApplicationId id);
  // The AMRM token of an application with an unmanaged master (Submission::unmanaged). It is available from the moment
  // the ResourceManager waits for the master until the master has registered. Errors: refused, when the application has
  // ended.
  [[nodiscard]] net::Async<hrpc::Token> unmanaged_token(ApplicationId id, core::Millis at_most = kTokenPatience);
  struct Filter {
    std::vector<std::string> types = {};
    std::vector<std::string> users = {};
    std::vector<std::string> queues = {};
    std::vector<std::string> tags = {};  // lower case
    std::vector<AppState> states = {};
    std::optional<std::int64_t> limit = std::nullopt;
  };
  [[nodiscard]] net::Async<std::vector<AppReport>> applications(Filter filter);
  // Waits until the application is dead. An application that has already ended is not an error.
  [[nodiscard]] net::Async<> kill(ApplicationId id, std::string diagnostics, core::Millis at_most = kKillPatience);
  // Returns the new priority, which the cluster may have limited.
  [[nodiscard]] net::Async<std::int32_t> set_priority(ApplicationId id, std::int32_t priority);

  // The cluster.
  [[nodiscard]] net::Async<std::vector<NodeReport>> nodes(std::vector<NodeState> states);  // empty: all
  [[nodiscard]] net::Async<std::vector<NodeLabel>> node_labels();
  [[nodiscard]] net::Async<std::vector<ResourceType>> resource_types();
  // A queue with all queues below it; "root" is the whole tree. Errors: not_found.
  [[nodiscard]] net::Async<QueueInfo> queue(std::string name);
  [[nodiscard]] net::Async<ClusterMetrics> metrics();

  // Delegation tokens, only on secure clusters and with Kerberos. The caller must set the token's service.
  [[nodiscard]] net::Async<hrpc::Token> delegation_token(std::string renewer);
  [[nodiscard]] net::Async<core::WallTime> renew_token(hrpc::Token token);
  [[nodiscard]] net::Async<> cancel_token(hrpc::Token token);

  void close() { rpc_.close(); }

 private:
  static constexpr core::Millis kSubmitPatience{60'000};
  static constexpr core::Millis kTokenPatience{20'000};
  static constexpr core::Millis kKillPatience{30'000};

  hrpc::Client rpc_;
};

// Whether the application may run despite this error of ClientRm::submit(): the request was sent, and no answer refused
// it.
[[nodiscard]] bool may_be_submitted(const core::Error& error);

}  // namespace ydl::yarn
