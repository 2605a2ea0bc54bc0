#include "master/journal_errors.hpp"

#include "hrpc/errors.hpp"

namespace ydl::master {

std::string journal_remedy(const core::Error& error) {
  if (error.code == core::Errc::corrupt) return "; 'hdfs fsck' on that file shows which DataNodes have lost its data";
  if (error.code.category() != hrpc::error_category()) return "";
  switch (static_cast<hrpc::Errc>(error.code.value())) {
    case hrpc::Errc::access_denied:
      return "; restore the write permission of the job's owner in the job's folder (hdfs dfs -chmod, -chown)";
    case hrpc::Errc::quota_exceeded:
      return "; free space there, or raise the quota (hdfs dfsadmin -setQuota, -setSpaceQuota)";
    case hrpc::Errc::not_found:
    case hrpc::Errc::not_a_directory:
      return "; files of the running job were deleted and cannot be restored: copy the files that its tasks have "
             "written, "
             "or stop the job";
    default:
      return "";
  }
}

bool lasts(const core::Error& error) {
  return !journal_remedy(error).empty();
}

}  // namespace ydl::master
