#pragma once

#include <optional>
#include <sys/resource.h>
#include <sys/types.h>

// Protects the keys and tokens in ydl's processes: other users and programs can read neither their memory nor their
// files. Programs that ydl starts get the user's original settings back.
namespace ydl::core {

// Disables core files and makes the memory, environment and descriptors of this process inaccessible to every process
// except root's (PR_SET_DUMPABLE). Even another program of the same user cannot read a key from it.
void guard_memory();

// Makes new files and directories accessible to the user only (umask 077), unless their mode is set explicitly.
void guard_files();

// The umask before guard_files(), for the user's tasks and for files that a command writes for the user; empty if it
// was not changed.
[[nodiscard]] std::optional<mode_t> original_umask();
// The limit of core files before guard_memory(); empty if it was not changed.
[[nodiscard]] std::optional<rlimit> original_core_limit();

}  // namespace ydl::core
