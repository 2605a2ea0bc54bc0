#include "agent/command_list.hpp"

#include "core/json.hpp"
#include "core/utf8.hpp"

#include <boost/json.hpp>

namespace ydl::agent {
namespace {

namespace json = boost::json;
using Environment = std::map<std::string, std::string>;

// What several launches set alike; nothing if there is only one.
Environment shared_by_launches(const std::deque<Command>& commands) {
  std::optional<Environment> shared;
  int launches = 0;
  for (const auto& command : commands) {
    const auto* launch = std::get_if<Launch>(&command);
    if (launch == nullptr) continue;
    ++launches;
    if (!shared) shared = launch->env;
    std::erase_if(*shared, [&](const auto& variable) {
      const auto found = launch->env.find(variable.first);
      return found == launch->env.end() || found->second != variable.second;
    });
  }
  return launches > 1 ? *std::move(shared) : Environment{};
}

json::object to_json(const Environment& variables) {
  json::object object;
  for (const auto& [name, value] : variables) object[name] = value;
  return object;
}

json::object encode(const Command& command, const Environment& shared) {
  const auto* launch = std::get_if<Launch>(&command);
  if (launch == nullptr || shared.empty()) return to_json(command);
  Launch rest{launch->attempt, launch->argv, {}};
  for (const auto& variable : launch->env) {
    if (!shared.contains(variable.first)) rest.env.insert(variable);
  }
  return to_json(Command{std::move(rest)});
}

core::Result<Environment> shared_of(const json::object& list) {
  Environment shared;
  if (!list.contains("common_env")) return shared;
  const auto variables = core::json_object(list, "common_env");
  if (!variables) return core::fail(variables.error());
  for (const auto& [name, value] : **variables) {
    if (!value.is_string()) return core::fail(core::Errc::corrupt, "'common_env' holds what is no string");
    shared.emplace(name, value.get_string());
  }
  return shared;
}

}  // namespace

std::string encode_commands(const Outbox<Command>& commands) {
  const auto shared = shared_by_launches(commands.items());
  json::array list;
  for (Sequence seq = commands.first(); const auto& command : commands.items()) {
    auto object = encode(command, shared);
    object["seq"] = static_cast<std::int64_t>(seq++);
    list.push_back(std::move(object));
  }
  json::object answer{{"commands", std::move(list)}};
  if (!shared.empty()) answer["common_env"] = to_json(shared);
  return core::replace_invalid_utf8(json::serialize(answer));
}

core::Result<void> read_commands(std::string_view body, const CommandSink& take) {
  const auto object = core::parse_json_object(body);
  if (!object) return core::fail(object.error());
  const auto list = core::json_array(*object, "commands");
  if (!list) return core::fail(list.error());
  const auto shared = shared_of(*object);
  if (!shared) return core::fail(shared.error());
  for (const auto& item : **list) {
    if (!item.is_object()) return core::fail(core::Errc::corrupt, "'commands' holds what is no command");
    const auto seq = core::json_int(item.get_object(), "seq");
    if (!seq) return core::fail(seq.error());
    if (*seq < 1) return core::fail(core::Errc::corrupt, "'seq' is no number of a command");
    auto command = command_from_json(item.get_object());
    if (command) {
      if (auto* launch = std::get_if<Launch>(&*command)) launch->env.insert(shared->begin(), shared->end());
    }
    take(static_cast<Sequence>(*seq), std::move(command));
  }
  return {};
}

}  // namespace ydl::agent
