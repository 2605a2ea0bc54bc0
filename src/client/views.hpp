#pragma once

#include "core/result.hpp"
#include "jobs/job_folder.hpp"
#include "ui/model.hpp"

#include <string>
#include <string_view>
#include <vector>

// What the master says and the job's folder holds, as what the displays show.
namespace ydl::client {

[[nodiscard]] core::Result<ui::JobView> job_view_from_json(std::string_view text);
[[nodiscard]] core::Result<ui::EventView> event_from_json(std::string_view line);
// The answer of /v1/events.
[[nodiscard]] core::Result<std::vector<ui::EventView>> events_from_json(std::string_view body);

// The events on disk; a line that is broken, as the last one of a killed master may be, is left out and counted.
struct StoredEvents {
  std::vector<ui::EventView> events;
  std::vector<std::string> lines;
  int broken = 0;
};
[[nodiscard]] core::Result<StoredEvents> read_events(const jobs::JobFolder& folder);

// A job whose master is gone, from its folder. A state that is not final although no master lives becomes lost, and the
// files that the master was writing are removed.
[[nodiscard]] core::Result<ui::JobView> stored_job_view(const jobs::JobFolder& folder);

// The attempt that failed first, with the end of its log; nothing when no task was the cause.
[[nodiscard]] std::optional<ui::FailureView> failure_view(const jobs::JobFolder& folder);

}  // namespace ydl::client
