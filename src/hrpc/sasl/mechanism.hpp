#pragma once

#include "core/result.hpp"
#include "hrpc/options.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace ydl::hrpc::sasl {

// One side of a SASL exchange and what it does to the bytes afterwards. No I/O: who owns it carries the messages.
class Mechanism {
 public:
  Mechanism() = default;
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;
  virtual ~Mechanism() = default;

  // The answer to the server's challenge; the challenge that comes with success goes through here too and its answer
  // is empty. Errors: unauthenticated, corrupt.
  [[nodiscard]] virtual core::Result<std::string> step(std::string_view challenge) = 0;

  // Both sides are satisfied. Success from the server before that is a fault.
  [[nodiscard]] virtual bool complete() const = 0;

  // What was agreed; meaningful once complete.
  [[nodiscard]] virtual Protection protection() const = 0;

  // With integrity or privacy every piece goes through these, in order: they count. A piece to wrap has at most
  // max_plaintext() bytes. Errors of unwrap: corrupt (a byte was changed, or a message lost or repeated).
  [[nodiscard]] virtual core::Result<std::string> wrap(std::string_view plain) = 0;
  [[nodiscard]] virtual core::Result<std::string> unwrap(std::string_view wrapped) = 0;
  [[nodiscard]] virtual std::size_t max_plaintext() const = 0;
};

}  // namespace ydl::hrpc::sasl
