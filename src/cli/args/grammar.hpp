#pragma once

#include "cli/args/parse.hpp"
#include "cli/args/raw_options.hpp"
#include "cli/args/task_line.hpp"
#include "core/result.hpp"
#include "spec/rules.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

// The options that ydl and ydl-mx share. Only this header's users know CLI11.
namespace ydl::cli {

// --cluster, for commands that choose one; a command about one job finds its cluster in the job's folder.
void add_cluster(CLI::App& app, RawOptions& raw, std::string_view meaning);
void add_output(CLI::App& app, RawOptions& raw);
// How a job is shown while it runs.
void add_follow_options(CLI::App& app, RawOptions& raw);
void add_run_options(CLI::App& app, RawOptions& raw);
void add_job_options(CLI::App& app, RawOptions& raw);

// Runs CLI11 on one app. Errors: usage, in our words.
[[nodiscard]] core::Result<void> parse_with(CLI::App& app, std::vector<std::string> arguments);

// For options whose value is a whole number: "--n 'two' is not a whole number; write for example --n 2".
[[nodiscard]] CLI::Validator number_in(spec::Range range);
[[nodiscard]] CLI::Validator task_count();  // or a range of two, which is checked later
inline constexpr spec::Range kPositive{1, 1'000'000};
inline constexpr spec::Range kDays{0, 1'000'000};
// For values whose absence has a meaning of its own: `ydl kill "$UNSET"` must not stop the newest job.
[[nodiscard]] const CLI::Validator& not_empty();

// CLI11 cannot define -hip ADDRESS, another spelling of --host-ip ADDRESS. Returns the spelling that was typed.
[[nodiscard]] std::string respell(std::vector<std::string>& words);
[[nodiscard]] TakesValue value_options(const CLI::App& command);

// Puts the options that are added by now under the headings of the help.
void group_options(CLI::App& app);
// The options of a command as data.
[[nodiscard]] CommandHelp describe(const CLI::App& app, std::string usage);

// "; did you mean --retries?", or nothing.
[[nodiscard]] std::string guess_option(const CLI::App& command, const std::string& word);
// Our words of a command line that ends in a task must all be known.
[[nodiscard]] core::Result<void> check_ours(const CLI::App& command);
// An error whose first word is an option, with that option as it was typed: --num-workers and not --n.
[[nodiscard]] core::Error as_typed(core::Error error, const CLI::App& command, const std::vector<std::string>& words);

}  // namespace ydl::cli
