#include "log.hpp"

#include <cstdio>

#include <fmt/chrono.h>
#include <fmt/format.h>

void Log::line(const std::string& text) const {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now();
  const auto fraction = std::chrono::duration_cast<milliseconds>(now.time_since_epoch()) % std::chrono::seconds(1);
  const std::tm time = fmt::localtime(std::chrono::system_clock::to_time_t(now));
  fmt::print(stderr, "{:%Y-%m-%d %H:%M:%S},{:03} Node[{}] {}\n", time, fraction.count(), rank_, text);
}

std::string to_text(const BatchReport& report) {
  return fmt::format("Epoch[{}] Batch [{}-{}]\tSpeed: {:.2f} samples/sec\taccuracy={:f}", report.epoch,
                     report.first_batch, report.last_batch, report.images_per_second, report.accuracy.value());
}
