#pragma once

#include "core/result.hpp"
#include "pslite/meta.hpp"

#include <cstddef>
#include <string>
#include <string_view>

// PBMeta, PBControl and PBNode of ps-lite (protobuf 2) by hand: three messages of scalars do not carry a protobuf
// library into the binary.
//
//   PBMeta     1 int32 head         2 bytes body        3 PBControl control   4 bool request
//              5 bool push          6 bool simple_app   7 int32 app_id        8 int32 timestamp
//              9 int32 data_type, packed                10 int32 customer_id  11 int32 data_size
//              12 bool pull         13 int32 priority
//   PBControl  1 int32 cmd (required)   2 PBNode node, repeated   3 int32 barrier_group   4 uint64 msg_sig
//   PBNode     1 int32 role (required)  2 int32 id    3 string hostname   4 int32 port
//              5 bool is_recovery       10 int32 customer_id
namespace ydl::pslite {

struct MetaLimits {
  std::size_t nodes = 16'384;
  std::size_t host_bytes = 255;
  std::size_t body_bytes = std::size_t{64} << 10U;
  std::size_t data_types = 1'024;
};

// The bytes as ps-lite itself would write them: fields in order of number, booleans and priority always, app id and
// timestamp only when they are there, head, customer and node id as INT_MAX when they are not.
[[nodiscard]] std::string encode(const Meta& meta);

// Unknown fields are skipped. A wrong wire type, a value out of its range, a missing required field, an unknown role
// or command, or more of anything than `limits` allows is an Error with Errc::corrupt.
[[nodiscard]] core::Result<Meta> decode_meta(std::string_view bytes, const MetaLimits& limits = {});

}  // namespace ydl::pslite
