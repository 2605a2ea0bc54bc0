#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/fs/fs_session.hpp"
#include "core/strings.hpp"
#include "hconf/load.hpp"
#include "hconf/named_services.hpp"
#include "hdfs/configured.hpp"
#include "hrpc/login.hpp"
#include "net/spawn.hpp"
#include "yarn/configured.hpp"

#include <csignal>

#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr int kSignalExit = 128;  // plus the number of the signal, as in shells

core::Result<hconf::Config> configuration() {
  const auto search = hconf::find_configuration();
  if (!search.found) {
    return core::fail(
        core::Errc::usage,
        fmt::format("no Hadoop configuration was found in {}; set HADOOP_CONF_DIR to the folder with core-site.xml",
                    core::join(search.looked, ", ")));
  }
  return hconf::load(*search.found);
}

// The file system of the first path with a host or name service; otherwise the default one.
core::Result<hconf::NameService> service_of(const hconf::Config& config, const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (!path.starts_with("hdfs://") || hconf::authority_of(path).empty()) continue;
    return hconf::name_service(config, hconf::authority_of(path));
  }
  return hconf::default_name_service(config);
}

core::Result<hdfs::Options> options(const Fs& command) {
  const auto config = command.hadoop ? core::Result<hconf::Config>(*command.hadoop) : configuration();
  if (!config) return core::fail(config.error());
  const auto credentials = yarn::process_credentials();
  if (!credentials) return core::fail(credentials.error());
  const auto tokens = yarn::tokens_of(*credentials);
  const auto service = service_of(*config, command.paths);
  if (!service) return core::fail(service.error());
  return hdfs::configured(*config, *service, {.user = hrpc::login_name(*config), .tokens = tokens});
}

net::awaitable<void> dispatch(FsSession& session) {
  switch (session.command.verb) {
    case FsVerb::ls:
      return fs_ls(session);
    case FsVerb::cat:
      return fs_cat(session);
    case FsVerb::put:
      return fs_put(session);
    case FsVerb::get:
      return fs_get(session);
    case FsVerb::rm:
      return fs_rm(session);
    case FsVerb::mkdir:
      return fs_mkdir(session);
    case FsVerb::mv:
      return fs_mv(session);
    case FsVerb::du:
      return fs_du(session);
    case FsVerb::stat:
      return fs_stat(session);
    case FsVerb::tail:
      return fs_tail(session);
    case FsVerb::chmod:
      break;
  }
  return fs_chmod(session);
}

bool copies(FsVerb verb) {
  return verb == FsVerb::put || verb == FsVerb::get;
}

net::awaitable<void> run(FsSession& session, net::asio::signal_set& signals) {
  co_await dispatch(session);
  session.fs.close();
  signals.cancel();
}

}  // namespace

void FsSession::interrupt(int signal) {
  interrupted = signal;
  for (const auto& tell : on_interrupt) tell();
}

void FsSession::fail(const core::Error& error) {
  exit_code = complain(error);
}

bool FsSession::check(const core::Result<>& result) {
  if (!result) fail(result.error());
  return result.has_value();
}

core::Error already_there(const std::string& path) {
  return {core::Errc::exists, fmt::format("{} already exists; replace it with -f", path)};
}

int execute(const Fs& command) {
  auto configured = options(command);
  if (!configured) return complain(configured.error());
  net::asio::io_context io(1);
  hdfs::FileSystem fs(io.get_executor(), std::move(*configured));
  FsSession session{.command = command, .fs = fs};
  // At the first Ctrl-C, copies delete their temporary files; the second Ctrl-C ends the program immediately. Commands
  // without temporary files end at the first one.
  net::asio::signal_set signals(io);
  if (copies(command.verb)) {
    signals.add(SIGINT);
    signals.add(SIGTERM);
  }
  signals.async_wait([&](const boost::system::error_code& error, int signal) {
    if (error) return;
    session.interrupt(signal);
    signals.clear();
  });
  net::spawn(io.get_executor(), "ydl fs", run(session, signals));
  io.run();
  return session.interrupted != 0 ? kSignalExit + session.interrupted : session.exit_code;
}

}  // namespace ydl::cli
