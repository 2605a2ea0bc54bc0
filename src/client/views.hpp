#pragma once

#include "core/result.hpp"
#include "jobs/job_folder.hpp"
#include "ui/model.hpp"

#include <string>
#include <string_view>
#include <vector>

// Converts the answers of the master and the files of a job's folder to what the displays show.
namespace ydl::client {

[[nodiscard]] core::Result<ui::JobView> job_view_from_json(std::string_view text);
[[nodiscard]] core::Result<ui::EventView> event_from_json(std::string_view line);
// The answer of /v1/events.
[[nodiscard]] core::Result<std::vector<ui::EventView>> events_from_json(std::string_view body);

// The events on disk. A damaged line, such as the last one of a killed master, is skipped and counted.
struct StoredEvents {
  std::vector<ui::EventView> events;
  std::vector<std::string> lines;
  int broken = 0;
};
[[nodiscard]] core::Result<StoredEvents> read_events(const jobs::JobFolder& folder);

// The view of a job without a running master, from its folder. If the state is not final, it becomes lost, and
// incomplete files of the master are removed.
[[nodiscard]] core::Result<ui::JobView> stored_job_view(const jobs::JobFolder& folder);

// The attempt that failed first, with the end of its log; nothing if no task was the cause.
[[nodiscard]] std::optional<ui::FailureView> failure_view(const jobs::JobFolder& folder);

}  // namespace ydl::client
