#pragma once

#include "protocol/commands.hpp"
#include "protocol/epoch.hpp"
#include "protocol/numbered_queue.hpp"

#include <functional>

namespace ydl::protocol {

// The answer to an agent that asks for commands: one line of JSON, and a second line if the commands contain launches
// of a gang. Variables that are the same in all launches are written once, because the tasks of a gang differ in few of
// them.
//
//   {"epoch":1,"commands":[{"seq":7,"type":"launch",...,"env":{"RANK":"0"}},...], "common_env":{"WORLD_SIZE":"64",...}}
//   {"start":1,"tasks":{"worker":[...]},"beginnings":{}}
struct CommandList {
  std::string commands;
  // The second line, including the line break before it. The answers to all agents of a gang share this text.
  std::shared_ptr<const std::string> gang;
};

// An answer can contain launches of one gang only. Launches of a second gang are left for the next answer.
[[nodiscard]] CommandList encode_commands(Epoch epoch, const Outbox<Command>& commands);

// For Launch::gang_text.
[[nodiscard]] std::shared_ptr<const std::string> encode_gang(const GangFacts& gang);

// Receives the contents of such an answer.
struct CommandSink {
  // Called first. Returns whether to read commands of a master of this epoch.
  std::function<bool(Epoch)> begin;
  // Called with the number of each command and the command, or the error if it cannot be decoded.
  std::function<void(Sequence, core::Result<Command>)> take;
};

// Passes the commands of an answer to `sink` one by one. All launches of a gang together would need so much memory that
// every later fork of the agent would be slow.
// Errors: corrupt, if the body is not such a list (earlier commands were passed on); refused, if sink.begin() returned
// false.
[[nodiscard]] core::Result<void> read_commands(std::string_view body, const CommandSink& sink);

}  // namespace ydl::protocol
