#pragma once

#include "protocol/commands.hpp"
#include "protocol/epoch.hpp"
#include "protocol/numbered_queue.hpp"

#include <functional>

namespace ydl::protocol {

// The answer to an agent that asks for commands: one line of JSON, and a second one where the commands contain launches
// of a gang. What all launches put into the environment alike is written once: the tasks of a gang differ in few
// variables.
//
//   {"epoch":1,"commands":[{"seq":7,"type":"launch",...,"env":{"RANK":"0"}},...], "common_env":{"WORLD_SIZE":"64",...}}
//   {"start":1,"tasks":{"worker":[...]},"beginnings":{}}
struct CommandList {
  std::string commands;
  // The second line, with the line break before it. The answers to all agents of a gang share it.
  std::shared_ptr<const std::string> gang;
};

// Launches of two gangs do not fit into one answer: those of the second are left for the next.
[[nodiscard]] CommandList encode_commands(Epoch epoch, const Outbox<Command>& commands);

// For Launch::gang_text.
[[nodiscard]] std::shared_ptr<const std::string> encode_gang(const GangFacts& gang);

// Takes what such an answer holds.
struct CommandSink {
  // Called first: whether commands of a master of this epoch are to be read.
  std::function<bool(Epoch)> begin;
  // Takes a command with its number, or why it is not understood.
  std::function<void(Sequence, core::Result<Command>)> take;
};

// Hands out the commands of such an answer one after the other: all at once, a gang's launches are so much memory that
// an agent feels it in each fork that follows. Errors: corrupt, if it is no such list; what came before was handed out.
// refused, if the sink does not want commands of this epoch.
[[nodiscard]] core::Result<void> read_commands(std::string_view body, const CommandSink& sink);

}  // namespace ydl::protocol
