#include "protocol/command_list.hpp"

#include "core/described_json.hpp"
#include "core/utf8.hpp"

#include <span>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::protocol {
namespace {

namespace json = boost::json;
using Environment = core::Strings;

// The number of commands that fit into one answer.
std::size_t count_until_second_gang(const std::deque<Command>& commands) {
  const std::string* gang = nullptr;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto* launch = std::get_if<Launch>(&commands[i]);
    if (launch == nullptr || launch->gang_text == nullptr) continue;
    if (gang != nullptr && gang != launch->gang_text.get()) return i;
    gang = launch->gang_text.get();
  }
  return commands.size();
}

// The variables that all launches set to the same value. Empty if there is only one launch.
Environment shared_by_launches(std::span<const Launch* const> launches) {
  if (launches.size() < 2) return {};
  auto shared = launches.front()->env;
  for (const auto* launch : launches) {
    std::erase_if(shared, [&](const auto& variable) {
      const auto found = launch->env.find(variable.first);
      return found == launch->env.end() || found->second != variable.second;
    });
  }
  return shared;
}

json::object encode(const Command& command, const Environment& shared) {
  const auto* launch = std::get_if<Launch>(&command);
  if (launch == nullptr || shared.empty()) return to_json(command);
  Launch rest{launch->attempt, launch->argv, {}, launch->continued};
  for (const auto& variable : launch->env) {
    if (!shared.contains(variable.first)) rest.env.insert(variable);
  }
  return to_json(Command{std::move(rest)});
}

core::Result<std::shared_ptr<const GangFacts>> decode_gang(std::string_view text) {
  const auto object = core::parse_json_object(text);
  if (!object) return core::fail(object.error());
  const auto start = core::json_member<int>(*object, "start");
  const auto tasks = core::json_object(*object, "tasks");
  auto beginnings = core::json_strings(*object, "beginnings");
  if (!start) return core::fail(start.error());
  if (!tasks) return core::fail(tasks.error());
  if (!beginnings) return core::fail(beginnings.error());
  return std::make_shared<const GangFacts>(GangFacts{*start, json::serialize(**tasks), *std::move(beginnings)});
}

// Adds to a launch the variables that it shares with others.
core::Result<void> complete(Launch& launch, const Environment& shared, std::shared_ptr<const GangFacts> gang) {
  launch.env.insert(shared.begin(), shared.end());
  for (const auto& name : std::exchange(launch.continued, {})) {
    const auto found = gang == nullptr ? nullptr : &gang->beginnings;
    if (found == nullptr || !found->contains(name))
      return core::fail(core::Errc::corrupt, fmt::format("the beginning of {} is missing", name));
    launch.env[name].insert(0, found->at(name));
  }
  launch.gang = std::move(gang);
  return {};
}

}  // namespace

std::shared_ptr<const std::string> encode_gang(const GangFacts& gang) {
  return std::make_shared<const std::string>(fmt::format("\n{{\"start\":{},\"tasks\":{},\"beginnings\":{}}}",
                                                         gang.start, gang.tasks,
                                                         json::serialize(core::to_json(gang.beginnings))));
}

CommandList encode_commands(Epoch epoch, const Outbox<Command>& commands) {
  const auto count = count_until_second_gang(commands.items());
  std::vector<const Launch*> launches;
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto* launch = std::get_if<Launch>(&commands.items()[i])) launches.push_back(launch);
  }
  const auto shared = shared_by_launches(launches);
  json::array list;
  for (std::size_t i = 0; i < count; ++i) {
    auto object = encode(commands.items()[i], shared);
    object["seq"] = static_cast<std::int64_t>(commands.first() + i);
    list.push_back(std::move(object));
  }
  const json::object answer{
      {"epoch", epoch.number}, {"commands", std::move(list)}, {"common_env", core::to_json(shared)}};
  CommandList encoded{core::replace_invalid_utf8(json::serialize(answer)), nullptr};
  for (const auto* launch : launches) {
    if (launch->gang_text != nullptr) encoded.gang = launch->gang_text;
  }
  return encoded;
}

core::Result<void> read_commands(std::string_view body, const CommandSink& sink) {
  const auto line_end = body.find('\n');  // serialized JSON contains none
  const auto object = core::parse_json_object(body.substr(0, line_end));
  if (!object) return core::fail(object.error());
  const auto epoch = epoch_of(*object);
  if (!epoch) return core::fail(epoch.error());
  const auto list = core::json_array(*object, "commands");
  if (!list) return core::fail(list.error());
  const auto shared = core::json_strings(*object, "common_env");
  if (!shared) return core::fail(shared.error());
  std::shared_ptr<const GangFacts> gang;
  if (line_end != std::string_view::npos) {
    auto decoded = decode_gang(body.substr(line_end + 1));
    if (!decoded) return core::fail(decoded.error());
    gang = *std::move(decoded);
  }
  if (!sink.begin(*epoch)) {
    return core::fail(core::Errc::refused,
                      fmt::format("the commands are of epoch {}, and a later master has taken over", epoch->number));
  }
  for (const auto& item : **list) {
    if (!item.is_object()) return core::fail(core::Errc::corrupt, "'commands' contains a value that is not an object");
    const auto seq = core::json_int(item.get_object(), "seq");
    if (!seq) return core::fail(seq.error());
    if (*seq < 1) return core::fail(core::Errc::corrupt, "'seq' is not the number of a command");
    auto command = command_from_json(item.get_object());
    if (command) {
      if (auto* launch = std::get_if<Launch>(&*command)) {
        if (auto whole = complete(*launch, *shared, gang); !whole) command = core::fail(whole.error());
      }
    }
    sink.take(static_cast<Sequence>(*seq), std::move(command));
  }
  return {};
}

}  // namespace ydl::protocol
