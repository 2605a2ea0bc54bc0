#pragma once

#include "core/clock.hpp"
#include "core/files.hpp"
#include "job/types.hpp"
#include "master/line_file.hpp"
#include "net/asio.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

namespace ydl::master {

// One entry as it stands in events.jsonl and in the HTTP API.
[[nodiscard]] boost::json::object event_json(std::uint64_t seq, core::WallTime time, const job::Record& record);

// Everything that happened to the job, numbered from 1: on disk for later, in memory for those who follow it now.
// While a disk is full the file lacks entries; the job goes on, and they are written once there is room.
class Journal {
 public:
  Journal(const net::asio::any_io_executor& executor, const std::filesystem::path& file);

  void add(const job::Record& record, core::WallTime time);

  [[nodiscard]] std::uint64_t last() const { return lines_.size(); }
  // Entry `seq`, from 1 to last(): a JSON object.
  [[nodiscard]] const std::string& line(std::uint64_t seq) const { return lines_.at(seq - 1); }
  // Until there is something after `seq`, or the time is over.
  [[nodiscard]] net::awaitable<void> wait_after(std::uint64_t seq, core::Millis at_most);

  // A follower was told all entries up to this one.
  void told(std::uint64_t seq) {
    told_ = std::max(told_, seq);
    all_told_.notify();
  }
  // Until a follower was told the last entry, or the time is over.
  [[nodiscard]] net::awaitable<void> wait_told(core::Millis at_most);

  // To the disk, all of what was added since the last flush that succeeded in one write.
  // Errors: io; the entries are in memory only, until the next flush.
  [[nodiscard]] core::Result<void> flush();

 private:
  LineFile file_;
  std::vector<std::string> lines_;
  std::size_t flushed_ = 0;
  net::Signal news_;
  std::uint64_t told_ = 0;
  net::Signal all_told_;
};

}  // namespace ydl::master
