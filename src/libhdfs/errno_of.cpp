#include "libhdfs/errno_of.hpp"

#include "core/error.hpp"
#include "hdfs/errors.hpp"
#include "hrpc/errors.hpp"

#include <cerrno>

namespace ydl::libhdfs {
namespace {

int of_core(core::Errc code) {
  switch (code) {
    case core::Errc::usage:
      return EINVAL;
    case core::Errc::not_found:
      return ENOENT;
    case core::Errc::exists:
      return EEXIST;
    case core::Errc::refused:
      return EACCES;
    case core::Errc::unavailable:
      return EHOSTUNREACH;
    case core::Errc::timeout:
      return ETIMEDOUT;
    case core::Errc::cancelled:
      return EINTR;
    case core::Errc::no_capacity:
      return ENOSPC;
    case core::Errc::corrupt:
    case core::Errc::io:
      break;
  }
  return EIO;
}

int of_hdfs(hdfs::Errc code) {
  switch (code) {
    case hdfs::Errc::unsupported:
      return ENOTSUP;
    case hdfs::Errc::closed:
      return EBADF;
    case hdfs::Errc::no_datanodes:
      return ENOSPC;
    default:
      return EIO;
  }
}

int of_hrpc(hrpc::Errc code) {
  using hrpc::Errc;
  switch (code) {
    case Errc::unreachable:
    case Errc::standby:
    case Errc::retriable:
      return EHOSTUNREACH;
    case Errc::timed_out:
      return ETIMEDOUT;
    case Errc::unauthenticated:
    case Errc::security_refused:
    case Errc::access_denied:
    case Errc::invalid_token:
      return EACCES;
    case Errc::safe_mode:
      return EROFS;
    case Errc::not_found:
      return ENOENT;
    case Errc::exists:
      return EEXIST;
    case Errc::not_a_directory:
      return ENOTDIR;
    case Errc::is_a_directory:
      return EISDIR;
    case Errc::not_empty:
      return ENOTEMPTY;
    case Errc::invalid_path:
    case Errc::invalid_request:
      return EINVAL;
    case Errc::quota_exceeded:
      return EDQUOT;
    case Errc::lease_conflict:
      return EBUSY;
    case Errc::lease_lost:
      return ESTALE;
    case Errc::no_such_method:
    case Errc::unsupported:
      return ENOTSUP;
    default:
      return EIO;
  }
}

}  // namespace

int errno_of(const std::error_code& code) {
  if (code.category() == core::error_category()) return of_core(static_cast<core::Errc>(code.value()));
  if (code.category() == hdfs::error_category()) return of_hdfs(static_cast<hdfs::Errc>(code.value()));
  if (code.category() == hrpc::error_category()) return of_hrpc(static_cast<hrpc::Errc>(code.value()));
  const bool is_errno = code.category() == std::generic_category() || code.category() == std::system_category();
  return is_errno && code.value() > 0 ? code.value() : EIO;
}

}  // namespace ydl::libhdfs
