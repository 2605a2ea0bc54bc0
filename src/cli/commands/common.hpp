#pragma once

#include "cli/args/commands.hpp"
#include "core/result.hpp"
#include "jobs/job_folder.hpp"
#include "ui/line.hpp"

#include <string_view>

// What the commands share.
namespace ydl::cli {

// "ydl: SENTENCE" on standard error; returns the exit code: 2 for usage, 130 for an interruption, 1 for the rest.
int complain(const core::Error& error);
// From now on complain() also writes each error as a JSON object to standard output. For main, which calls it once,
// before anything else is written.
void complain_in_json();
// The same for what is not an error.
void note(std::string_view sentence);

// All of it to standard output; a reader that has closed its end (`ydl ls | head`) is not an error. Other failures are
// reported by check_output().
void print(std::string_view text);
// Reports output that was lost. Returns `code`, or 1 for a command that would otherwise have succeeded.
int check_output(int code);

// The folder of a job by its id, or the newest job when the id is empty.
[[nodiscard]] core::Result<jobs::JobFolder> folder_of(const std::string& job);

// A task of a job by its name. Errors: usage (not a name of a task), not_found (the job has no such task or role).
[[nodiscard]] core::Result<core::TaskId> find_task(const jobs::JobFile& job, const std::string& text);

[[nodiscard]] bool wants_json(const CommonOptions& options);
[[nodiscard]] int table_width();
[[nodiscard]] ui::Style output_style();

}  // namespace ydl::cli
