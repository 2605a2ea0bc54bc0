#include "job/early_errors.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <utility>

namespace ydl::job {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Ports, addresses, ranks and times differ between tasks that have the same error, so words with digits are replaced.
std::string without_numbers(std::string_view line) {
  std::string pattern;
  for (std::size_t i = 0; i < line.size();) {
    if (!is_word(line[i])) {
      pattern += line[i++];
      continue;
    }
    const auto begin = i;
    while (i < line.size() && is_word(line[i])) ++i;
    const auto word = line.substr(begin, i - begin);
    const bool has_digit = std::ranges::any_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    pattern += has_digit ? "#" : word;
  }
  return pattern;
}

// Only errors of the program itself. SIGKILL and SIGTERM are sent from outside, by the kernel, a user or a cluster.
bool is_own_end(const ExitStatus& status, Cause cause) {
  if (cause == Cause::exit_code) return true;
  if (cause != Cause::signal) return false;
  return std::ranges::any_of(std::initializer_list<int>{SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS},
                             [&](int signal) { return signal == status.signal; });
}

}  // namespace

std::optional<EarlyError> early_error(const ExitStatus& status, Cause cause, std::string node, Millis ran) {
  if (ran > kEarly || status.last_line.empty() || !is_own_end(status, cause)) return std::nullopt;
  return EarlyError{status.shell_code(), status.last_line, without_numbers(status.last_line), std::move(node)};
}

EarlyErrors::EarlyErrors(const Plan& plan) {
  for (const auto& role : plan.roles) tasks_of_[role.name] = role.count;
}

EarlyErrors::Kind EarlyErrors::kind_of(const TaskId& task, const EarlyError& error) {
  return {task.role, error.code, error.pattern};
}

void EarlyErrors::note(const TaskId& task, std::optional<EarlyError> error) {
  bool on_two_hosts = false;
  if (const auto* before = of(task)) {
    on_two_hosts = error && before->looks_like(*error) && before->node != error->node;
    forget(task);
  }
  if (!error) return;
  ++alike_[kind_of(task, *error)];
  noted_[task] = {*std::move(error), on_two_hosts};
}

void EarlyErrors::started(const TaskId& task) {
  const auto found = noted_.find(task);
  if (found == noted_.end() || !std::exchange(found->second.is_current, false)) return;
  --alike_[kind_of(task, found->second.error)];
}

void EarlyErrors::forget(const TaskId& task) {
  started(task);
  noted_.erase(task);
}

const EarlyError* EarlyErrors::of(const TaskId& task) const {
  const auto found = noted_.find(task);
  return found == noted_.end() ? nullptr : &found->second.error;
}

bool EarlyErrors::is_everywhere(const TaskId& task) const {
  const auto found = noted_.find(task);
  if (found == noted_.end() || !found->second.is_current) return false;
  if (found->second.on_two_hosts) return true;
  const int count = tasks_of_.at(task.role);
  return count >= 2 && alike_.at(kind_of(task, found->second.error)) == count;
}

}  // namespace ydl::job
