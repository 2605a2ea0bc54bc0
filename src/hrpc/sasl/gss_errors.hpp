#pragma once

#include "core/error.hpp"

#include <gssapi/gssapi.h>
#include <string>

namespace ydl::hrpc::sasl {

// The server and our credentials, for the message.
struct GssPlace {
  std::string server;  // "nn/host1@EXAMPLE.ORG"
  std::string source;  // "FILE:/tmp/krb5cc_1000", "the keytab /etc/x.keytab"
};

// A failed GSSAPI call as an Error with a remedy.
[[nodiscard]] core::Error gss_error(OM_uint32 major, OM_uint32 minor, const GssPlace& place);

}  // namespace ydl::hrpc::sasl
