#include "spec/options.hpp"

#include "core/strings.hpp"
#include "spec/job_fields.hpp"
#include "spec/problems.hpp"
#include "spec/rules.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

using core::Errc;
using core::fail;

core::Result<int> parse_whole(std::string_view text, Range range) {
  const auto value = core::parse_int<std::int64_t>(text);
  if (value && check_range(*value, range)) return static_cast<int>(*value);
  return fail(Errc::usage,
              fmt::format("{} is not a whole number from {} to {}", in_quotes(text), range.min, range.max));
}

core::Result<std::uint64_t> parse_memory(std::string_view text) {
  const auto bytes = core::parse_bytes(text);
  if (!bytes) return bytes;
  if (auto ok = check_memory(*bytes); !ok) return fail(std::move(ok.error()));
  return bytes;
}

core::Result<std::string> parse_text(std::string_view text, TextCheck check) {
  if (auto ok = check(text); !ok) return fail(std::move(ok.error()));
  return std::string(text);
}

// "a+b".
core::Result<> set_list(std::vector<std::string>& field, std::string_view text, TextCheck check) {
  if (!field.empty()) return fail(Errc::usage, "the value is given twice; write it once");
  for (const auto part : core::split(text, '+')) {
    if (auto ok = check(part); !ok) return ok;
    field.emplace_back(part);
  }
  return {};
}

// Sets a field to a parsed value. It is an error if the field is already set.
template <class T>
core::Result<> set_once(std::optional<T>& field, core::Result<T> value) {
  if (field) return fail(Errc::usage, "the value is given twice; write it once");
  if (!value) return fail(std::move(value.error()));
  field = std::move(*value);
  return {};
}

constexpr std::string_view kTypes = "types.";  // types.yarn.io/fpga=1

core::Result<> set_type(std::map<std::string, int>& types, std::string_view type, std::string_view value) {
  if (auto ok = check_resource_type(type); !ok) return ok;
  const auto amount = parse_whole(value, kTypeRange);
  if (!amount) return fail(amount.error());
  if (!types.emplace(type, *amount).second) return fail(Errc::usage, "the value is given twice; write it once");
  return {};
}

core::Result<> set_resource(Resources& resources, std::string_view key, std::string_view value) {
  if (key.starts_with(kTypes)) return set_type(resources.types, key.substr(kTypes.size()), value);
  if (key == "memory") return set_once(resources.memory, parse_memory(value));
  if (key == "vcores") return set_once(resources.vcores, parse_whole(value, kVcoresRange));
  if (key == "gpus") return set_once(resources.gpus, parse_whole(value, kGpusRange));
  if (key == "hosts") return set_list(resources.hosts, value, check_host);
  if (key == "racks") return set_list(resources.racks, value, check_rack);
  if (key == "placement") return set_once(resources.placement, parse_text(value, check_placement));
  return set_once(resources.label, parse_text(value, check_label));
}

core::Result<Resources> parse_resources(std::string_view text) {
  Resources resources;
  for (const auto part : core::split(text, ',')) {
    const auto equals = part.find('=');
    const auto key = part.substr(0, equals);
    if (key == "types")
      return fail(Errc::usage, "the name of the type is missing; write types.NAME=N, for example types.yarn.io/fpga=1");
    static const auto resource_keys = keys_of(resource_fields());
    if (!key.starts_with(kTypes) && std::ranges::find(resource_keys, key) == resource_keys.end()) {
      return fail(Errc::usage,
                  fmt::format("unknown resource {}{} (available: {})", in_quotes(key),
                              core::did_you_mean(key.substr(0, 64), resource_keys), fmt::join(resource_keys, ", ")));
    }
    if (equals == std::string_view::npos)
      return fail(Errc::usage, fmt::format("{} has no value; write {}=VALUE", key, key));
    if (auto ok = set_resource(resources, key, part.substr(equals + 1)); !ok) {
      return fail(std::move(ok.error()).within(key));
    }
  }
  return resources;
}

}  // namespace

core::Result<TaskCount> parse_task_count(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    const auto count = parse_whole(text, kCountRange);
    if (!count) return fail(count.error());
    return TaskCount{*count};
  }
  const auto least = parse_whole(text.substr(0, colon), {0, kCountRange.max});
  const auto most = parse_whole(text.substr(colon + 1), {0, kCountRange.max});
  if (!least || !most) {
    return fail(Errc::usage, fmt::format("{} is not a range of tasks; write LEAST:MOST, for example 2:8, with whole "
                                         "numbers from {} to {}",
                                         in_quotes(text), kCountRange.min, kCountRange.max));
  }
  if (*least > *most) {
    return fail(Errc::usage, fmt::format("{0}: the first number is larger than the second; write {2}:{1}",
                                         in_quotes(text), *least, *most));
  }
  if (*least == 0) {
    return fail(Errc::usage, fmt::format("{}: a role needs at least one task; write {}", in_quotes(text),
                                         *most > 1 ? fmt::format("1:{}", *most) : std::string("1")));
  }
  return TaskCount{*most, *least == *most ? std::nullopt : std::optional(*least)};
}

core::Result<RoleCount> parse_role_count(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) {
    return fail(Errc::usage, fmt::format("{} has no count; write NAME=N, for example worker=2", in_quotes(text)));
  }
  const auto name = text.substr(0, equals);
  if (auto ok = check_role_name(name); !ok) return fail(std::move(ok.error()).within(in_quotes(text)));
  const auto count = parse_task_count(text.substr(equals + 1));
  if (!count && text.find(':', equals) != std::string_view::npos)
    return fail(core::Error(count.error()).within(fmt::format("role '{}'", name)));
  if (!count) {
    return fail(Errc::usage,
                fmt::format("role '{}' cannot have {} tasks; write a whole number from {} to {}, or remove the "
                            "role",
                            name, in_quotes(text.substr(equals + 1)), kCountRange.min, kCountRange.max));
  }
  return RoleCount{std::string(name), count->most, count->least};
}

core::Result<Resources> parse_resource(std::string_view key, std::string_view value) {
  Resources resources;
  if (auto ok = set_resource(resources, key, value); !ok) return fail(std::move(ok.error()));
  return resources;
}

core::Result<RoleResources> parse_role_resources(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    return fail(Errc::usage,
                fmt::format("{} does not name a role; write ROLE:KEY=VALUE, for example worker:memory=2g,gpus=1",
                            in_quotes(text)));
  }
  const auto role = text.substr(0, colon);
  if (auto ok = check_role_name(role); !ok) return fail(std::move(ok.error()).within(in_quotes(text)));
  auto resources = parse_resources(text.substr(colon + 1));
  if (!resources) return fail(std::move(resources.error()).within(in_quotes(text)));
  return RoleResources{std::string(role), std::move(*resources)};
}

core::Result<EnvVariable> parse_env_variable(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) {
    return fail(Errc::usage,
                fmt::format("{} has no value; write KEY=VALUE, or KEY= for an empty one", in_quotes(text)));
  }
  const auto name = text.substr(0, equals);
  const auto value = text.substr(equals + 1);
  if (auto ok = check_env_name(name); !ok) return fail(std::move(ok.error()));
  if (auto ok = check_env_value(value); !ok) return fail(std::move(ok.error()).within(name));
  return EnvVariable{std::string(name), std::string(value)};
}

core::Result<FileRef> parse_archive_ref(std::string_view text) {
  const auto hash = text.rfind('#');
  if (hash == std::string_view::npos) return parse_file_ref(text);
  if (hash + 1 == text.size())
    return fail(Errc::usage, fmt::format("{} ends without a name; write PATH#NAME", in_quotes(text)));
  FileRef archive{std::string(text.substr(0, hash)), std::string(text.substr(hash + 1))};
  if (auto ok = check_file(archive); !ok) return fail(std::move(ok.error()));
  return archive;
}

core::Result<FileRef> parse_file_ref(std::string_view text) {
  const auto equals = text.rfind('=');
  FileRef file{std::string(text.substr(0, equals)), {}};
  if (equals != std::string_view::npos) {
    file.name = text.substr(equals + 1);
    if (file.name.empty())
      return fail(Errc::usage, fmt::format("{} ends without a name; write PATH=NAME", in_quotes(text)));
  }
  if (auto ok = check_file(file); !ok) return fail(std::move(ok.error()));
  return file;
}

core::Result<FileRef> parse_input_ref(std::string_view text) {
  auto input = parse_file_ref(text);
  if (!input) return input;
  if (auto ok = check_input(*input); !ok) return fail(std::move(ok.error()));
  return input;
}

}  // namespace ydl::spec
