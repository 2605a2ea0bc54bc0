#include "master/journal.hpp"

#include "jobs/job_view.hpp"

#include <boost/json.hpp>

namespace ydl::master {

namespace json = boost::json;

json::object event_json(std::uint64_t seq, core::WallTime time, const job::Record& record) {
  jobs::EventView event{.seq = seq, .time = time, .kind = record.kind, .text = record.text};
  if (record.attempt) {
    event.task = record.attempt->task;
    event.attempt = record.attempt->attempt;
  }
  if (record.exit) {
    event.exit_code = record.exit->code;
    event.signal = record.exit->signal;
    if (record.exit->peak_memory > 0) event.peak_memory = record.exit->peak_memory;
  }
  if (record.cause != job::Cause::none) event.cause = record.cause;
  if (record.place) event.node = record.place->node;
  if (record.pid != 0) event.pid = record.pid;
  return jobs::to_json(event);
}

Journal::Journal(const net::asio::any_io_executor& executor, const std::filesystem::path& file)
    : file_(file), news_(executor), all_told_(executor) {}

void Journal::add(const job::Record& record, core::WallTime time) {
  lines_.push_back(json::serialize(event_json(lines_.size() + 1, time, record)));
  news_.notify();
}

net::awaitable<void> Journal::wait_after(std::uint64_t seq, core::Millis at_most) {
  if (seq >= last()) co_await news_.wait(at_most);
}

net::awaitable<void> Journal::wait_told(core::Millis at_most) {
  const auto deadline = core::steady_now() + at_most;
  for (auto now = core::steady_now(); told_ < last() && now < deadline; now = core::steady_now())
    co_await all_told_.wait(std::chrono::duration_cast<core::Millis>(deadline - now));
}

core::Result<void> Journal::flush() {
  if (flushed_ == lines_.size()) return {};
  std::string text;
  for (auto line = flushed_; line < lines_.size(); ++line) text += lines_[line] + "\n";
  auto written = file_.append(text);
  if (written) flushed_ = lines_.size();
  return written;
}

}  // namespace ydl::master
