// Requests the status of a path from the configured NameNode, with hrpc only and hand-written messages. For tests with
// a real NameNode.
//
//   rpc_call_tool [--calls N] [--token] [--keytab FILE --principal NAME] [--user NAME] PATH
//
// Prints "found" or "not there" once per call, or the error. --token first gets a delegation token and then uses it
// instead of a ticket.
#include "core/user.hpp"
#include "hconf/load.hpp"
#include "hrpc/client.hpp"
#include "hrpc/configured.hpp"
#include "hrpc/frame_codec.hpp"
#include "hrpc/proto/security.pb.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/asio/detached.hpp>
#include <fmt/format.h>

namespace {

using namespace ydl;

constexpr std::string_view kProtocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";
constexpr hrpc::Method kGetFileInfo{kProtocol, "getFileInfo", hrpc::Repeat::idempotent};
constexpr hrpc::Method kGetToken{kProtocol, "getDelegationToken", hrpc::Repeat::idempotent};
constexpr char kFieldOne = 0x0a;  // number 1, with a length

struct Arguments {
  int calls = 1;
  bool with_token = false;
  std::string keytab;
  std::string principal;
  std::string user;
  std::string path;
};

std::string field_one(std::string_view text) {
  std::string message(1, kFieldOne);
  hrpc::append_delimited(message, text);
  return message;
}

struct Tally {
  int answers = 0;
  int failures = 0;
};

net::awaitable<void> ask(hrpc::Client& client, std::string path, Tally& tally) {
  const auto answer = co_await client.call_bytes(kGetFileInfo, field_one(path));
  ++tally.answers;
  if (!answer) ++tally.failures;
  const std::string line = !answer ? answer.error().message : answer->empty() ? "not there" : "found";
  fmt::print("{}\n", line);
}

net::Async<hrpc::Token> get_token(hrpc::Client& client) {
  const auto answer = co_await client.call_bytes(kGetToken, field_one("yarn"));
  if (!answer) co_return core::fail(answer.error());
  std::string_view rest = *answer;
  hadoop::common::TokenProto token;
  if (!rest.starts_with(kFieldOne)) co_return core::fail(core::Errc::corrupt, "no token came");
  rest.remove_prefix(1);
  const auto bytes = hrpc::take_delimited(rest);
  if (!bytes || !token.ParseFromString(std::string(*bytes))) co_return core::fail(core::Errc::corrupt, "not a token");
  co_return hrpc::from_proto(token);
}

net::awaitable<void> run(net::asio::any_io_executor executor, hrpc::ClientOptions options, Arguments arguments,
                         Tally& tally) {
  if (arguments.with_token) {
    hrpc::Client asking(executor, options);
    auto token = co_await get_token(asking);
    if (!token) {
      fmt::print("{}\n", token.error().message);
      ++tally.failures;
      co_return;
    }
    options.identity.token = *std::move(token);
    options.identity.kerberos.cache = "FILE:/nonexistent";
  }
  hrpc::Client client(executor, options);
  for (int i = 1; i < arguments.calls; ++i) {
    net::asio::co_spawn(executor, ask(client, arguments.path, tally), net::asio::detached);
  }
  co_await ask(client, arguments.path, tally);
  while (tally.answers < arguments.calls) co_await net::pause(core::Millis(1));
}

core::Result<hrpc::ClientOptions> configured(const Arguments& arguments) {
  const auto search = hconf::find_configuration();
  if (!search.found) return core::fail(core::Errc::not_found, "no configuration");
  const auto config = hconf::load(*search.found);
  if (!config) return core::fail(config.error());
  const auto service = hconf::default_name_service(*config);
  if (!service) return core::fail(service.error());
  return hrpc::name_node_options(*config, *service,
                                 {.user = arguments.user.empty() ? core::user_name() : arguments.user,
                                  .kerberos = {.keytab = arguments.keytab, .principal = arguments.principal}});
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app;
  app.add_option("--calls", arguments.calls);
  app.add_flag("--token", arguments.with_token);
  app.add_option("--keytab", arguments.keytab);
  app.add_option("--principal", arguments.principal);
  app.add_option("--user", arguments.user);
  app.add_option("PATH", arguments.path)->required();
  CLI11_PARSE(app, argc, argv);
  const auto options = configured(arguments);
  if (!options) {
    fmt::print("{}\n", options.error().message);
    return 1;
  }
  net::asio::io_context context(1);
  Tally tally;
  net::asio::co_spawn(context, run(context.get_executor(), *options, arguments, tally), net::asio::detached);
  context.run();
  return tally.failures == 0 ? 0 : 1;
}
