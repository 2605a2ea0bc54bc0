#pragma once

#include "cli/args/raw_options.hpp"
#include "cli/args/task_line.hpp"
#include "core/result.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

// The options that ydl and ydl-mx share. Only this header's users know CLI11.
namespace ydl::cli {

// --cluster, for commands that choose one; a command about one job finds its cluster in the job's folder.
void add_cluster(CLI::App& app, RawOptions& raw, std::string_view meaning);
void add_output(CLI::App& app, RawOptions& raw);
void add_run_options(CLI::App& app, RawOptions& raw);
void add_job_options(CLI::App& app, RawOptions& raw);

// Runs CLI11 on one app. Errors: usage, in our words.
[[nodiscard]] core::Result<void> parse_with(CLI::App& app, std::vector<std::string> arguments);

// For options whose value is a whole number: "--n two: this must be a whole number, for example --n 2".
[[nodiscard]] const CLI::Validator& whole_number();
[[nodiscard]] const CLI::Validator& task_count();  // or a range of two, which is checked later
[[nodiscard]] const CLI::Validator& positive_number();
[[nodiscard]] const CLI::Validator& days();  // 0 and more
// For values whose absence has a meaning of its own: `ydl kill "$UNSET"` must not stop the newest job.
[[nodiscard]] const CLI::Validator& not_empty();

// The seeds' spelling, which CLI11 cannot define: -hip ADDRESS is --host-ip ADDRESS.
void respell(std::vector<std::string>& words);
[[nodiscard]] TakesValue value_options(const CLI::App& command);

// "; did you mean '--retries'?", or nothing.
[[nodiscard]] std::string guess_option(const CLI::App& command, const std::string& word);
// Our words of a command line that ends in a task must all be known.
[[nodiscard]] core::Result<void> check_ours(const CLI::App& command);

}  // namespace ydl::cli
