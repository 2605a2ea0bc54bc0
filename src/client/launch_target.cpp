#include "client/launch_target.hpp"

#include "client/local/local_launch.hpp"
#include "client/yarn/yarn_launch.hpp"

namespace ydl::client {

core::Result<std::unique_ptr<LaunchTarget>> make_launch_target(net::asio::any_io_executor executor,
                                                               const ClusterChoice& choice) {
  switch (choice.cluster) {
    case core::ClusterKind::yarn:
      return make_yarn_launch(std::move(executor), *choice.hadoop);
    case core::ClusterKind::local:
      break;
  }
  return make_local_launch();
}

}  // namespace ydl::client
