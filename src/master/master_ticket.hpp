#pragma once

#include "core/result.hpp"
#include "net/tls.hpp"

#include <map>
#include <string>
#include <string_view>

namespace ydl::master {

// What an ApplicationMaster must know before it can ask anybody. It travels as JSON among the secrets of its
// container's credentials, under the alias kMasterTicket.
struct MasterTicket {
  std::string folder;                         // the job's, on HDFS
  std::string user;                           // whom HDFS knows it as
  std::map<std::string, std::string> hadoop;  // hconf/portable.hpp
  std::string job_key = {};                   // protocol/job_keys.hpp
  net::Identity identity = {};                // of the master, so that one that is restarted is known
};
inline constexpr std::string_view kMasterTicket = "ydl.master";

[[nodiscard]] std::string encode_ticket(const MasterTicket& ticket);
// Errors: corrupt; refused for another version.
[[nodiscard]] core::Result<MasterTicket> decode_ticket(std::string_view text);

}  // namespace ydl::master
