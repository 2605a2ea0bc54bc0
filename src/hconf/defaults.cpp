// Every key that ydl reads, with its default in Hadoop 3.4.1. docs/hadoop-config.md describes each key, and a test
// compares the document with this table.
#include "hconf/config.hpp"

#include <algorithm>
#include <array>

namespace ydl::hconf {
namespace {

constexpr auto kKeys = std::to_array<KnownKey>({
    {"dfs.blocksize", "134217728"},
    {"dfs.bytes-per-checksum", "512"},
    {"dfs.checksum.type", "CRC32C"},
    {"dfs.client-write-packet-size", "65536"},
    {"dfs.client.block.write.locateFollowingBlock.initial.delay.ms", "400"},
    {"dfs.client.block.write.locateFollowingBlock.retries", "5"},
    {"dfs.client.block.write.replace-datanode-on-failure.best-effort", "false"},
    {"dfs.client.block.write.replace-datanode-on-failure.enable", "true"},
    {"dfs.client.block.write.replace-datanode-on-failure.policy", "DEFAULT"},
    {"dfs.client.block.write.retries", "3"},
    {"dfs.client.failover.max.attempts", "15"},
    {"dfs.client.failover.proxy.provider.<nameservice>", ""},
    {"dfs.client.failover.random.order", "true"},
    {"dfs.client.failover.sleep.base.millis", "500"},
    {"dfs.client.failover.sleep.max.millis", "15000"},
    {"dfs.client.max.block.acquire.failures", "3"},
    {"dfs.client.retry.max.attempts", "10"},
    {"dfs.client.socket-timeout", "60000"},
    {"dfs.client.use.datanode.hostname", "false"},
    {"dfs.data.transfer.protection", ""},
    {"dfs.data.transfer.protection.<nameservice>", ""},
    {"dfs.datanode.kerberos.principal", ""},
    {"dfs.datanode.kerberos.principal.<nameservice>", ""},
    {"dfs.datanode.socket.write.timeout", "480000"},
    {"dfs.encrypt.data.transfer.cipher.suites", ""},
    {"dfs.ha.namenodes.<nameservice>", ""},
    {"dfs.namenode.kerberos.principal", ""},
    {"dfs.namenode.kerberos.principal.<nameservice>", ""},
    {"dfs.namenode.kerberos.principal.pattern", ""},
    {"dfs.namenode.kerberos.principal.pattern.<nameservice>", ""},
    {"dfs.namenode.rpc-address.<nameservice>", ""},
    {"dfs.namenode.rpc-address.<nameservice>.<id>", ""},
    {"dfs.nameservices", ""},
    {"dfs.replication", "3"},
    {"fs.defaultFS", "file:///"},
    {"fs.permissions.umask-mode", "022"},
    {"fs.trash.interval", "0"},
    {"fs.viewfs.mounttable.<table>.link.<path>", ""},
    {"fs.viewfs.mounttable.<table>.linkFallback", ""},
    {"fs.viewfs.mounttable.<table>.linkMergeSlash", ""},
    {"hadoop.rpc.protection", "authentication"},
    {"hadoop.rpc.protection.<nameservice>", ""},
    {"hadoop.security.authentication", "simple"},
    {"hadoop.security.token.service.use_ip", "true"},
    {"hadoop.tmp.dir", "/tmp/hadoop-${user.name}"},
    {"ipc.client.connect.max.retries", "10"},
    {"ipc.client.connect.retry.interval", "1000"},
    {"ipc.client.connect.timeout", "20000"},
    {"ipc.client.connection.maxidletime", "10000"},
    {"ipc.client.fallback-to-simple-auth-allowed", "false"},
    {"ipc.client.rpc-timeout.ms", "120000"},
    {"ipc.maximum.response.length", "134217728"},
    {"ipc.ping.interval", "60000"},
    {"yarn.acl.enable", "false"},
    {"yarn.am.liveness-monitor.expiry-interval-ms", "900000"},
    {"yarn.client.failover-max-attempts", "-1"},
    {"yarn.client.failover-sleep-base-ms", "-1"},
    {"yarn.client.failover-sleep-max-ms", "-1"},
    {"yarn.client.nodemanager-connect.max-wait-ms", "180000"},
    {"yarn.client.nodemanager-connect.retry-interval-ms", "10000"},
    {"yarn.http.policy", "HTTP_ONLY"},
    {"yarn.nm.liveness-monitor.expiry-interval-ms", "600000"},
    {"yarn.nodemanager.container-executor.class", ""},
    {"yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users", "true"},
    {"yarn.nodemanager.linux-container-executor.nonsecure-mode.local-user", "nobody"},
    {"yarn.nodemanager.runtime.linux.allowed-runtimes", "default"},
    {"yarn.nodemanager.vmem-check-enabled", "true"},
    {"yarn.nodemanager.vmem-pmem-ratio", "2.1"},
    {"yarn.resourcemanager.address", "${yarn.resourcemanager.hostname}:8032"},
    {"yarn.resourcemanager.address.<id>", ""},
    {"yarn.resourcemanager.am.global.max-attempts", ""},
    {"yarn.resourcemanager.am.max-attempts", "2"},
    {"yarn.resourcemanager.application-https.policy", "NONE"},
    {"yarn.resourcemanager.connect.max-wait.ms", "900000"},
    {"yarn.resourcemanager.connect.retry-interval.ms", "30000"},
    {"yarn.resourcemanager.delegation-token.max-conf-size-bytes", "12800"},
    {"yarn.resourcemanager.ha.enabled", "false"},
    {"yarn.resourcemanager.ha.rm-ids", ""},
    {"yarn.resourcemanager.hostname", "0.0.0.0"},
    {"yarn.resourcemanager.hostname.<id>", ""},
    {"yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "15000"},
    {"yarn.resourcemanager.principal", ""},
    {"yarn.resourcemanager.principal.pattern", ""},
    {"yarn.resourcemanager.scheduler.address", "${yarn.resourcemanager.hostname}:8030"},
    {"yarn.resourcemanager.scheduler.address.<id>", ""},
    {"yarn.resourcemanager.webapp.address", "${yarn.resourcemanager.hostname}:8088"},
    {"yarn.resourcemanager.webapp.address.<id>", ""},
    {"yarn.resourcemanager.webapp.https.address", "${yarn.resourcemanager.hostname}:8090"},
    {"yarn.resourcemanager.webapp.https.address.<id>", ""},
    {"yarn.scheduler.fair.waitTimeBeforeKill", "15000"},
    {"yarn.web-proxy.address", ""},
});
static_assert(std::ranges::is_sorted(kKeys, {}, &KnownKey::name));

struct Renamed {
  std::string_view old_name;
  std::string_view name;
};
// Deprecated names that the files of real clusters still contain.
constexpr auto kRenamed = std::to_array<Renamed>({
    {"dfs.block.size", "dfs.blocksize"},
    {"dfs.federation.nameservices", "dfs.nameservices"},
    {"dfs.socket.timeout", "dfs.client.socket-timeout"},
    {"dfs.umask", "fs.permissions.umask-mode"},
    {"dfs.umaskmode", "fs.permissions.umask-mode"},
    {"dfs.write.packet.size", "dfs.client-write-packet-size"},
    {"fs.default.name", "fs.defaultFS"},
    {"io.bytes.per.checksum", "dfs.bytes-per-checksum"},
});
static_assert(std::ranges::is_sorted(kRenamed, {}, &Renamed::old_name));

}  // namespace

std::optional<std::string_view> default_of(std::string_view key) {
  const auto* found = std::ranges::lower_bound(kKeys, key, {}, &KnownKey::name);
  if (found == kKeys.end() || found->name != key || found->fallback.empty()) return std::nullopt;
  return found->fallback;
}

std::string_view current_name(std::string_view key) {
  const auto* found = std::ranges::lower_bound(kRenamed, key, {}, &Renamed::old_name);
  return found != kRenamed.end() && found->old_name == key ? found->name : key;
}

std::span<const KnownKey> known_keys() {
  return kKeys;
}

}  // namespace ydl::hconf
