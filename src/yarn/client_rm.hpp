#pragma once

#include "hrpc/client.hpp"
#include "net/asio.hpp"
#include "yarn/records.hpp"
#include "yarn/submission.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ydl::yarn {

// What a client asks the ResourceManager, method by method: ApplicationClientProtocol. Retries and failover are the RPC
// client's; beside each method in client_rm*.cpp stands whether it may be sent again.
// Errors: those of hrpc/errors.hpp, as sentences that say what was being done.
class ClientRm {
 public:
  ClientRm(net::asio::any_io_executor executor, hrpc::ClientOptions options)
      : rpc_(std::move(executor), std::move(options)) {}

  // Applications.
  struct NewApplication {
    ApplicationId id;
    Resource maximum;  // of one container
  };
  [[nodiscard]] net::Async<NewApplication> new_application();
  // Returns when the ResourceManager has stored it, with its first report; a ResourceManager that fails over before
  // that is told again. Refused applications are reports too: state failed, with diagnostics. After an error of which
  // may_be_submitted() is true the ResourceManager may have the application.
  [[nodiscard]] net::Async<AppReport> submit(Submission submission, core::Millis at_most = kSubmitPatience);
  [[nodiscard]] net::Async<AppReport> report(ApplicationId id);
  // The token of an application we are the master of ourselves (Submission::unmanaged); it is there from the moment the
  // ResourceManager waits for us until we have registered. Errors: refused when the application has ended.
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
  // Returns when it is dead; one that has ended already is no error.
  [[nodiscard]] net::Async<> kill(ApplicationId id, std::string diagnostics, core::Millis at_most = kKillPatience);
  // What it has now: the cluster may allow less than was asked.
  [[nodiscard]] net::Async<std::int32_t> set_priority(ApplicationId id, std::int32_t priority);

  // The cluster.
  [[nodiscard]] net::Async<std::vector<NodeReport>> nodes(std::vector<NodeState> states);  // none: all
  [[nodiscard]] net::Async<std::vector<NodeLabel>> node_labels();
  [[nodiscard]] net::Async<std::vector<ResourceType>> resource_types();
  // With all below it. "root" is the whole tree. Errors: not_found.
  [[nodiscard]] net::Async<QueueInfo> queue(std::string name);
  [[nodiscard]] net::Async<ClusterMetrics> metrics();

  // Delegation tokens: on secure clusters, over Kerberos only. The service's name is the caller's to set.
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

// Whether an error of ClientRm::submit leaves open that the application runs: the request was sent, and no answer says
// that it was refused.
[[nodiscard]] bool may_be_submitted(const core::Error& error);

}  // namespace ydl::yarn
