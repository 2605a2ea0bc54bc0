#pragma once

#include "backend/yarn/yarn_machine.hpp"
#include "hconf/host_port.hpp"
#include "hdfs/file_system.hpp"
#include "net/asio.hpp"
#include "yarn/records.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// If a container is killed, its agent is killed too and cannot copy the last lines of the task's logs to HDFS. These
// lines often contain the cause. The NodeManager still has them.
namespace ydl::backend {

struct ServedLog {
  std::uint64_t length = 0;  // of the whole log
  std::string_view end;      // its last bytes: as many as requested, or all
};

// Parses the answer of a NodeManager's log service. Pure. Errors: corrupt.
[[nodiscard]] core::Result<ServedLog> parse_served_log(std::string_view answer);

struct CutLogs {
  yarn::ContainerId container;
  hconf::HostPort node_http;  // numeric
  std::string user;
  std::string copies;  // the folder on HDFS
};

// Completes the copies in HDFS. Takes a few seconds at most. Errors: why the ends of the copies may be missing.
[[nodiscard]] net::Async<> complete_logs(hdfs::FileSystem& fs, CutLogs logs);

// Reads the state of a container from the web service of its NodeManager, for a master without a token for that node.
// Errors: the service does not answer, or refuses.
[[nodiscard]] net::Async<YarnMachine::Found> container_on_page(std::string page, yarn::ContainerId id);

}  // namespace ydl::backend
