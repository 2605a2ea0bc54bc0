#pragma once

#include "cli/args/parse.hpp"
#include "cli/commands/job_names.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Shell completion. The shells ask this program by `ydl __complete WORDS…`, so that all of them offer the same and
// their scripts stay a few lines long.
namespace ydl::cli {

struct Candidate {
  std::string word;
  std::string text;  // what it is, for shells that show it

  bool operator==(const Candidate&) const = default;
};

struct Candidates {
  std::vector<Candidate> words;
  bool files = false;  // the shell's own completion of files fits here
};

// The jobs of this machine. No cluster is asked: a key press must not wait for one.
struct CompletionSources {
  std::function<std::vector<JobName>()> jobs = job_names;
  std::function<std::vector<std::string>(const std::string& job)> tasks = task_names;
};

// What may stand in place of the last word, which may be empty. `words` begin after the program's name. Pure but for
// the sources.
[[nodiscard]] Candidates complete(std::string_view program, const std::vector<std::string>& words,
                                  const CompletionSources& sources = {});

// One candidate a line, its text after a tab; the line ":files" where files fit.
[[nodiscard]] std::string candidate_lines(const Candidates& candidates);

}  // namespace ydl::cli
