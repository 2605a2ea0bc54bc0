#pragma once

#include "core/error.hpp"

#include <string>
#include <system_error>

namespace ydl::hdfs {

// Why something failed between us and the DataNodes; what the NameNode answers keeps the codes of hrpc/errors.hpp.
enum class Errc {
  access_token = 1,   // the DataNode does not accept the block token: fetch the locations again
  encryption_key,     // the DataNode does not know our encryption key (any more): fetch a new one
  checksum_mismatch,  // the bytes are not those that were written
  datanode_refused,   // the DataNode answered, but not with success
  datanode_lost,      // no connection, or it ended in the middle
  datanode_silent,    // no answer in time
  protocol,           // what came is not the data-transfer protocol
  no_replica,         // no DataNode could give the block
  pipeline,           // no DataNode is left to write to
  no_datanodes,       // the NameNode finds no DataNode for a new block
  unsupported,        // an erasure-coded or encrypted file, a link
  closed,             // the file is closed or its writer has failed before
};

[[nodiscard]] const std::error_category& error_category() noexcept;
[[nodiscard]] std::error_code make_error_code(Errc code) noexcept;

[[nodiscard]] inline core::Error error(Errc code, std::string message) {
  return {make_error_code(code), std::move(message)};
}

}  // namespace ydl::hdfs

template <>
struct std::is_error_code_enum<ydl::hdfs::Errc> : std::true_type {};
