#pragma once

#include "core/clock.hpp"
#include "ui/line.hpp"
#include "ui/model.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The sentences that several displays share.
namespace ydl::ui {

// How far a local clock is ahead of UTC at a time: a function, because a job may run through a change of it.
using UtcOffset = std::function<core::Seconds(core::WallTime)>;

// "03:13:28" on that clock; UTC when no offset is given.
[[nodiscard]] std::string clock_time(core::WallTime time, const UtcOffset& offset);

// "2026-11-15", the day of that clock.
[[nodiscard]] std::string calendar_date(core::WallTime time, const UtcOffset& offset);

// A time that still runs, in whole seconds so that it does not flicker: "12 s".
[[nodiscard]] std::string running_time(core::Millis duration);
// A time that is over: "4.2 s", and from ten seconds on "41 s".
[[nodiscard]] std::string settled_time(core::Millis duration);

[[nodiscard]] Tone state_tone(const core::Named<core::JobState>& state);
[[nodiscard]] Tone state_tone(const core::Named<core::TaskState>& state);

// "mnist-7f3k", or "mnist (job_17)" where the id does not tell the name.
[[nodiscard]] std::string job_title(const JobView& job);

// "worker:0 runs on host1 (pid 123)", "mnist-7f3k: 2 tasks restart": the subject comes first and only once. A task's
// text goes on where its name stops; a job's is a sentence of its own; a note of the job stands alone.
[[nodiscard]] std::string event_sentence(const EventView& event, std::string_view job_id);

// The job's final state, where the event tells its end.
[[nodiscard]] std::optional<core::JobState> end_of_job(const EventView& event);

// "MXNet": a framework as the project that makes it writes its name; "" for a job without one.
[[nodiscard]] std::string framework_title(std::string_view name);

// "4 of 2 to 8 workers".
[[nodiscard]] std::string elastic_text(const ElasticRoleView& role);

// A step before a task is placed: timelines show it, and the display of a running job leaves it out.
[[nodiscard]] bool is_small_step(const EventView& event);

// "step 10, loss 0.4", with the values in the order of their names; "" without any.
[[nodiscard]] std::string metrics_words(const std::optional<core::Metrics>& metrics);

// What JobView::where names the machine of this process.
inline constexpr std::string_view kThisMachine = "this machine";

// "2 workers", "1 worker", "2 ps".
[[nodiscard]] std::string count_of(std::string_view role, std::int64_t count);
// Whether the job has one task and no role that can grow.
[[nodiscard]] bool is_alone(const JobView& job);
// "2 workers and 2 servers", in the order of the job.
[[nodiscard]] std::string roles_text(const JobView& job);

// "mnist-7f3k: MXNet, 2 workers and 2 servers on YARN, queue default".
[[nodiscard]] Line begin_line(const JobView& job);
[[nodiscard]] Line log_line(const LogLine& line);
// Which task failed first, where and why, the last lines it wrote, and where there is more.
[[nodiscard]] std::vector<Line> failure_lines(const FailureView& failure);
// "mnist-7f3k succeeded in 41 s", with the reason where it did not.
void add_summary(Line& line, const JobView& job, core::WallTime now);
// The same, and where results and logs are.
[[nodiscard]] std::vector<Line> finish_lines(const JobView& job, core::WallTime now);

}  // namespace ydl::ui
