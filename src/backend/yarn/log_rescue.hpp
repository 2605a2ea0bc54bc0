#pragma once

#include "backend/yarn/yarn_machine.hpp"
#include "hconf/host_port.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"
#include "yarn/records.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// A container that is killed takes its agent with it, and the last lines of its task's logs have not been copied to
// HDFS yet. They are often the ones that say why. The NodeManager still has them.
namespace ydl::backend {

struct ServedLog {
  std::uint64_t length = 0;  // of the whole log
  std::string_view end;      // its last bytes: as many as were asked for, or all
};

// The answer of a NodeManager's log service. Pure. Errors: corrupt.
[[nodiscard]] core::Result<ServedLog> parse_served_log(std::string_view answer);

struct CutLogs {
  yarn::ContainerId container;
  hconf::HostPort node_http;  // numeric
  std::string user;
  std::string copies;  // the folder on HDFS
};

// Takes no longer than some seconds. Errors: why the copies may lack their ends.
[[nodiscard]] net::Async<> complete_logs(hdfs::FileSystem& fs, CutLogs logs);

// The state of a container by the web service of its NodeManager, for a master that has no token for that node.
// Errors: the service does not answer, or refuses.
[[nodiscard]] net::Async<YarnMachine::Found> container_on_page(std::string page, yarn::ContainerId id);

}  // namespace ydl::backend
