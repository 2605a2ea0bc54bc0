#pragma once

#include "ui/display.hpp"

namespace ydl::ui {

// Nothing but failures, on standard error and without colour: for scripts that read the exit code.
class QuietDisplay final : public Display {
 public:
  [[nodiscard]] Stream target() const override { return Stream::err; }
  [[nodiscard]] std::string begin(const JobView&, const Frame&) override { return {}; }
  [[nodiscard]] std::string update(const JobView&, const Frame&) override { return {}; }
  [[nodiscard]] std::string event(const EventView&, const Frame&) override { return {}; }
  [[nodiscard]] std::string log(const LogLine&, const Frame&) override { return {}; }
  [[nodiscard]] std::string failure(const FailureView& failure, const Frame& frame) override;
  // The summary of a job that failed, because some failures (no host with room) have no task to blame.
  [[nodiscard]] std::string finish(const JobView& job, const Frame& frame) override;
};

}  // namespace ydl::ui
