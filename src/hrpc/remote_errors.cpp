// The only table that maps Java exception classes of servers to our errors.
#include "hrpc/errors.hpp"

#include <algorithm>
#include <array>

namespace ydl::hrpc {
namespace {

struct Row {
  std::string_view java_class;
  Errc meaning;
};

constexpr auto kTable = std::to_array<Row>({
    {"java.io.FileNotFoundException", Errc::not_found},
    {"java.lang.IllegalArgumentException", Errc::invalid_request},
    {"java.lang.UnsupportedOperationException", Errc::unsupported},
    {"javax.security.sasl.SaslException", Errc::unauthenticated},
    {"org.apache.hadoop.HadoopIllegalArgumentException", Errc::invalid_request},
    {"org.apache.hadoop.fs.FileAlreadyExistsException", Errc::exists},
    {"org.apache.hadoop.fs.InvalidPathException", Errc::invalid_path},
    {"org.apache.hadoop.fs.ParentNotDirectoryException", Errc::not_a_directory},
    {"org.apache.hadoop.fs.PathIsDirectoryException", Errc::is_a_directory},
    {"org.apache.hadoop.fs.PathIsNotDirectoryException", Errc::not_a_directory},
    {"org.apache.hadoop.fs.PathIsNotEmptyDirectoryException", Errc::not_empty},
    {"org.apache.hadoop.fs.UnresolvedLinkException", Errc::unsupported},
    {"org.apache.hadoop.fs.permission.AccessControlException", Errc::access_denied},
    {"org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException", Errc::lease_conflict},
    {"org.apache.hadoop.hdfs.protocol.DSQuotaExceededException", Errc::quota_exceeded},
    {"org.apache.hadoop.hdfs.protocol.FSLimitException$MaxDirectoryItemsExceededException", Errc::quota_exceeded},
    {"org.apache.hadoop.hdfs.protocol.FSLimitException$PathComponentTooLongException", Errc::invalid_path},
    {"org.apache.hadoop.hdfs.protocol.NSQuotaExceededException", Errc::quota_exceeded},
    {"org.apache.hadoop.hdfs.protocol.QuotaByStorageTypeExceededException", Errc::quota_exceeded},
    {"org.apache.hadoop.hdfs.protocol.QuotaExceededException", Errc::quota_exceeded},
    {"org.apache.hadoop.hdfs.protocol.RecoveryInProgressException", Errc::lease_conflict},
    {"org.apache.hadoop.hdfs.protocol.UnresolvedPathException", Errc::unsupported},
    {"org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException", Errc::lease_lost},
    {"org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException", Errc::not_yet_replicated},
    {"org.apache.hadoop.hdfs.server.namenode.SafeModeException", Errc::safe_mode},
    {"org.apache.hadoop.ipc.ObserverRetryOnActiveException", Errc::standby},
    {"org.apache.hadoop.ipc.RPC$VersionMismatch", Errc::no_such_method},
    {"org.apache.hadoop.ipc.RetriableException", Errc::retriable},
    {"org.apache.hadoop.ipc.RpcNoSuchMethodException", Errc::no_such_method},
    {"org.apache.hadoop.ipc.RpcNoSuchProtocolException", Errc::no_such_method},
    {"org.apache.hadoop.ipc.StandbyException", Errc::standby},
    {"org.apache.hadoop.security.AccessControlException", Errc::access_denied},
    {"org.apache.hadoop.security.authorize.AuthorizationException", Errc::access_denied},
    {"org.apache.hadoop.security.token.SecretManager$InvalidToken", Errc::invalid_token},
    {"org.apache.hadoop.yarn.exceptions.ApplicationAttemptNotFoundException", Errc::not_registered},
    {"org.apache.hadoop.yarn.exceptions.ApplicationMasterNotRegisteredException", Errc::not_registered},
    {"org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException", Errc::not_found},
    {"org.apache.hadoop.yarn.exceptions.ContainerNotFoundException", Errc::not_found},
    {"org.apache.hadoop.yarn.exceptions.InvalidApplicationMasterRequestException", Errc::invalid_request},
    {"org.apache.hadoop.yarn.exceptions.InvalidContainerReleaseException", Errc::invalid_request},
    {"org.apache.hadoop.yarn.exceptions.InvalidLabelResourceRequestException", Errc::invalid_request},
    {"org.apache.hadoop.yarn.exceptions.InvalidResourceBlacklistRequestException", Errc::invalid_request},
    {"org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException", Errc::invalid_request},
    {"org.apache.hadoop.yarn.exceptions.NMNotYetReadyException", Errc::retriable},
    {"org.apache.hadoop.yarn.exceptions.SchedulerInvalidResoureRequestException", Errc::invalid_request},
});
static_assert(std::ranges::is_sorted(kTable, {}, &Row::java_class));

}  // namespace

Errc meaning_of(std::string_view java_class) {
  const auto* row = std::ranges::lower_bound(kTable, java_class, {}, &Row::java_class);
  return row != kTable.end() && row->java_class == java_class ? row->meaning : Errc::remote;
}

}  // namespace ydl::hrpc
