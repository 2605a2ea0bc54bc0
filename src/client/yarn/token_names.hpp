#pragma once

#include "hconf/config.hpp"
#include "hconf/services.hpp"
#include "net/asio.hpp"
#include "yarn/credentials.hpp"

#include <string>
#include <vector>

namespace ydl::client {

// The service names of a token of this name service: first the name that Java looks for and by which the
// ResourceManager finds the NameNode, then the alternative (address or host name). Errors: those of the resolver.
[[nodiscard]] net::Async<std::vector<std::string>> token_names(hconf::Config config, hconf::NameService service);

// Adds a token of HDFS under all of its names, so that it is found with each of them. Pure.
void add_names(yarn::Credentials& credentials, const std::vector<std::string>& names);

}  // namespace ydl::client
