#pragma once

#include "agent/numbered_queue.hpp"
#include "agent/protocol.hpp"

#include <functional>

namespace ydl::agent {

// The answer to an agent that asks for commands, as JSON. What all launches in it put into the environment alike is
// written once: the tasks of a gang differ in few variables, and the one that lists them all grows with their number.
//
//   {"commands":[{"seq":7,"type":"launch",...,"env":{"RANK":"0"}},...], "common_env":{"WORLD_SIZE":"64",...}}
[[nodiscard]] std::string encode_commands(const Outbox<Command>& commands);

// Takes a command with its number, or why it is not understood.
using CommandSink = std::function<void(Sequence, core::Result<Command>)>;

// Hands out the commands of such an answer one after the other: all at once, a gang's launches are so much memory that
// an agent feels it in each fork that follows. Errors: corrupt, if it is no such list; what came before was handed out.
[[nodiscard]] core::Result<void> read_commands(std::string_view body, const CommandSink& take);

}  // namespace ydl::agent
