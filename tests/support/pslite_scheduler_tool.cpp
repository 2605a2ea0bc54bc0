// The ps-lite scheduler as a separate program, for tests with real MXNet processes.
//
//   pslite_scheduler_tool ADDRESS:PORT WORKERS SERVERS [registration-timeout] [newcomer-wait]
//
// Prints one line per notice. Takes commands from standard input, one per line, and stops when it closes:
//   begin
//   expect worker:0 HOST PORT
//   exited worker:0 unknown|restarts|gone|left [how]
// Exit code 0 after Finished, 1 after Failed, 2 when it could not start, 3 when standard input closed first.
#include "core/strings.hpp"
#include "pslite/roster.hpp"
#include "pslite/scheduler.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

namespace {

namespace asio = boost::asio;
using namespace ydl;          // NOLINT: a program of one file
using namespace ydl::pslite;  // NOLINT

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::string text(const Registered& n) {
  return fmt::format("registered {} {}:{} {}/{}", describe(n.member), n.member.host, n.member.port, n.count,
                     n.expected);
}
std::string text(const AllRegistered& n) {
  std::string line = "all_registered";
  for (const Member& m : n.members)
    line += fmt::format(" {}={}:{}", identity_of(id_of(m.role, *m.rank)), m.host, m.port);
  return line;
}
std::string text(const Recovered& n) {
  return fmt::format("recovered {} {}:{}", describe(n.member), n.member.host, n.member.port);
}
std::string text(const BarrierPassed& n) {
  return fmt::format("barrier {}", n.group);
}
std::string text(const NodeDead& n) {
  return fmt::format("dead {}: {}", describe(n.member), n.why);
}
std::string text(const NeverRegistered& n) {
  return fmt::format("never_registered {}", n.sentence);
}
std::string text(const Refused& n) {
  return fmt::format("refused {}", n.sentence);
}
std::string text(const UnknownPeerRefused& n) {
  return fmt::format("unknown_peer {}", n.sentence);
}
std::string text(const Note& n) {
  return fmt::format("note {}", n.sentence);
}
std::string text(const Finished& /*n*/) {
  return "finished";
}
std::string text(const Failed& n) {
  return fmt::format("failed {}", n.sentence);
}

Outlook parse_outlook(std::string_view word) {
  if (word == "restarts") return Outlook::restarts;
  if (word == "gone") return Outlook::gone;
  if (word == "left") return Outlook::left;
  return Outlook::unknown;
}

void obey(Scheduler& scheduler, std::string_view line) {
  const auto words = core::split(line, ' ');
  const auto task = words.size() > 1 ? core::TaskId::parse(words[1]) : core::fail(core::Errc::usage, "no task");
  if (words[0] == "begin") {
    scheduler.begin();
  } else if (words[0] == "expect" && task && words.size() == 4) {
    scheduler.expect({.task = *task,
                      .role = task->role == "server" ? Role::server : Role::worker,
                      .host = std::string(words[2]),
                      .port = core::parse_int<std::uint16_t>(words[3]).value_or(0)});
  } else if (words[0] == "exited" && task && words.size() >= 3) {
    const std::size_t how = words[0].size() + words[1].size() + words[2].size() + 3;
    scheduler.node_exited({.task = *task,
                           .outlook = parse_outlook(words[2]),
                           .how = std::string(how < line.size() ? line.substr(how) : "")});
  } else {
    say(fmt::format("unknown command '{}'", line));
  }
}

asio::awaitable<void> commands(Scheduler& scheduler, asio::posix::stream_descriptor& input, asio::io_context& io) {
  std::string buffer;
  while (true) {
    const auto [error, count] = co_await asio::async_read_until(input, asio::dynamic_buffer(buffer, 4096), '\n',
                                                                asio::as_tuple(asio::use_awaitable));
    if (error) break;
    obey(scheduler, core::trim(std::string_view(buffer).substr(0, count)));
    buffer.erase(0, count);
  }
  io.stop();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto colon = args.empty() ? std::string::npos : args[0].rfind(':');
  if (args.size() < 3 || colon == std::string::npos) {
    fmt::print(stderr,
               "usage: pslite_scheduler_tool ADDRESS:PORT WORKERS SERVERS [registration-timeout] [newcomer-wait]\n");
    return 2;
  }
  asio::io_context io;
  int code = 3;
  SchedulerOptions options;
  options.address = args[0].substr(0, colon);
  options.port = core::parse_int<std::uint16_t>(args[0].substr(colon + 1)).value_or(0);
  options.job.workers = core::parse_int<int>(args[1]).value_or(1);
  options.job.servers = core::parse_int<int>(args[2]).value_or(1);
  if (args.size() > 3) options.job.registration_timeout = core::parse_duration(args[3]).value_or(core::Seconds(600));
  if (args.size() > 4) options.job.newcomer_wait = core::parse_duration(args[4]).value_or(core::Seconds(30));
  options.vouches_for = [](const std::string&) { return true; };
  options.notify = [&](const Notice& notice) {
    say(std::visit([](const auto& n) { return text(n); }, notice));
    if (std::holds_alternative<Finished>(notice)) code = 0;
    if (std::holds_alternative<Failed>(notice)) code = 1;
    if (code != 3) io.stop();
  };
  auto scheduler = Scheduler::listen(io.get_executor(), std::move(options));
  if (!scheduler) {
    fmt::print(stderr, "{}\n", scheduler.error().message);
    return 2;
  }
  say(fmt::format("listening {}", (*scheduler)->port()));
  asio::posix::stream_descriptor input(io, ::dup(0));
  asio::co_spawn(io, commands(**scheduler, input, io), asio::detached);
  io.run();
  (*scheduler)->close();
  return code;
}
