#include "master/told_log.hpp"

namespace ydl::master {

ToldLog::ToldLog(const std::filesystem::path& file) : file_(file) {}

void ToldLog::add(const job::TimedEvent& event) {
  waiting_ += job::encode_event(event);
  waiting_ += '\n';
}

core::Result<void> ToldLog::flush() {
  if (waiting_.empty()) return {};
  auto written = file_.append(waiting_);
  if (written) waiting_.clear();
  return written;
}

}  // namespace ydl::master
