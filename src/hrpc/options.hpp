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

// What SASL does to the bytes after authentication, weakest first (hadoop.rpc.protection).
enum class Protection { authentication, integrity, privacy };

// hadoop.security.authentication.
enum class Security { simple, kerberos };

// Where our Kerberos credentials come from.
struct KerberosSource {
  std::filesystem::path keytab = {};  // empty: the ticket cache
  std::string principal = {};         // whose key in the keytab; with a cache, whose ticket (empty: its default)
  std::string cache = {};             // "FILE:/tmp/krb5cc_1000"; empty: KRB5CCNAME or the library's default
};

// Who calls and what proves it. A token is preferred to Kerberos, Kerberos to nothing, as in Java.
struct Identity {
  std::string user = {};                      // whom we are or act for; with a token the token says
  std::string real_user = {};                 // who we really are when `user` is somebody else (proxy user); else empty
  std::optional<Token> token = std::nullopt;  // the token of this very service; select_token() finds it
  Security security = Security::simple;
  std::string server_principal = {};   // what the server must be: "nn/_HOST@EXAMPLE.ORG"
  std::string principal_pattern = {};  // instead, with * and ?: what it may be; with neither no server is accepted
  std::string principal_key = {};      // the key of the configuration that says it, for errors
  KerberosSource kerberos = {};
  bool fallback_to_simple = false;                                     // ipc.client.fallback-to-simple-auth-allowed
  std::vector<Protection> protections = {Protection::authentication};  // allowed, in order of preference
};

// When and how often a call is sent again; see retry_policy.hpp.
struct RetryOptions {
  int max_failovers = 15;                 // dfs.client.failover.max.attempts; servers beyond the first try
  int max_retries = 10;                   // on the same server, for RetriableException and (one server) connecting
  core::Millis backoff_base{500};         // dfs.client.failover.sleep.base.millis
  core::Millis backoff_max{15'000};       // dfs.client.failover.sleep.max.millis
  core::Millis same_server_pause{1'000};  // ipc.client.connect.retry.interval
  core::Millis patience = core::Millis::max();  // no retry on the same server begins later after the first attempt
};

// One logical service: one server, or the members of an HA group in the order in which they are tried.
struct ClientOptions {
  std::vector<hconf::HostPort> servers = {};
  bool random_first = false;  // begin with a random one of them (dfs.client.failover.random.order)
  Identity identity = {};
  RetryOptions retry = {};
  core::Millis connect_timeout{20'000};      // ipc.client.connect.timeout; name, TCP and handshake together
  core::Millis call_timeout{120'000};        // ipc.client.rpc-timeout.ms; one attempt, from sending to answer
  core::Millis ping_interval{60'000};        // ipc.ping.interval
  core::Millis idle_close{10'000};           // ipc.client.connection.maxidletime
  std::uint32_t max_response = 128U << 20U;  // ipc.maximum.response.length
};

}  // namespace ydl::hrpc
