#pragma once

#include "core/error.hpp"

#include <string>

namespace ydl::master {

// Whether HDFS answers, and will not take the journal until a person does something: its file is gone, permission or
// room are missing, or what it had acknowledged is lost.
[[nodiscard]] bool lasts(const core::Error& error);

// What to do about it: "; make room there ...". Empty for a failure that passes.
[[nodiscard]] std::string journal_remedy(const core::Error& error);

}  // namespace ydl::master
