#pragma once

#include "client/launch_target.hpp"
#include "hconf/config.hpp"

#include <memory>

namespace ydl::client {

// Jobs on a YARN cluster: their files are uploaded to HDFS, and their master is an ApplicationMaster.
// Errors: what is missing in the configuration or the user's settings.
[[nodiscard]] core::Result<std::unique_ptr<LaunchTarget>> make_yarn_launch(net::asio::any_io_executor executor,
                                                                           hconf::Config config);

}  // namespace ydl::client
