#pragma once

#include "core/clock.hpp"
#include "hconf/host_port.hpp"
#include "hrpc/token.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ydl::hrpc {

// How SASL protects the bytes after authentication (hadoop.rpc.protection), weakest first.
enum class Protection { authentication, integrity, privacy };

// hadoop.security.authentication.
enum class Security { simple, kerberos };

// The source of our Kerberos credentials.
struct KerberosSource {
  std::filesystem::path keytab = {};  // empty: use the ticket cache
  std::string principal = {};         // owner of the key or ticket to use; empty, only with a cache: the default one
  std::string cache = {};             // "FILE:/tmp/krb5cc_1000"; empty: KRB5CCNAME or the library's default
};

// The caller and its credentials. As in Java, a token has priority over Kerberos, and Kerberos over no authentication.
struct Identity {
  std::string user = {};  // the user to act as; ignored with a token, which contains its user
  // the authenticated user, if it acts as another `user` (proxy user); else empty
  std::string real_user = {};
  std::optional<Token> token = std::nullopt;  // the token for this service; found with select_token()
  Security security = Security::simple;
  std::string server_principal = {};   // the required principal of the server: "nn/_HOST@EXAMPLE.ORG"
  std::string principal_pattern = {};  // used instead if set, with * and ?; if both are empty, no server is accepted
  std::string principal_key = {};      // the configuration key of the principal, for error messages
  KerberosSource kerberos = {};
  bool fallback_to_simple = false;                                     // ipc.client.fallback-to-simple-auth-allowed
  std::vector<Protection> protections = {Protection::authentication};  // allowed, in order of preference
};

// When and how often a call is repeated; see retry_policy.hpp.
struct RetryOptions {
  int max_failovers = 15;  // dfs.client.failover.max.attempts; switches to another server
  // on the same server: after RetriableException and, with a single server, failed connections
  int max_retries = 10;
  core::Millis backoff_base{500};         // dfs.client.failover.sleep.base.millis
  core::Millis backoff_max{15'000};       // dfs.client.failover.sleep.max.millis
  core::Millis same_server_pause{1'000};  // ipc.client.connect.retry.interval
  // after this time since the first attempt, no retry on the same server starts
  core::Millis patience = core::Millis::max();
};

// A logical service: one server, or the members of an HA group in the order in which to try them.
struct ClientOptions {
  std::vector<hconf::HostPort> servers = {};
  bool random_first = false;  // start with a random server (dfs.client.failover.random.order)
  Identity identity = {};
  RetryOptions retry = {};
  // ipc.client.connect.timeout; for name resolution, TCP and handshake together
  core::Millis connect_timeout{20'000};
  core::Millis call_timeout{120'000};        // ipc.client.rpc-timeout.ms; for one attempt, from sending to the answer
  core::Millis ping_interval{60'000};        // ipc.ping.interval
  core::Millis idle_close{10'000};           // ipc.client.connection.maxidletime
  std::uint32_t max_response = 128U << 20U;  // ipc.maximum.response.length
};

}  // namespace ydl::hrpc
