// HDFS by our own client, step by step: what cluster tests and benchmarks start.
//
//   hdfs_tool HOST:PORT[,HOST:PORT] STEP ARGUMENT... [-- STEP ARGUMENT...]
//
// Every step says in one line on standard output what it did; the first that fails ends the program with its error.
#include "core/files.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "hdfs/file_system.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace {

using namespace ydl;
using Words = std::vector<std::string>;

// Byte i of every file the tests write: no chunk, packet or block looks like its neighbour.
char content_at(std::uint64_t i) {
  return static_cast<char>((i * 2654435761U) >> 13U);
}

std::uint64_t number(const std::string& text) {
  return core::parse_int<std::uint64_t>(text).value_or(0);
}

std::string content(std::uint64_t from, std::uint64_t to) {
  std::string bytes(to - from, '\0');
  for (std::uint64_t i = from; i < to; ++i) bytes[i - from] = content_at(i);
  return bytes;
}

// Writes bytes from..to of the content in pieces, with a flush or a sync wherever a position asks for one.
net::Async<> write_content(hdfs::FileWriter& writer, std::uint64_t to, const Words& stops) {
  constexpr std::uint64_t kPiece = std::uint64_t{256} << 10U;
  for (std::uint64_t at = writer.length(); at < to;) {
    std::uint64_t end = std::min(to, at + kPiece);
    std::string_view stop;
    for (const auto& word : stops) {
      const std::uint64_t position = number(word.substr(1));
      if (position > at && position <= end) {
        end = position;
        stop = word;
      }
    }
    const std::string piece = content(at, end);
    if (auto written = co_await writer.write(piece); !written) co_return core::fail(written.error());
    at = end;
    if (stop.empty()) continue;
    auto flushed = stop.front() == 's' ? co_await writer.sync() : co_await writer.flush();
    if (!flushed) co_return core::fail(flushed.error());
    fmt::print("flushed {}\n", at);
    std::fflush(stdout);
  }
  co_return core::Result<>{};
}

// write PATH SIZE [block=N] [replication=N] [f700 s1300 ...] [pause=700]: stops after `pause` until a line comes in.
net::Async<std::string> write(hdfs::FileSystem& fs, Words words) {
  hdfs::CreateOptions options{.overwrite = hdfs::Overwrite::yes, .replication = {}, .block_size = {}};
  std::optional<std::uint64_t> pause;
  Words stops;
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (words[i].starts_with("block=")) {
      options.block_size = number(words[i].substr(6));
    } else if (words[i].starts_with("replication=")) {
      options.replication = static_cast<std::uint32_t>(number(words[i].substr(12)));
    } else if (words[i].starts_with("pause=")) {
      pause = number(words[i].substr(6));
    } else {
      stops.push_back(words[i]);
    }
  }
  const bool appending = words[0] == "append";
  auto writer = appending ? co_await fs.append(words[1]) : co_await fs.create(words[1], options);
  if (!writer) co_return core::fail(writer.error());
  const std::uint64_t end = appending ? writer->length() + number(words[2]) : number(words[2]);
  if (pause) {
    if (auto first = co_await write_content(*writer, *pause, stops); !first) co_return core::fail(first.error());
    fmt::print("paused at {}\n", *pause);
    std::fflush(stdout);
    std::string line;
    std::getline(std::cin, line);
  }
  if (auto rest = co_await write_content(*writer, end, stops); !rest) co_return core::fail(rest.error());
  if (auto closed = co_await writer->close(); !closed) co_return core::fail(closed.error());
  co_return fmt::format("wrote {}", writer->length());
}

// read PATH [FROM TO] [pause=N]: compares with what the tests write.
net::Async<std::string> read(hdfs::FileSystem& fs, Words words) {
  auto reader = co_await fs.open(words[1]);
  if (!reader) co_return core::fail(reader.error());
  std::optional<std::uint64_t> pause;
  if (words.back().starts_with("pause=")) {
    pause = number(words.back().substr(6));
    words.pop_back();
  }
  if (words.size() == 4) {
    std::string bytes(number(words[3]) - number(words[2]), '\0');
    const auto size = co_await reader->read_at(number(words[2]), bytes);
    if (!size) co_return core::fail(size.error());
    if (bytes.substr(0, *size) != content(number(words[2]), number(words[2]) + *size)) {
      co_return core::fail(core::Errc::corrupt, "the bytes differ");
    }
    co_return fmt::format("read {}", *size);
  }
  for (std::uint64_t at = 0;;) {
    const auto data = co_await reader->next();
    if (!data) co_return core::fail(data.error());
    if (data->empty()) co_return fmt::format("read {}", at);
    for (const char byte : *data) {
      if (byte != content_at(at++)) co_return core::fail(core::Errc::corrupt, fmt::format("byte {} differs", at - 1));
    }
    if (pause && at >= *pause) {
      pause.reset();
      fmt::print("paused at {}\n", at);
      std::fflush(stdout);
      std::string line;
      std::getline(std::cin, line);
    }
  }
}

// put LOCAL PATH: as fast as it goes.
net::Async<std::string> put(hdfs::FileSystem& fs, Words words) {
  const core::UniqueFd file(::open(words[1].c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) co_return core::fail(core::system_error(errno, "opening " + words[1]));
  auto writer = co_await fs.create(words[2], {.overwrite = hdfs::Overwrite::yes, .replication = {}, .block_size = {}});
  if (!writer) co_return core::fail(writer.error());
  std::vector<char> buffer(std::size_t{1} << 20U);
  for (;;) {
    const auto size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0) co_return core::fail(core::system_error(errno, "reading " + words[1]));
    if (size == 0) break;
    auto written = co_await writer->write(std::span(buffer).first(static_cast<std::size_t>(size)));
    if (!written) co_return core::fail(written.error());
  }
  if (auto closed = co_await writer->close(); !closed) co_return core::fail(closed.error());
  co_return fmt::format("wrote {}", writer->length());
}

// get PATH LOCAL
net::Async<std::string> get(hdfs::FileSystem& fs, Words words) {
  auto reader = co_await fs.open(words[1]);
  if (!reader) co_return core::fail(reader.error());
  const core::UniqueFd file(::open(words[2].c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) co_return core::fail(core::system_error(errno, "opening " + words[2]));
  for (;;) {
    const auto data = co_await reader->next();
    if (!data) co_return core::fail(data.error());
    if (data->empty()) co_return fmt::format("read {}", reader->position());
    if (auto written = core::write_all(file.get(), {data->data(), data->size()}); !written) {
      co_return core::fail(written.error());
    }
  }
}

net::Async<std::string> one(hdfs::FileSystem& fs, Words words) {
  const std::string& step = words[0];
  if (step == "write" || step == "append") co_return co_await write(fs, words);
  if (step == "read") co_return co_await read(fs, words);
  if (step == "put") co_return co_await put(fs, words);
  if (step == "get") co_return co_await get(fs, words);
  if (step == "mkdir") {
    auto made = co_await fs.make_directory(words[1], hdfs::Parents::create);
    if (!made) co_return core::fail(made.error());
    co_return "made";
  }
  if (step == "list") {
    auto entries = co_await fs.list_all(words[1]);
    if (!entries) co_return core::fail(entries.error());
    co_return fmt::format("{} entries", entries->size());
  }
  if (step == "stat") {
    auto status = co_await fs.stat(words[1]);
    if (!status) co_return core::fail(status.error());
    if (!*status) co_return "nothing there";
    co_return fmt::format("{} bytes {:o} {}", (*status)->length, (*status)->permission, (*status)->owner);
  }
  if (step == "rename") {
    auto renamed =
        co_await fs.rename(words[1], words[2], words.size() > 3 ? hdfs::Overwrite::yes : hdfs::Overwrite::no);
    if (!renamed) co_return core::fail(renamed.error());
    co_return "renamed";
  }
  if (step == "remove") {
    auto removed = co_await fs.remove(words[1], hdfs::Recursive::yes);
    if (!removed) co_return core::fail(removed.error());
    co_return *removed ? "removed" : "nothing there";
  }
  if (step == "trash") {
    auto moved = co_await fs.move_to_trash(words[1]);
    if (!moved) co_return core::fail(moved.error());
    co_return *moved ? **moved : "removed";
  }
  if (step == "chmod") {
    auto set = co_await fs.set_permission(words[1], static_cast<std::uint32_t>(std::stoul(words[2], nullptr, 8)));
    if (!set) co_return core::fail(set.error());
    co_return "set";
  }
  co_return core::fail(core::Errc::usage, "no such step: " + step);
}

net::awaitable<void> run(hdfs::FileSystem& fs, std::vector<Words> steps, int& exit_code) {
  for (auto& words : steps) {
    const auto start = std::chrono::steady_clock::now();
    auto said = co_await one(fs, words);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (!said) {
      fmt::print(stderr, "{} ({})\n", said.error().message, said.error().code.message());
      exit_code = 1;
      break;
    }
    fmt::print("{} in {:.3f} s\n", *said, took.count());
    std::fflush(stdout);
  }
  fs.close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: hdfs_tool HOST:PORT[,HOST:PORT] STEP ARGUMENT... [-- STEP ARGUMENT...]\n");
    return 2;
  }
  hdfs::Options options;
  options.authority = argv[1];
  for (const auto server : core::split(argv[1], ',')) {
    options.namenode.servers.push_back(hconf::parse_host_port(server, 8020).value());
  }
  options.namenode.identity.user = core::user_name();
  options.transfer.offer_aes = core::process_getenv("HDFS_TOOL_AES").has_value();
  if (const auto timeout = core::process_getenv("HDFS_TOOL_TIMEOUT_MS")) {
    options.transfer.socket_timeout = core::Millis(static_cast<int>(number(*timeout)));
  }
  if (const auto packet = core::process_getenv("HDFS_TOOL_PACKET")) {
    options.packet_bytes = static_cast<std::uint32_t>(number(*packet));
  }
  std::vector<Words> steps(1);
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--") {
      steps.emplace_back();
    } else {
      steps.back().emplace_back(argv[i]);
    }
  }
  net::asio::io_context io(1);
  hdfs::FileSystem fs(io.get_executor(), std::move(options));
  int exit_code = 0;
  net::asio::co_spawn(io, run(fs, std::move(steps), exit_code), net::asio::detached);
  io.run();
  return exit_code;
}
