#include "hdfs/explain.hpp"

#include "hdfs/errors.hpp"
#include "hrpc/errors.hpp"

#include <string>

namespace ydl::hdfs {
namespace {

std::string_view remedy(std::error_code code) {
  if (code == hdfs::Errc::no_datanodes) {
    return "check with 'hdfs dfsadmin -report' whether enough DataNodes are alive and have free space";
  }
  if (code.category() != hrpc::error_category()) return {};
  switch (static_cast<hrpc::Errc>(code.value())) {
    case hrpc::Errc::safe_mode:
      return "the NameNode is read-only in safe mode: wait until enough DataNodes have reported, or check 'hdfs "
             "dfsadmin -safemode get'";
    case hrpc::Errc::quota_exceeded:
      return "delete files in the directory with the quota, or ask the administrator for a larger quota";
    case hrpc::Errc::access_denied:
      return "ask the owner for permission, or use another user (HADOOP_USER_NAME, or with Kerberos another ticket)";
    case hrpc::Errc::lease_conflict:
      return "another client is writing the file: wait until it closes the file";
    case hrpc::Errc::lease_lost:
      return "the file was deleted or taken over by another client while it was being written";
    case hrpc::Errc::invalid_token:
      return "the token has expired or was cancelled: get a new one";
    default:
      return {};
  }
}

// addBlock throws a plain IOException when no DataNode can store a block, so the error is recognised by its text.
bool means_no_datanodes(const core::Error& error) {
  return error.remote && error.remote->type == "java.io.IOException" &&
         (error.remote->message.find("could only be written to") != std::string::npos ||
          error.remote->message.find("could only be replicated to") != std::string::npos);
}

}  // namespace

core::Error explain(core::Error error, std::string_view place) {
  if (means_no_datanodes(error)) error.code = hdfs::Errc::no_datanodes;
  if (error.remote && error.remote->type.ends_with("UnknownCryptoProtocolVersionException")) {
    error.code = hdfs::Errc::unsupported;
    error.message = "the file is in an encryption zone, and encrypted files are not supported";
  }
  if (const auto help = remedy(error.code); !help.empty()) {
    error.message += "; ";
    error.message += help;
  }
  return std::move(error).within(place);
}

}  // namespace ydl::hdfs
