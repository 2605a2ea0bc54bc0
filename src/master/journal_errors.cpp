#include "master/journal_errors.hpp"

#include "hrpc/errors.hpp"

namespace ydl::master {

std::string journal_remedy(const core::Error& error) {
  if (error.code == core::Errc::corrupt) return "; 'hdfs fsck' on that file shows which DataNodes have lost it";
  if (error.code.category() != hrpc::error_category()) return "";
  switch (static_cast<hrpc::Errc>(error.code.value())) {
    case hrpc::Errc::access_denied:
      return "; give the job's owner write permission in the job's folder again (hdfs dfs -chmod, -chown)";
    case hrpc::Errc::quota_exceeded:
      return "; make room there, or raise the quota (hdfs dfsadmin -setQuota, -setSpaceQuota)";
    case hrpc::Errc::not_found:
    case hrpc::Errc::not_a_directory:
      return "; somebody has deleted files of the running job, and nothing puts them back: copy what its tasks write "
             "elsewhere, or stop the job";
    default:
      return "";
  }
}

bool lasts(const core::Error& error) {
  return !journal_remedy(error).empty();
}

}  // namespace ydl::master
