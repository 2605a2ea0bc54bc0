#pragma once

#include "job/types.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace ydl::job {

// How an attempt ended by itself right after its start: a wrong argument, a module that is missing, a typing error.
struct EarlyError {
  int code = 0;  // as a shell reports it
  std::string last_line;
  std::string pattern;  // the last line without its numbers
  std::string node;

  [[nodiscard]] bool looks_like(const EarlyError& other) const {
    return code == other.code && pattern == other.pattern;
  }
};

inline constexpr Millis kEarly = core::Seconds(30);

// Nothing where the attempt ran for longer than kEarly, did not end by itself, or left no line that could be compared.
[[nodiscard]] std::optional<EarlyError> early_error(const ExitStatus& status, Cause cause, std::string node,
                                                    Millis ran);

// Finds errors that no other host and no other attempt can help: every task of a role has the same one, or one task
// has it on two hosts.
class EarlyErrors {
 public:
  explicit EarlyErrors(const Plan& plan);

  // How the newest attempt of the task ended; nothing: in no such way, or it ran for longer.
  void note(const TaskId& task, std::optional<EarlyError> error);
  // The task runs again: what it ended with before counts only against its own next end.
  void started(const TaskId& task);
  // The role has another number of tasks now.
  void resized(const std::string& role, int tasks) { tasks_of_[role] = tasks; }
  // Whether the newest error of this task is the same everywhere.
  [[nodiscard]] bool is_everywhere(const TaskId& task) const;
  [[nodiscard]] const EarlyError* of(const TaskId& task) const;

 private:
  struct Noted {
    EarlyError error;
    bool on_two_hosts = false;
    bool is_current = true;  // no attempt has started since
  };
  using Kind = std::tuple<std::string, int, std::string>;  // role, code and pattern
  [[nodiscard]] static Kind kind_of(const TaskId& task, const EarlyError& error);
  void forget(const TaskId& task);

  std::map<std::string, int> tasks_of_;  // by role
  std::map<TaskId, Noted> noted_;
  std::map<Kind, int> alike_;  // how many tasks have it as their current error
};

}  // namespace ydl::job
