#include "hdfs/explain.hpp"

#include "hdfs/errors.hpp"
#include "hrpc/errors.hpp"

#include <string>

namespace ydl::hdfs {
namespace {

std::string_view remedy(std::error_code code) {
  if (code == hdfs::Errc::no_datanodes) {
    return "are the DataNodes' disks full, or too few DataNodes alive? 'hdfs dfsadmin -report' says";
  }
  if (code.category() != hrpc::error_category()) return {};
  switch (static_cast<hrpc::Errc>(code.value())) {
    case hrpc::Errc::safe_mode:
      return "the NameNode is read-only while it is in safe mode: wait until enough DataNodes have reported, or see "
             "'hdfs dfsadmin -safemode get'";
    case hrpc::Errc::quota_exceeded:
      return "delete something below the directory with the quota, or ask for a larger one";
    case hrpc::Errc::access_denied:
      return "ask the owner for the permission, or work as another user (HADOOP_USER_NAME, or another ticket)";
    case hrpc::Errc::lease_conflict:
      return "another client writes the file: wait until it has closed it";
    case hrpc::Errc::lease_lost:
      return "the file was deleted or taken over by another client while it was being written";
    case hrpc::Errc::invalid_token:
      return "the token has expired or was cancelled: get a new one";
    default:
      return {};
  }
}

// addBlock answers a plain IOException when nobody can take a block.
bool says_no_datanodes(const core::Error& error) {
  return error.remote && error.remote->type == "java.io.IOException" &&
         (error.remote->message.find("could only be written to") != std::string::npos ||
          error.remote->message.find("could only be replicated to") != std::string::npos);
}

}  // namespace

core::Error explain(core::Error error, std::string_view place) {
  if (says_no_datanodes(error)) error.code = hdfs::Errc::no_datanodes;
  if (error.remote && error.remote->type.ends_with("UnknownCryptoProtocolVersionException")) {
    error.code = hdfs::Errc::unsupported;
    error.message = "this is an encryption zone, and files with encryption of their own are not supported";
  }
  if (const auto help = remedy(error.code); !help.empty()) {
    error.message += "; ";
    error.message += help;
  }
  return std::move(error).within(place);
}

}  // namespace ydl::hdfs
