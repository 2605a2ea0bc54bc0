#include "master/told_log.hpp"

#include <fcntl.h>
#include <utility>

namespace ydl::master {

ToldLog::ToldLog(const std::filesystem::path& file)
    : file_(file), fd_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}

void ToldLog::add(const job::Event& event, core::Instant now) {
  if (!began_) began_ = now;
  waiting_ += job::encode_event({now - *began_, event});
  waiting_ += '\n';
}

core::Result<void> ToldLog::flush() {
  if (waiting_.empty()) return {};
  const auto written = core::write_all(fd_.get(), std::exchange(waiting_, {}));
  if (!written) return core::fail(written.error().within(file_.string()));
  return {};
}

}  // namespace ydl::master
