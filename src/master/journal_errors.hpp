#pragma once

#include "core/error.hpp"

#include <string>

namespace ydl::master {

// Whether HDFS answers but cannot store the journal without action by a user: its file was deleted, permission or space
// is missing, or acknowledged data is lost.
[[nodiscard]] bool lasts(const core::Error& error);

// The remedy: "; free space there ...". Empty for a temporary failure.
[[nodiscard]] std::string journal_remedy(const core::Error& error);

}  // namespace ydl::master
