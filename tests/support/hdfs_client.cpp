// Our HDFS client as a long-running program for tests and benchmarks. Requests and answers are the same as with
// Hadoop's own client in testing/java/Client.java, one JSON object per line. The cluster is the one in HADOOP_CONF_DIR.
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/user.hpp"
#include "hconf/load.hpp"
#include "hdfs/configured.hpp"
#include "hdfs/file_system.hpp"

#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace {

using namespace ydl;
namespace json = boost::json;
using Request = json::object;
using Answer = net::Async<json::value>;

constexpr std::size_t kBuffer = std::size_t{1} << 20U;

std::string text(const Request& request, std::string_view key) {
  return core::json_string_or(request, key, "");
}
std::int64_t number(const Request& request, std::string_view key, std::int64_t otherwise) {
  return core::json_int_or(request, key, otherwise);
}

class Client {
 public:
  explicit Client(hdfs::FileSystem& fs) : fs_(fs) {}

  Answer run(Request request) {
    const std::string step = text(request, "do");
    const std::string remote = text(request, "remote");
    if (step == "put") co_return co_await put(request, Keep::no);
    if (step == "hold") co_return co_await put(request, Keep::yes);
    if (step == "release") co_return done(co_await held_.extract(remote).mapped().close());
    if (step == "more") co_return done(co_await copy_in(held_.at(remote), text(request, "local"), -1));
    if (step == "get") co_return co_await get(request);
    if (step == "append") co_return co_await append(request);
    if (step == "read-at") co_return co_await read_at(request);
    if (step == "stat") co_return co_await stat(remote);
    if (step == "ls") co_return co_await list(remote);
    if (step == "mkdirs") co_return done(co_await fs_.make_directory(remote, hdfs::Parents::create));
    if (step == "rename") co_return done(co_await fs_.rename(remote, text(request, "to"), hdfs::Overwrite::no));
    if (step == "replace") co_return done(co_await fs_.rename(remote, text(request, "to"), hdfs::Overwrite::yes));
    if (step == "delete") {
      auto removed = co_await fs_.remove(remote, hdfs::Recursive::yes);
      if (!removed) co_return core::fail(removed.error());
      co_return *removed;
    }
    if (step == "trash") {
      auto moved = co_await fs_.move_to_trash(remote);
      if (!moved) co_return core::fail(moved.error());
      co_return *moved ? json::value(**moved) : json::value();
    }
    if (step == "chmod")
      co_return done(co_await fs_.set_permission(remote, static_cast<std::uint32_t>(number(request, "mode", 0))));
    if (step.ends_with("-token")) co_return co_await token(std::move(request));
    if (step.starts_with("time-")) co_return co_await timed(std::move(request));
    co_return core::fail(core::Errc::usage, fmt::format("'{}' is not a command of this client", step));
  }

 private:
  enum class Keep { no, yes };

  static core::Result<json::value> done(core::Result<> result) {
    if (!result) return core::fail(std::move(result).error());
    return json::value(true);
  }

  // Copies a local file, with a flush at `flush_at`.
  static net::Async<> copy_in(hdfs::FileWriter& writer, std::string local, std::int64_t flush_at) {
    const core::UniqueFd file(::open(local.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) co_return core::fail(core::system_error(errno, "opening " + local));
    std::vector<char> buffer(kBuffer);
    std::int64_t at = 0;
    for (;;) {
      const bool before = at < flush_at;
      const std::size_t want =
          before ? std::min(buffer.size(), static_cast<std::size_t>(flush_at - at)) : buffer.size();
      const auto size = ::read(file.get(), buffer.data(), want);
      if (size < 0) co_return core::fail(core::system_error(errno, "reading " + local));
      if (size == 0) co_return core::Result<>{};
      auto written = co_await writer.write(std::span(buffer).first(static_cast<std::size_t>(size)));
      if (!written) co_return core::fail(written.error());
      at += size;
      if (before && at == flush_at) {
        if (auto flushed = co_await writer.flush(); !flushed) co_return core::fail(flushed.error());
      }
    }
  }

  static hdfs::CreateOptions create_options(const Request& request) {
    hdfs::CreateOptions options{.overwrite = hdfs::Overwrite::yes, .replication = {}, .block_size = {}};
    if (request.contains("block_size")) options.block_size = number(request, "block_size", 0);
    if (request.contains("replication"))
      options.replication = static_cast<std::uint32_t>(number(request, "replication", 0));
    return options;
  }

  Answer put(Request request, Keep keep) {
    const std::string remote = text(request, "remote");
    auto writer = co_await fs_.create(remote, create_options(request));
    if (!writer) co_return core::fail(writer.error());
    auto copied = co_await copy_in(*writer, text(request, "local"), number(request, "flush_at", -1));
    if (!copied) co_return core::fail(copied.error());
    if (keep == Keep::yes) {
      if (auto flushed = co_await writer->flush(); !flushed) co_return core::fail(flushed.error());
      held_.emplace(remote, std::move(*writer));
      co_return json::value();
    }
    if (auto closed = co_await writer->close(); !closed) co_return core::fail(closed.error());
    co_return co_await stat(remote);
  }

  Answer append(Request request) {
    const std::string remote = text(request, "remote");
    auto writer = co_await fs_.append(remote);
    if (!writer) co_return core::fail(writer.error());
    auto copied = co_await copy_in(*writer, text(request, "local"), number(request, "flush_at", -1));
    if (!copied) co_return core::fail(copied.error());
    if (auto closed = co_await writer->close(); !closed) co_return core::fail(closed.error());
    co_return co_await stat(remote);
  }

  Answer get(Request request) {
    auto reader = co_await fs_.open(text(request, "remote"));
    if (!reader) co_return core::fail(reader.error());
    const std::string local = text(request, "local");
    const core::UniqueFd file(::open(local.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) co_return core::fail(core::system_error(errno, "opening " + local));
    for (;;) {
      const auto data = co_await reader->next();
      if (!data) co_return core::fail(data.error());
      if (data->empty()) co_return json::value();
      auto written = core::write_all(file.get(), {data->data(), data->size()});
      if (!written) co_return core::fail(written.error());
    }
  }

  Answer read_at(Request request) {
    auto reader = co_await fs_.open(text(request, "remote"));
    if (!reader) co_return core::fail(reader.error());
    std::string bytes(static_cast<std::size_t>(number(request, "length", 0)), '\0');
    const auto size = co_await reader->read_at(static_cast<std::uint64_t>(number(request, "offset", 0)), bytes);
    if (!size) co_return core::fail(size.error());
    std::string hex;
    for (const char byte : bytes.substr(0, *size)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      hex += {kDigits[static_cast<unsigned char>(byte) >> 4U], kDigits[static_cast<unsigned char>(byte) & 0xfU]};
    }
    co_return json::value(hex);
  }

  static json::value describe(const hdfs::FileStatus& status) {
    return {{"name", status.name},
            {"directory", status.is_directory()},
            {"length", status.length},
            {"replication", status.replication},
            {"block_size", status.block_size},
            {"owner", status.owner},
            {"group", status.group},
            {"mode", status.permission},
            {"erasure_coded", !status.erasure_policy.empty()},
            {"modified", status.modified.time_since_epoch().count()}};
  }

  Answer stat(std::string remote) {
    auto status = co_await fs_.stat(remote);
    if (!status) co_return core::fail(status.error());
    co_return *status ? describe(**status) : json::value();
  }

  Answer list(std::string remote) {
    auto entries = co_await fs_.list_all(remote);
    if (!entries) co_return core::fail(entries.error());
    json::array answer;
    for (const auto& entry : *entries) answer.push_back(describe(entry));
    co_return answer;
  }

  // "get-token" assigns a number, with which "renew-token" and "cancel-token" refer to the token.
  Answer token(Request request) {
    const std::string step = text(request, "do");
    if (step == "get-token") {
      auto token = co_await fs_.delegation_token(text(request, "renewer"));
      if (!token) co_return core::fail(token.error());
      tokens_.push_back(std::move(*token));
      co_return tokens_.size() - 1;
    }
    const auto& known = tokens_.at(static_cast<std::size_t>(number(request, "token", 0)));
    if (step == "cancel-token") co_return done(co_await fs_.cancel_token(known));
    auto until = co_await fs_.renew_token(known);
    if (!until) co_return core::fail(until.error());
    co_return until->time_since_epoch().count();
  }

  Answer timed(Request request) {
    const auto start = std::chrono::steady_clock::now();
    const std::string step = text(request, "do");
    auto result = step == "time-write"  ? co_await write_large(request)
                  : step == "time-read" ? co_await read_large(text(request, "remote"))
                                        : co_await in_parallel(request);
    if (!result) co_return core::fail(result.error());
    co_return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  net::Async<> write_large(Request request) {
    auto writer = co_await fs_.create(text(request, "remote"), create_options(request));
    if (!writer) co_return core::fail(writer.error());
    const std::vector<char> buffer(kBuffer);
    for (std::int64_t left = number(request, "bytes", 0); left > 0; left -= static_cast<std::int64_t>(kBuffer)) {
      auto written =
          co_await writer->write(std::span(buffer).first(std::min(buffer.size(), static_cast<std::size_t>(left))));
      if (!written) co_return core::fail(written.error());
    }
    co_return co_await writer->close();
  }

  net::Async<> read_large(std::string remote) {
    auto reader = co_await fs_.open(std::move(remote));
    if (!reader) co_return core::fail(reader.error());
    for (;;) {
      const auto data = co_await reader->next();
      if (!data) co_return core::fail(data.error());
      if (data->empty()) co_return core::Result<>{};
    }
  }

  // "count" small files or requests, "threads" at once.
  net::Async<> in_parallel(Request request) {
    struct State {
      std::int64_t next = 0;
      std::int64_t working = 0;
      core::Result<> result;
    };
    State state;
    net::Signal finished(co_await net::asio::this_coro::executor);
    state.working = number(request, "threads", 1);
    for (std::int64_t i = state.working; i > 0; --i) {
      net::asio::co_spawn(co_await net::asio::this_coro::executor, work(request, state, finished), net::asio::detached);
    }
    while (state.working > 0) co_await finished.wait(std::chrono::seconds(1));
    co_return state.result;
  }

  template <class State>
  net::awaitable<void> work(const Request& request, State& state, net::Signal& finished) {
    const bool files = text(request, "do") == "time-small-files";
    const std::string remote = text(request, "remote");
    const std::string content(static_cast<std::size_t>(number(request, "bytes", 0)), '\0');
    while (state.next < number(request, "count", 0) && state.result) {
      const auto mine = state.next++;
      auto result =
          files ? co_await small_file(fmt::format("{}/file-{}", remote, mine), content) : co_await ask(remote);
      if (!result) state.result = result;
    }
    if (--state.working == 0) finished.notify();
  }

  net::Async<> small_file(std::string path, std::string_view content) {
    auto writer = co_await fs_.create(std::move(path), {.replication = {}, .block_size = {}});
    if (!writer) co_return core::fail(writer.error());
    if (auto written = co_await writer->write(content); !written) co_return core::fail(written.error());
    co_return co_await writer->close();
  }

  net::Async<> ask(std::string path) {
    auto status = co_await fs_.stat(std::move(path));
    if (!status) co_return core::fail(status.error());
    co_return core::Result<>{};
  }

  hdfs::FileSystem& fs_;
  std::map<std::string, hdfs::FileWriter> held_;
  std::vector<hrpc::Token> tokens_;
};

core::Result<hdfs::Options> options() {
  const auto search = hconf::find_configuration();
  if (!search.found) return core::fail(core::Errc::usage, "HADOOP_CONF_DIR names no configuration");
  const auto config = hconf::load(*search.found);
  if (!config) return core::fail(config.error());
  const auto service = hconf::default_name_service(*config);
  if (!service) return core::fail(service.error());
  return hdfs::configured(*config, *service, {.user = core::user_name()});
}

json::object answer(const core::Result<json::value>& result) {
  if (result) return {{"ok", *result}};
  const auto& error = result.error();
  return {{"error", fmt::format("{}.{}", error.code.category().name(), error.code.message())},
          {"message", error.message}};
}

}  // namespace

int main() {
  auto configured = options();
  if (!configured) {
    fmt::print(stderr, "{}\n", configured.error().message);
    return 1;
  }
  // The leases of open files are renewed while we wait for the next request.
  net::asio::io_context io(1);
  auto busy = net::asio::make_work_guard(io);
  hdfs::FileSystem fs(io.get_executor(), std::move(*configured));
  Client client(fs);
  std::jthread worker([&io] { io.run(); });
  for (std::string line; std::getline(std::cin, line);) {
    auto result = net::asio::co_spawn(io, client.run(json::parse(line).as_object()), net::asio::use_future).get();
    fmt::print("{}\n", json::serialize(answer(result)));
    std::fflush(stdout);
  }
  io.stop();
  return 0;
}
