#include "backend/yarn/log_rescue.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "net/http_client.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::backend {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{4} << 20U;  // of one log; the copy is only about a second behind
constexpr core::Millis kPatience = core::Seconds(5);
constexpr core::Millis kLeasePause{200};

// Waits until the lease of the ended writer is recovered. Errors: timeout.
net::Async<std::uint64_t> length_when_closed(hdfs::FileSystem& fs, std::string path) {
  for (const auto deadline = core::steady_now() + kPatience;;) {
    const auto closed = co_await fs.recover_lease(path);
    if (!closed) co_return core::fail(closed.error());
    if (*closed) break;
    if (core::steady_now() > deadline) {
      co_return core::fail(core::Errc::timeout, fmt::format("{}: its last block is still being recovered", path));
    }
    co_await net::pause(kLeasePause);
  }
  const auto status = co_await fs.stat(path);
  if (!status) co_return core::fail(status.error());
  if (!*status) co_return core::fail(hrpc::Errc::not_found, path + " no longer exists");
  co_return (*status)->length;
}

net::Async<> append_end(hdfs::FileSystem& fs, std::string path, ServedLog log) {
  auto has = co_await length_when_closed(fs, path);
  const bool is_there = has || has.error().code != hrpc::Errc::not_found;
  if (!is_there) has = 0;
  if (!has) co_return core::fail(has.error());
  if (*has >= log.length) co_return core::Result<>{};
  auto writer = is_there ? co_await fs.append(path) : co_await fs.create(path, {});
  if (!writer) co_return core::fail(writer.error());
  const auto missing = log.length - *has;
  std::string text;
  if (missing > log.end.size()) text = fmt::format("\n[{} bytes are missing here]\n", missing - log.end.size());
  text += log.end.substr(log.end.size() - std::min<std::size_t>(missing, log.end.size()));
  if (auto written = co_await writer->write(text); !written) co_return written;
  co_return co_await writer->close();
}

}  // namespace

core::Result<ServedLog> parse_served_log(std::string_view answer) {
  constexpr std::string_view kLength = "\nLogLength:";
  constexpr std::string_view kContents = "\nLogContents:\n";
  const auto corrupt = [] {
    return core::fail(core::Errc::corrupt, "the answer of the NodeManager's log service cannot be parsed");
  };
  const auto contents = answer.find(kContents);
  const auto length = answer.find(kLength);
  const auto end = answer.rfind("End of LogType:");
  if (contents == answer.npos || length == answer.npos || end == answer.npos || length > contents) return corrupt();
  const auto first = contents + kContents.size();
  if (end < first) return corrupt();
  const auto digits = answer.substr(length + kLength.size());
  const auto number = core::parse_int<std::uint64_t>(digits.substr(0, digits.find('\n')));
  ServedLog log{number.value_or(0), answer.substr(first, end - first)};
  if (!number || log.end.size() > log.length) return corrupt();
  return log;
}

net::Async<YarnMachine::Found> container_on_page(std::string page, yarn::ContainerId id) {
  const auto where = hconf::parse_host_port(page, 0);
  if (!where) co_return core::fail(where.error());
  net::HttpClient service(co_await net::asio::this_coro::executor, {where->host, where->port, {}});
  const auto answer = co_await service.get(fmt::format("/ws/v1/node/containers/{}", id.str()), kPatience);
  if (!answer) co_return core::fail(answer.error());
  if (answer->status == 404) co_return YarnMachine::Found::unknown;
  if (answer->status != 200) {
    co_return core::fail(core::Errc::refused, fmt::format("the NodeManager at {} answers {}", page, answer->status));
  }
  const bool is_done = answer->body.find("\"state\":\"DONE\"") != std::string::npos ||
                       answer->body.find("<state>DONE</state>") != std::string::npos;
  co_return is_done ? YarnMachine::Found::complete : YarnMachine::Found::running;
}

net::Async<> complete_logs(hdfs::FileSystem& fs, CutLogs logs) {
  net::HttpClient service(co_await net::asio::this_coro::executor, {logs.node_http.host, logs.node_http.port, {}});
  for (const std::string_view name : {"stdout", "stderr"}) {
    const auto answer = co_await service.get(fmt::format("/ws/v1/node/containers/{}/logs/{}?size=-{}&user.name={}",
                                                         logs.container.str(), name, kMost, logs.user),
                                             kPatience);
    if (!answer) co_return core::fail(answer.error());
    if (answer->status == 404) continue;  // the task had not started
    if (answer->status != 200) {
      co_return core::fail(core::Errc::refused, fmt::format("the log service of the NodeManager at {} answers {}",
                                                            to_string(logs.node_http), answer->status));
    }
    const auto log = parse_served_log(answer->body);
    if (!log) co_return core::fail(log.error());
    auto appended = co_await append_end(fs, fmt::format("{}/{}", logs.copies, name), *log);
    if (!appended) co_return appended;
  }
  co_return core::Result<>{};
}

}  // namespace ydl::backend
