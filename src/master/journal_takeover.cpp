#include "master/journal_takeover.hpp"

#include "hdfs/errors.hpp"
#include "hrpc/errors.hpp"
#include "job/journal_codec.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace ydl::master {
namespace {

constexpr core::Millis kPause{250};
// Small, because an open file reserves a whole block on each of its DataNodes.
constexpr std::uint64_t kBlockSize = std::uint64_t{1} << 20U;
constexpr std::uint32_t kMode = 0600;

// Whether the same call may succeed later without action by a user.
bool may_pass(const core::Error& error) {
  if (error.code.category() == hdfs::error_category()) return error.code != hdfs::Errc::unsupported;
  if (error.code.category() != hrpc::error_category()) return false;
  switch (static_cast<hrpc::Errc>(error.code.value())) {
    case hrpc::Errc::unreachable:
    case hrpc::Errc::timed_out:
    case hrpc::Errc::connection_lost:
    case hrpc::Errc::standby:
    case hrpc::Errc::retriable:
    case hrpc::Errc::safe_mode:
    case hrpc::Errc::not_yet_replicated:
      return true;
    default:
      return false;
  }
}

bool try_again(const core::Error& error, core::Instant deadline) {
  return may_pass(error) && core::steady_now() < deadline;
}

bool is_about_block_size(const core::Error& error) {
  return error.remote && error.remote->message.contains("min-block-size");
}

std::optional<int> number_of(std::string_view name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number < 1 || name.starts_with('0')) return {};
  return number;
}

// The files are numbered from 1; files with other names are not part of the journal.
core::Result<int> newest_file(const std::string& folder, const std::vector<hdfs::FileStatus>& entries) {
  std::set<int> numbers;
  for (const auto& entry : entries) {
    if (const auto number = number_of(entry.name)) numbers.insert(*number);
  }
  int newest = 0;
  for (const int number : numbers) {
    if (number != newest + 1) {
      return core::fail(core::Errc::corrupt,
                        fmt::format("{}/{} is missing, so the job's journal is incomplete", folder, newest + 1));
    }
    newest = number;
  }
  return newest;
}

net::Async<int> newest_file(hdfs::FileSystem& fs, std::string folder) {
  const auto entries = co_await fs.list_all(folder);
  if (entries) co_return newest_file(folder, *entries);
  if (entries.error().code == hrpc::Errc::not_found) co_return 0;
  co_return core::fail(entries.error());
}

net::Async<hdfs::FileWriter> create(hdfs::FileSystem& fs, std::string path) {
  hdfs::CreateOptions options{
      .overwrite = hdfs::Overwrite::no, .mode = kMode, .replication = {}, .block_size = kBlockSize};
  auto writer = co_await fs.create(path, options);
  if (writer || !is_about_block_size(writer.error())) co_return writer;
  options.block_size.reset();  // the cluster forbids small blocks, so use its default
  co_return co_await fs.create(path, options);
}

net::Async<> recover_file(hdfs::FileSystem& fs, std::string path, core::Instant deadline) {
  for (;;) {
    const auto closed = co_await fs.recover_lease(path);
    if (closed && *closed) co_return core::Result<>{};
    if (!closed && !may_pass(closed.error())) co_return core::fail(closed.error());
    if (core::steady_now() >= deadline) {
      co_return core::fail(
          core::Errc::timeout,
          closed
              ? fmt::format(
                    "{} cannot be taken over from the earlier master: HDFS is still recovering its last block; check "
                    "that the DataNodes with this block are running: 'hdfs fsck {} -files -blocks -locations "
                    "-openforwrite' "
                    "lists them",
                    path, path)
              : fmt::format("{} cannot be taken over from the earlier master: {}", path, closed.error().message));
    }
    co_await net::pause(kPause);
  }
}

// One attempt to recover one file.
net::Async<> read_file(hdfs::FileSystem& fs, std::string path, job::JournalFileReader& parser,
                       std::vector<job::TimedEvent>& events) {
  auto reader = co_await fs.open(std::move(path));
  if (!reader) co_return core::fail(reader.error());
  for (;;) {
    const auto bytes = co_await reader->next();
    if (!bytes) co_return core::fail(bytes.error());
    if (bytes->empty()) co_return core::Result<>{};
    auto parsed = parser.feed({bytes->data(), bytes->size()},
                              [&events](job::TimedEvent event) { events.push_back(std::move(event)); });
    if (!parsed) co_return parsed;
  }
}

}  // namespace

std::string journal_path(const std::string& folder, int number) {
  return fmt::format("{}/{}", folder, number);
}

net::Async<EpochClaim> claim_epoch(hdfs::FileSystem& fs, std::string folder, core::Instant deadline) {
  bool in_doubt = false;  // an attempt failed but may have created the file nevertheless
  for (;;) {
    const auto newest = co_await newest_file(fs, folder);
    if (!newest && !try_again(newest.error(), deadline)) co_return core::fail(newest.error());
    if (newest) {
      const int epoch = *newest + 1;
      auto writer = co_await create(fs, journal_path(folder, epoch));
      if (writer) co_return EpochClaim{.epoch = epoch, .writer = *std::move(writer)};
      const auto code = writer.error().code;
      // If another master is writing the file, HDFS reports a lease conflict.
      const bool lost = code == hrpc::Errc::exists || code == hrpc::Errc::lease_conflict;
      if (lost && !in_doubt) {
        co_return core::fail(core::Errc::exists, fmt::format("another master of this job has just created {}",
                                                             journal_path(folder, epoch)));
      }
      if (!lost && !try_again(writer.error(), deadline)) co_return core::fail(writer.error());
      in_doubt = !lost;  // the file may be this master's own, so it tries the next number
    }
    co_await net::pause(kPause);
  }
}

net::Async<> recover_files(hdfs::FileSystem& fs, std::string folder, int count, core::Instant deadline) {
  for (int number = count; number >= 1; --number) {
    auto recovered = co_await recover_file(fs, journal_path(folder, number), deadline);
    if (!recovered) co_return recovered;
  }
  co_return core::Result<>{};
}

net::Async<JournalContent> read_files(hdfs::FileSystem& fs, std::string folder, int count, core::Instant deadline) {
  JournalContent content;
  for (int number = 1; number <= count;) {
    job::JournalFileReader parser(number);
    const auto before = content.events.size();
    const auto read = co_await read_file(fs, journal_path(folder, number), parser, content.events);
    if (!read) {
      if (!try_again(read.error(), deadline)) co_return core::fail(read.error());
      content.events.erase(content.events.begin() + static_cast<std::ptrdiff_t>(before), content.events.end());
      co_await net::pause(kPause);
      continue;
    }
    if (const auto& header = parser.header()) {
      if (content.began.value_or(header->began) != header->began) {
        co_return core::fail(
            core::Errc::corrupt,
            fmt::format("journal/{}, line 1: the start time of the job differs from that in earlier files", number));
      }
      content.began = header->began;
    }
    ++number;
  }
  co_return content;
}

}  // namespace ydl::master
