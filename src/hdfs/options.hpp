#pragma once

#include "core/clock.hpp"
#include "hdfs/checksum.hpp"
#include "hrpc/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ydl::hdfs {

// How data connections are opened and protected.
struct TransferOptions {
  bool use_hostname = false;                       // dfs.client.use.datanode.hostname
  core::Millis socket_timeout{60'000};             // dfs.client.socket-timeout
  core::Millis write_timeout{480'000};             // dfs.datanode.socket.write.timeout
  core::Millis per_node_extra{5'000};              // what each further DataNode of a pipeline adds
  core::Millis keep_idle{3'000};                   // dfs.client.socketcache.expiryMsec; DataNodes close after 4 s
  std::vector<hrpc::Protection> protections = {};  // dfs.data.transfer.protection; empty: no handshake
  bool offer_aes = false;                          // dfs.encrypt.data.transfer.cipher.suites names AES/CTR/NoPadding
  std::string datanode_principal = {};             // dfs.datanode.kerberos.principal: of the RPC port
};

// dfs.client.block.write.replace-datanode-on-failure.*
struct ReplaceOptions {
  bool enabled = true;
  enum class Policy { normal, never, always } policy = Policy::normal;  // DEFAULT, NEVER, ALWAYS
  bool best_effort = false;
};

// A file system: its NameNode or HA group, and what this client prefers.
struct Options {
  hrpc::ClientOptions namenode;
  std::string authority;  // of hdfs://AUTHORITY, for messages and URIs
  TransferOptions transfer;
  ReplaceOptions replace;
  std::uint32_t umask = 022;                   // fs.permissions.umask-mode
  std::optional<std::uint32_t> replication;    // dfs.replication; nothing: the server's default
  std::optional<std::uint64_t> block_size;     // dfs.blocksize
  std::optional<std::uint32_t> packet_bytes;   // dfs.client-write-packet-size
  std::optional<ChecksumType> checksum_type;   // dfs.checksum.type
  std::optional<std::uint32_t> chunk_bytes;    // dfs.bytes-per-checksum
  std::optional<core::Millis> trash_interval;  // fs.trash.interval; used where the server has none
  int block_write_retries = 3;                 // dfs.client.block.write.retries
  int locate_block_retries = 5;                // dfs.client.block.write.locateFollowingBlock.retries
  core::Millis locate_block_delay{400};        // ...locateFollowingBlock.initial.delay.ms
  int acquire_block_failures = 3;              // dfs.client.max.block.acquire.failures
  core::Millis lease_interval{30'000};
};

}  // namespace ydl::hdfs
