#pragma once

#include "accuracy.hpp"

#include <chrono>
#include <cstddef>
#include <string>

// Lines in the form of MXNet's own reports, which people and tools read.
class Log {
 public:
  explicit Log(int rank) : rank_(rank) {}
  // One line on standard error, with the time and the worker's rank.
  void line(const std::string& text) const;

 private:
  int rank_;
};

struct BatchReport {
  int epoch;
  std::size_t first_batch;
  std::size_t last_batch;
  double images_per_second;
  Accuracy accuracy;
};
[[nodiscard]] std::string to_text(const BatchReport& report);

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};
