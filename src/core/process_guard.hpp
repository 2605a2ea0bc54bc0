#pragma once

#include <optional>
#include <sys/resource.h>
#include <sys/types.h>

// Processes of ydl hold keys and tokens. What they leave behind, and what others can see of them, is closed here; the
// programs that they start get what the user had set.
namespace ydl::core {

// From now on this process leaves no core file, and its memory, environment and descriptors are closed to every process
// but root's (PR_SET_DUMPABLE): another program of the same user cannot read a key from it.
void guard_memory();

// New files and directories of this process are the user's alone (umask 077), unless their mode is set explicitly.
void guard_files();

// The umask from before guard_files(), for a task of the user and for what a command writes on the user's behalf;
// nothing where it was not changed.
[[nodiscard]] std::optional<mode_t> original_umask();
// The limit of core files from before guard_memory(); nothing where it was not changed.
[[nodiscard]] std::optional<rlimit> original_core_limit();

}  // namespace ydl::core
