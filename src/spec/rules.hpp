#pragma once

#include "core/result.hpp"
#include "core/roles.hpp"
#include "spec/job_spec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// The rules for the values of a job, for job files, the command line and generated specs. Every Error is Errc::usage
// with a sentence about the value; the caller adds its location.
namespace ydl::spec {

struct Range {
  std::int64_t min;
  std::int64_t max;
};

inline constexpr std::size_t kMaxRoles = 64;
inline constexpr std::size_t kMaxFiles = 10'000;
inline constexpr std::size_t kMaxNameBytes = 128;
inline constexpr std::size_t kMaxWordBytes = 131'071;  // the longest argument or variable in Linux
inline constexpr std::uint64_t kMinMemory = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 50U;
inline constexpr std::uint64_t kDefaultFilesLimit = std::uint64_t{1} << 30U;  // bytes of files for the tasks of a job
inline constexpr Range kCountRange{1, 100'000};
inline constexpr Range kRetriesRange{0, 1'000};
inline constexpr Range kVcoresRange{1, 4'096};
inline constexpr Range kGpusRange{0, 1'024};
inline constexpr Range kPortsRange{0, 100};
inline constexpr const auto& kKinds = core::EnumNames<core::RoleKind>::kNames;
inline constexpr std::array<std::string_view, 2> kRestarts{"alone", "all"};
inline constexpr std::array<std::string_view, 3> kBlacklistModes{"decay", "strict", "off"};
inline constexpr Range kHostFailuresRange{1, 1'000};
inline constexpr Range kPriorityRange{0, 1'000'000};
inline constexpr std::array<std::string_view, 2> kAmKinds{"managed", "unmanaged"};
inline constexpr std::array<std::string_view, 2> kPlacements{"spread", "pack"};
inline constexpr Range kTypeRange{0, 1'000'000'000};  // for resource types

enum class Zero { allowed, refused };

// Whether `text` consists of 1 to `longest` letters, digits and `others`, and starts with a letter or digit.
[[nodiscard]] bool is_word(std::string_view text, std::size_t longest, std::string_view others);
// Checks that `text` is one of the choices; else the error "unknown <noun> 'x'; did you mean 'a'?; available: a, b".
[[nodiscard]] core::Result<> check_choice(std::string_view text, std::span<const std::string_view> choices,
                                          std::string_view noun);

using TextCheck = core::Result<> (*)(std::string_view text);
[[nodiscard]] core::Result<> check_each(std::span<const std::string> texts, TextCheck check);

[[nodiscard]] core::Result<> check_range(std::int64_t value, Range range);
[[nodiscard]] core::Result<> check_job_name(std::string_view name);
[[nodiscard]] core::Result<> check_framework(std::string_view name);
[[nodiscard]] core::Result<> check_role_name(std::string_view name);
[[nodiscard]] core::Result<> check_kind(std::string_view kind);
[[nodiscard]] core::Result<> check_restart(std::string_view restart);
[[nodiscard]] core::Result<> check_blacklist_mode(std::string_view mode);
[[nodiscard]] core::Result<> check_label(std::string_view label);
// The name of a resource type of the cluster, other than those with their own keys.
[[nodiscard]] core::Result<> check_resource_type(std::string_view type);
[[nodiscard]] core::Result<> check_host(std::string_view host);
[[nodiscard]] core::Result<> check_rack(std::string_view rack);
[[nodiscard]] core::Result<> check_placement(std::string_view placement);
[[nodiscard]] core::Result<> check_queue(std::string_view queue);
[[nodiscard]] core::Result<> check_am(std::string_view kind);
[[nodiscard]] core::Result<> check_access_list(std::string_view list);
[[nodiscard]] core::Result<> check_env_name(std::string_view name);
[[nodiscard]] core::Result<> check_env_value(std::string_view value);
[[nodiscard]] core::Result<> check_env(const std::map<std::string, std::string>& env);
// A reference to another job: its id, or the id of its application.
[[nodiscard]] core::Result<> check_job_reference(std::string_view job);
[[nodiscard]] core::Result<> check_path(std::string_view path);
// "3.11" or "3.11.4".
[[nodiscard]] core::Result<> check_python_version(std::string_view version);
// One requirement as pip reads it, without options.
[[nodiscard]] core::Result<> check_pip_package(std::string_view package);
[[nodiscard]] core::Result<> check_command(const std::vector<std::string>& command);
[[nodiscard]] core::Result<> check_memory(std::uint64_t bytes);
[[nodiscard]] core::Result<> check_duration(core::Millis duration, Zero zero);
[[nodiscard]] core::Result<> check_file(const FileRef& file);
[[nodiscard]] core::Result<> check_resources(const Resources& resources);
[[nodiscard]] core::Result<> check_am_resources(const Resources& resources);
[[nodiscard]] core::Result<> check_input(const FileRef& input);
// "hdfs://CLUSTER[/PATH]" or "viewfs://TABLE[/PATH]".
[[nodiscard]] core::Result<> check_name_node(std::string_view url);

// The path of the file relative to the task's working directory.
[[nodiscard]] std::string name_in_task(const FileRef& file);

// Applies all rules above to a job, and those for several of its parts: every role has a command, and names of roles
// and of files are unique.
// Keys that exclude each other: the one to complain about, and the rest of the sentence.
struct FieldConflict {
  std::string_view key;
  std::string sentence;
};
// The keys for Python among themselves and with the image.
[[nodiscard]] std::optional<FieldConflict> python_conflict(const JobSpec& job);

[[nodiscard]] core::Result<> check_job(const JobSpec& job);

}  // namespace ydl::spec
