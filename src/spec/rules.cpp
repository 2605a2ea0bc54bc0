#include "spec/rules.hpp"

#include "core/access_list.hpp"
#include "core/strings.hpp"
#include "spec/problems.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter_or_digit(char c) {
  return is_letter(c) || is_digit(c);
}

// Whether `text` consists of 1 to `longest` letters, digits and `others`, and `first` accepts its first character.
bool is_word(std::string_view text, std::size_t longest, std::string_view others, bool (*first)(char)) {
  return !text.empty() && text.size() <= longest && first(text[0]) && std::ranges::all_of(text, [&](char c) {
    return is_letter_or_digit(c) || others.find(c) != std::string_view::npos;
  });
}

// The rule for every text of a job, because it is saved as JSON and passed to processes.
core::Result<> check_text(std::string_view text) {
  if (text.size() > kMaxWordBytes) {
    return fail(Errc::usage,
                fmt::format("{} is too long; Linux gives a process at most {} bytes in one argument or variable",
                            in_quotes(text), kMaxWordBytes));
  }
  if (text.find('\0') != std::string_view::npos) {
    return fail(Errc::usage, fmt::format("{} contains a NUL character; remove it", in_quotes(text)));
  }
  for (auto rest = text; !rest.empty();) {
    const auto length = core::utf8_length(rest);
    if (length == 0) return fail(Errc::usage, fmt::format("{} is not UTF-8 text; write it in UTF-8", in_quotes(text)));
    rest.remove_prefix(length);
  }
  return {};
}

}  // namespace

bool is_word(std::string_view text, std::size_t longest, std::string_view others) {
  return is_word(text, longest, others, is_letter_or_digit);
}

core::Result<> check_choice(std::string_view text, std::span<const std::string_view> choices, std::string_view noun) {
  if (std::ranges::find(choices, text) != choices.end()) return {};
  return fail(Errc::usage, fmt::format("unknown {} {}{} (available: {})", noun, in_quotes(text),
                                       core::did_you_mean(text.substr(0, 64), choices), fmt::join(choices, ", ")));
}

core::Result<> check_each(std::span<const std::string> texts, TextCheck check) {
  for (const auto& text : texts) {
    if (auto ok = check(text); !ok) return ok;
  }
  return {};
}

core::Result<> check_range(std::int64_t value, Range range) {
  if (value >= range.min && value <= range.max) return {};
  return fail(Errc::usage, fmt::format("{} is not from {} to {}", value, range.min, range.max));
}

core::Result<> check_job_name(std::string_view name) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (name.empty() || name.size() > kMaxNameBytes || std::ranges::any_of(name, is_control)) {
    return fail(Errc::usage, fmt::format("{} cannot be the name of a job; use 1 to {} bytes without control characters",
                                         in_quotes(name), kMaxNameBytes));
  }
  return check_text(name);
}

core::Result<> check_framework(std::string_view name) {
  if (is_word(name, 32, "_-", is_letter)) return {};
  return fail(Errc::usage, fmt::format("{} cannot be the name of a framework; write one word, for example pytorch",
                                       in_quotes(name)));
}

core::Result<> check_role_name(std::string_view name) {
  if (is_word(name, 32, "_", is_letter)) return {};
  return fail(Errc::usage,
              fmt::format("{} cannot be the name of a role; use at most 32 letters, digits and underscores, "
                          "and begin with a letter",
                          in_quotes(name)));
}

core::Result<> check_kind(std::string_view kind) {
  return check_choice(kind, kKinds, "kind of role");
}

core::Result<> check_restart(std::string_view restart) {
  if (std::ranges::find(kRestarts, restart) != kRestarts.end()) return {};
  return fail(Errc::usage,
              fmt::format("unknown value {}; write alone (only the failed task restarts) or all (all tasks "
                          "restart)",
                          in_quotes(restart)));
}

core::Result<> check_blacklist_mode(std::string_view mode) {
  return check_choice(mode, kBlacklistModes, "blacklist mode");
}

core::Result<> check_job_reference(std::string_view job) {
  if (is_word(job, 255, "_.-")) return {};
  return fail(Errc::usage,
              fmt::format("{} cannot be the id of a job; `ydl ls` shows the ids of your jobs", in_quotes(job)));
}

core::Result<> check_label(std::string_view label) {
  if (is_word(label, 255, "_.-")) return {};
  return fail(Errc::usage, fmt::format("{} cannot be a node label; use letters, digits, '-', '_' and '.', and begin "
                                       "with a letter or digit",
                                       in_quotes(label)));
}

core::Result<> check_resource_type(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKeys{
      {{"memory-mb", "memory"}, {"memory", "memory"}, {"vcores", "vcores"}, {"yarn.io/gpu", "gpus"}}};
  for (const auto& [name, key] : kKeys) {
    if (type == name)
      return fail(Errc::usage, fmt::format("{} has its own key; write {} instead", in_quotes(type), key));
  }
  if (is_word(type, 255, "_.-/")) return {};
  return fail(Errc::usage,
              fmt::format("{} cannot be a resource type; write the name that the cluster uses, for example "
                          "yarn.io/fpga",
                          in_quotes(type)));
}

core::Result<> check_host(std::string_view host) {
  if (is_word(host, 255, "_.-:")) return {};
  return fail(Errc::usage, fmt::format("{} cannot be the name of a host; write for example node1", in_quotes(host)));
}

core::Result<> check_rack(std::string_view rack) {
  if (rack.starts_with('/') && is_word(rack.substr(1), 255, "_.-:/")) return {};
  return fail(Errc::usage, fmt::format("{} cannot be the name of a rack; it begins with '/', for example /default-rack",
                                       in_quotes(rack)));
}

core::Result<> check_placement(std::string_view placement) {
  return check_choice(placement, kPlacements, "placement");
}

core::Result<> check_queue(std::string_view queue) {
  if (is_word(queue, 255, "_.-@")) return {};
  return fail(Errc::usage,
              fmt::format("{} cannot be the name of a queue; write for example default or root.ml", in_quotes(queue)));
}

core::Result<> check_am(std::string_view kind) {
  return check_choice(kind, kAmKinds, "kind of ApplicationMaster");
}

core::Result<> check_access_list(std::string_view list) {
  if (auto parsed = core::parse_access_list(list); !parsed) return fail(std::move(parsed.error()));
  return {};
}

core::Result<> check_env_name(std::string_view name) {
  const auto is_first = [](char c) { return is_letter(c) || c == '_'; };
  if (is_word(name, 1024, "_", is_first)) return {};
  return fail(Errc::usage, fmt::format("{} cannot be the name of an environment variable; use letters, digits and "
                                       "underscores, and do not begin with a digit",
                                       in_quotes(name)));
}

core::Result<> check_env_value(std::string_view value) {
  return check_text(value);
}

core::Result<> check_env(const std::map<std::string, std::string>& env) {
  for (const auto& [name, value] : env) {
    if (auto ok = check_env_name(name); !ok) return ok;
    if (auto ok = check_env_value(value); !ok) return fail(std::move(ok.error()).within(name));
  }
  return {};
}

core::Result<> check_path(std::string_view path) {
  if (path.empty()) return fail(Errc::usage, "the path is empty; write one");
  return check_text(path);
}

core::Result<> check_python_version(std::string_view version) {
  const auto parts = core::split(version, '.');
  const auto is_number = [](std::string_view part) {
    return !part.empty() && part.size() <= 3 && std::ranges::all_of(part, is_digit);
  };
  const bool has_parts = parts.size() == 2 || parts.size() == 3;
  if (has_parts && parts[0] == "3" && std::ranges::all_of(parts, is_number)) return {};
  return fail(Errc::usage,
              fmt::format("{} is not a version of Python; write for example \"3.11\"", in_quotes(version)));
}

core::Result<> check_pip_package(std::string_view package) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (core::trim(package).empty()) return fail(Errc::usage, "the package has no name; write for example scipy");
  if (package.front() == '-') {
    return fail(Errc::usage, fmt::format("{} is an option and not a package; write options into a file and name it "
                                         "with requirements",
                                         in_quotes(package)));
  }
  if (std::ranges::any_of(package, is_control))
    return fail(Errc::usage, fmt::format("{} contains a control character; write one package", in_quotes(package)));
  return check_text(package);
}

core::Result<> check_command(const std::vector<std::string>& command) {
  if (command.empty() || command[0].empty()) return fail(Errc::usage, "the command is empty; name a program to run");
  for (const auto& word : command) {
    if (auto ok = check_text(word); !ok) return ok;
  }
  return {};
}

core::Result<> check_memory(std::uint64_t bytes) {
  if (bytes == 0) return fail(Errc::usage, "the memory must be more than 0; write for example 512m or 2g");
  if (bytes > kMaxMemory) {
    return fail(Errc::usage, fmt::format("{} is too large; the largest size is {}", core::format_bytes(bytes),
                                         core::format_bytes(kMaxMemory)));
  }
  return {};
}

core::Result<> check_duration(core::Millis duration, Zero zero) {
  if (duration.count() < 0)
    return fail(Errc::usage, fmt::format("{} ms is negative; write for example 90s or 10m", duration.count()));
  if (duration.count() == 0 && zero == Zero::refused) {
    return fail(Errc::usage, "the time must be more than 0; write for example 90s or 10m");
  }
  return {};
}

core::Result<> check_file(const FileRef& file) {
  if (auto ok = check_path(file.source); !ok) return ok;
  if (auto ok = check_text(file.name); !ok) return ok;
  const auto name = name_in_task(file);
  const auto parts = core::split(name, '/');
  const auto is_step = [](std::string_view part) { return part.empty() || part == "." || part == ".."; };
  if (std::ranges::none_of(parts, is_step)) return {};
  if (file.name.empty()) {
    return fail(Errc::usage,
                fmt::format("the name in the task cannot be taken from {}; add one with PATH=NAME, or 'name' "
                            "in a job file",
                            in_quotes(file.source)));
  }
  return fail(Errc::usage,
              fmt::format("{} cannot be the name of a file in a task; write a relative path without '.' and "
                          "'..'",
                          in_quotes(name)));
}

core::Result<> check_input(const FileRef& input) {
  constexpr std::string_view kScheme = "hdfs://";
  const std::string_view source = input.source;
  const auto path = source.starts_with(kScheme) ? source.find('/', kScheme.size()) : std::string_view::npos;
  if (path == std::string_view::npos) {
    return fail(Errc::usage, fmt::format("{} is not a path in HDFS; write hdfs:///PATH or hdfs://CLUSTER/PATH",
                                         in_quotes(input.source)));
  }
  return check_file(input);
}

core::Result<> check_name_node(std::string_view url) {
  for (const std::string_view scheme : {"hdfs://", "viewfs://"}) {
    if (!url.starts_with(scheme)) continue;
    const auto authority = url.substr(scheme.size(), url.find('/', scheme.size()) - scheme.size());
    const auto is_of_a_name = [](unsigned char c) { return c > ' ' && c < 0x7f && c != '@' && c != ','; };
    if (!authority.empty() && std::ranges::all_of(url, is_of_a_name)) return {};
  }
  return fail(
      Errc::usage,
      fmt::format("{} is not a file system; write hdfs://CLUSTER, hdfs://HOST:PORT or viewfs://TABLE", in_quotes(url)));
}

std::string name_in_task(const FileRef& file) {
  if (!file.name.empty()) return file.name;
  std::string_view source = file.source;
  while (source.ends_with('/')) source.remove_suffix(1);
  return std::string(source.substr(source.rfind('/') + 1));
}

}  // namespace ydl::spec
