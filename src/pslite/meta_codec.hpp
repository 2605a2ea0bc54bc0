#pragma once

#include "core/result.hpp"
#include "pslite/meta.hpp"

#include <cstddef>
#include <string>
#include <string_view>

// Encodes and decodes PBMeta, PBControl and PBNode of ps-lite (protobuf 2) by hand: three messages of scalars do not
// justify another generated library.
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

// Produces the same bytes as ps-lite: fields in order of their number; booleans and priority always; app id and
// timestamp only if present; head, customer and node id as INT_MAX if absent.
[[nodiscard]] std::string encode(const Meta& meta);

// Unknown fields are skipped. Errors: corrupt (a wrong wire type, a value out of range, a missing required field, an
// unknown role or command, a count above `limits`).
[[nodiscard]] core::Result<Meta> decode_meta(std::string_view bytes, const MetaLimits& limits = {});

}  // namespace ydl::pslite
