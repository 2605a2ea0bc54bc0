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

// An entry as in events.jsonl and in the HTTP API.
[[nodiscard]] boost::json::object event_json(std::uint64_t seq, core::WallTime time, const job::Record& record);

// All events of the job, numbered from 1. They are on disk for later, and in memory for clients that follow the job. If
// the disk is full, the job continues, and the missing entries are written when there is space again.
class Journal {
 public:
  Journal(const net::asio::any_io_executor& executor, const std::filesystem::path& file);

  void add(const job::Record& record, core::WallTime time);

  [[nodiscard]] std::uint64_t last() const { return lines_.size(); }
  // Entry `seq`, from 1 to last(): a JSON object.
  [[nodiscard]] const std::string& line(std::uint64_t seq) const { return lines_.at(seq - 1); }
  // Waits until there is an entry after `seq`, or the time is over.
  [[nodiscard]] net::awaitable<void> wait_after(std::uint64_t seq, core::Millis at_most);

  // A follower has received all entries up to this one.
  void told(std::uint64_t seq) {
    told_ = std::max(told_, seq);
    all_told_.notify();
  }
  // Waits until a follower has received the last entry, or the time is over.
  [[nodiscard]] net::awaitable<void> wait_told(core::Millis at_most);

  // Writes all entries since the last successful flush to the disk, with one write.
  // Errors: io; the entries are then kept in memory until the next flush.
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
