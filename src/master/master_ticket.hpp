#pragma once

#include "core/result.hpp"
#include "net/tls.hpp"

#include <map>
#include <string>
#include <string_view>

namespace ydl::master {

// What an ApplicationMaster needs before it can connect to the cluster. It is a JSON text in the credentials of its
// container, under the alias kMasterTicket.
struct MasterTicket {
  std::string folder;                         // of the job in HDFS
  std::string user;                           // its user name in HDFS
  std::map<std::string, std::string> hadoop;  // hconf/portable.hpp
  std::string job_key = {};                   // protocol/job_keys.hpp
  net::Identity identity = {};                // the same for a restarted master, so that clients recognise it
};
inline constexpr std::string_view kMasterTicket = "ydl.master";

[[nodiscard]] std::string encode_ticket(const MasterTicket& ticket);
// Errors: corrupt; refused for another version.
[[nodiscard]] core::Result<MasterTicket> decode_ticket(std::string_view text);

}  // namespace ydl::master
