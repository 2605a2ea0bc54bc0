#include "hrpc/token.hpp"

#include "hrpc/proto/security.pb.h"

namespace ydl::hrpc {

Token from_proto(const hadoop::common::TokenProto& proto) {
  return {proto.identifier(), proto.password(), proto.kind(), proto.service()};
}

hadoop::common::TokenProto to_proto(const Token& token) {
  hadoop::common::TokenProto proto;
  proto.set_identifier(token.identifier);
  proto.set_password(token.password);
  proto.set_kind(token.kind);
  proto.set_service(token.service);
  return proto;
}

}  // namespace ydl::hrpc
