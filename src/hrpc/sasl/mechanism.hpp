#pragma once

#include "core/result.hpp"
#include "hrpc/options.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace ydl::hrpc::sasl {

// The client side of a SASL exchange, and the protection of bytes after it. Does no I/O: its owner transports the
// messages.
class Mechanism {
 public:
  Mechanism() = default;
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;
  virtual ~Mechanism() = default;

  // The response to a challenge of the server. Also call it with the challenge that arrives with success; the response
  // is then empty. Errors: unauthenticated, security_refused, corrupt.
  [[nodiscard]] virtual core::Result<std::string> step(std::string_view challenge) = 0;

  // Whether both sides are authenticated. If the server reports success earlier, it is an error.
  [[nodiscard]] virtual bool complete() const = 0;

  // The negotiated protection; valid once complete.
  [[nodiscard]] virtual Protection protection() const = 0;

  // With integrity or privacy, all bytes must pass through wrap() and unwrap() in order, because messages are counted.
  // A piece for wrap() has at most max_plaintext() bytes. Errors of unwrap: corrupt (a message was modified, lost or
  // repeated).
  [[nodiscard]] virtual core::Result<std::string> wrap(std::string_view plain) = 0;
  [[nodiscard]] virtual core::Result<std::string> unwrap(std::string_view wrapped) = 0;
  [[nodiscard]] virtual std::size_t max_plaintext() const = 0;
};

}  // namespace ydl::hrpc::sasl
