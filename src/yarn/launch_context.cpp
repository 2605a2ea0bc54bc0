#include "yarn/launch_context.hpp"

#include "core/strings.hpp"
#include "yarn/launch_quoting.hpp"
#include "yarn/proto/records.pb.h"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

namespace pb = hadoop::yarn;

std::unexpected<core::Error> usage(std::string message) {
  return core::fail(core::Errc::usage, std::move(message));
}

// The launch script exports variables, so only valid shell names are allowed.
bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

core::Result<> add_variable(pb::ContainerLaunchContextProto& context, const std::string& name, std::string value) {
  if (!is_variable_name(name))
    return usage(fmt::format("'{}' is not a valid name of an environment variable", core::printable(name)));
  auto& entry = *context.add_environment();
  entry.set_key(name);
  entry.set_value(std::move(value));
  return {};
}

// Parses scheme://[user@]host[:port]/path like Hadoop.
core::Result<pb::URLProto> url_of(std::string_view text) {
  const auto colon = text.find("://");
  const auto slash = colon == std::string_view::npos ? colon : text.find('/', colon + 3);
  if (slash == std::string_view::npos || colon == 0) {
    return usage(fmt::format("'{}' is not a URL such as hdfs://namenode/path", core::printable(text)));
  }
  auto authority = text.substr(colon + 3, slash - colon - 3);
  pb::URLProto url;
  url.set_scheme(std::string(text.substr(0, colon)));
  url.set_file(std::string(text.substr(slash)));
  if (const auto at = authority.find('@'); at != std::string_view::npos) {
    url.set_userinfo(std::string(authority.substr(0, at)));
    authority.remove_prefix(at + 1);
  }
  url.set_port(-1);  // Java's value for "no port"; a missing field would be read as port 0
  const auto port_at = authority.rfind(':');
  if (port_at != std::string_view::npos && authority.find(']', port_at) == std::string_view::npos) {
    const auto port = core::parse_int<std::uint16_t>(authority.substr(port_at + 1));
    if (!port) return usage(fmt::format("'{}' has an invalid port", core::printable(text)));
    url.set_port(*port);
    authority = authority.substr(0, port_at);
  }
  if (!authority.empty()) url.set_host(std::string(authority));
  return url;
}

core::Result<pb::LocalResourceProto> to_proto(const LocalResource& file) {
  auto url = url_of(file.url);
  if (!url) return core::fail(std::move(url).error());
  pb::LocalResourceProto proto;
  *proto.mutable_resource() = *std::move(url);
  proto.set_size(static_cast<std::int64_t>(file.size));
  proto.set_timestamp(file.modified);
  proto.set_type(file.type == LocalResource::Type::archive ? pb::ARCHIVE : pb::FILE);
  switch (file.visibility) {
    case LocalResource::Visibility::everybody:
      proto.set_visibility(pb::PUBLIC);
      break;
    case LocalResource::Visibility::user:
      proto.set_visibility(pb::PRIVATE);
      break;
    case LocalResource::Visibility::application:
      proto.set_visibility(pb::APPLICATION);
      break;
  }
  return proto;
}

// Whether a path stays inside the container's directory.
bool is_inside(std::string_view name) {
  return !name.empty() && !name.starts_with('/') &&
         std::ranges::none_of(core::split(name, '/'), [](auto part) { return part.empty() || part == ".."; });
}

core::Result<> add_files(pb::ContainerLaunchContextProto& context, const Launch& launch) {
  for (const auto& [name, file] : launch.files) {
    if (!is_inside(name)) {
      return usage(fmt::format("'{}' is not a path inside the container's directory", core::printable(name)));
    }
    auto proto = to_proto(file);
    if (!proto) return core::fail(std::move(proto).error());
    auto& entry = *context.add_localresources();
    entry.set_key(name);
    *entry.mutable_value() = *std::move(proto);
  }
  return {};
}

bool runs_entry_point(const Launch& launch) {
  return launch.image && launch.image->start == ImageRuntime::Start::entry_point;
}

// Without a shell: NodeManagers write the words into one line separated by commas, and each variable into one line, so
// commas and line breaks cannot be passed.
core::Result<std::string> for_entry_point(const std::string& text) {
  const auto quoted = quote_environment_value(text);
  if (!quoted) return quoted;
  if (*quoted == text && std::ranges::none_of(text, [](unsigned char c) { return c == ',' || c < ' ' || c == 0x7f; }))
    return text;
  return usage(fmt::format("'{}' cannot be passed to an image's entry point", core::printable(text)));
}

core::Result<> add_command(pb::ContainerLaunchContextProto& context, const Launch& launch) {
  if (launch.command.empty()) return {};
  if (runs_entry_point(launch)) {
    for (const auto& word : launch.command) {
      auto written = for_entry_point(word);
      if (!written) return core::fail(std::move(written).error());
      context.add_command(*std::move(written));
    }
    return {};
  }
  const auto command = quote_command(launch.command);
  if (!command) return core::fail(command.error());
  // With exec the task replaces the shell, so that the NodeManager signals the task itself and waits for it.
  context.add_command(launch.log_name.empty()
                          ? fmt::format("exec {} 1>{}/stdout 2>{}/stderr", *command, kLogDir, kLogDir)
                          : fmt::format("exec {} 1>{}/{} 2>&1", *command, kLogDir, launch.log_name));
  return {};
}

core::Result<> add_image(pb::ContainerLaunchContextProto& context, const Launch& launch) {
  if (!launch.image) return {};
  auto image = *launch.image;
  if (runs_entry_point(launch)) {
    for (const auto& [name, file] : launch.files)
      image.mounts.push_back({.source = name, .target = fmt::format("{}/{}", kImageFiles, name)});
  }
  auto variables = runtime_variables(image);
  if (!variables) return core::fail(std::move(variables).error());
  for (auto& [name, value] : *variables) {
    if (auto added = add_variable(context, name, std::move(value)); !added) return added;
  }
  return {};
}

core::Result<> add_environment(pb::ContainerLaunchContextProto& context, const Launch& launch) {
  for (const auto& [name, value] : launch.environment) {
    auto quoted = runs_entry_point(launch) ? for_entry_point(value) : quote_environment_value(value);
    if (!quoted) return core::fail(std::move(quoted).error().within(fmt::format("variable {}", core::printable(name))));
    if (auto added = add_variable(context, name, *std::move(quoted)); !added) return added;
  }
  for (const auto& [name, value] : launch.expanded_environment) {
    if (auto added = add_variable(context, name, value); !added) return added;
  }
  return {};
}

void add_acl(pb::ContainerLaunchContextProto& context, pb::ApplicationAccessTypeProto type,
             const std::optional<std::string>& acl) {
  if (!acl) return;
  auto& entry = *context.add_application_acls();
  entry.set_accesstype(type);
  entry.set_acl(*acl);
}

}  // namespace

core::Result<pb::ContainerLaunchContextProto> launch_context(const Launch& launch) {
  pb::ContainerLaunchContextProto context;
  if (auto added = add_command(context, launch); !added) return core::fail(added.error().within("the command"));
  if (auto added = add_image(context, launch); !added) return core::fail(std::move(added).error());
  if (auto added = add_environment(context, launch); !added) return core::fail(std::move(added).error());
  if (auto added = add_files(context, launch); !added) return core::fail(std::move(added).error());
  if (launch.credentials != Credentials{}) context.set_tokens(encode_credentials(launch.credentials));
  if (!launch.renewal_configuration.empty()) context.set_tokens_conf(launch.renewal_configuration);
  add_acl(context, pb::APPACCESS_VIEW_APP, launch.viewers);
  add_acl(context, pb::APPACCESS_MODIFY_APP, launch.modifiers);
  return context;
}

pb::LogAggregationContextProto to_proto(const LogAggregation& logs) {
  pb::LogAggregationContextProto proto;
  if (!logs.include_pattern.empty()) proto.set_include_pattern(logs.include_pattern);
  if (!logs.exclude_pattern.empty()) proto.set_exclude_pattern(logs.exclude_pattern);
  return proto;
}

}  // namespace ydl::yarn
