#pragma once

#include "job/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace ydl::job {

// An error that ended an attempt right after its start, such as a wrong argument, a missing module or a typo.
struct EarlyError {
  int code = 0;  // as a shell reports it
  std::string last_line;
  std::string pattern;  // the last line with its numbers replaced
  std::string node;

  [[nodiscard]] bool looks_like(const EarlyError& other) const {
    return code == other.code && pattern == other.pattern;
  }
};

inline constexpr Millis kEarly = core::Seconds(30);

// Returns nothing if the attempt ran for longer than kEarly, was ended from outside, or wrote no line to compare.
[[nodiscard]] std::optional<EarlyError> early_error(const ExitStatus& status, Cause cause, std::string node,
                                                    Millis ran);

// Finds errors that another attempt would repeat: every task of a role has the same error, or one task has it on two
// hosts.
class EarlyErrors {
 public:
  explicit EarlyErrors(const Plan& plan);

  // The error of the task's newest attempt; nothing if it did not end with an early error.
  void note(const TaskId& task, std::optional<EarlyError> error);
  // The task runs again: its earlier error is compared only with its own next error, not with those of other tasks.
  void started(const TaskId& task);
  // The number of tasks of an elastic role has changed.
  void resized(const std::string& role, int tasks) { tasks_of_[role] = tasks; }
  // Whether every task of the role, or this task on two hosts, ended with the newest error of this task.
  [[nodiscard]] bool is_everywhere(const TaskId& task) const;
  [[nodiscard]] const EarlyError* of(const TaskId& task) const;

 private:
  struct Noted {
    EarlyError error;
    bool on_two_hosts = false;
    bool is_current = true;  // the task has not started again since
  };
  using Kind = std::tuple<std::string, int, std::string>;  // role, code and pattern
  [[nodiscard]] static Kind kind_of(const TaskId& task, const EarlyError& error);
  void forget(const TaskId& task);

  std::map<std::string, int> tasks_of_;  // by role
  std::map<TaskId, Noted> noted_;
  std::map<Kind, int> alike_;  // the number of tasks whose current error is of this kind
};

}  // namespace ydl::job
