#pragma once

#include "hconf/config.hpp"
#include "hconf/services.hpp"
#include "net/asio.hpp"
#include "yarn/credentials.hpp"

#include <string>
#include <vector>

namespace ydl::client {

// What a token of this name service can be called: the name that Java looks for, by which the ResourceManager also
// finds the NameNode, and the other one of address and name. Errors: those of the resolver.
[[nodiscard]] net::Async<std::vector<std::string>> token_names(hconf::Config config, hconf::NameService service);

// Enters a token of HDFS that has one of the names under all of them, so that it is found whichever it was saved with.
// Pure.
void add_names(yarn::Credentials& credentials, const std::vector<std::string>& names);

}  // namespace ydl::client
