#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace ydl::core {

// Computes SHA-256 over bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();

  void add(std::string_view bytes);
  // In lower-case hexadecimal. Ends the computation: add() must not be called afterwards.
  [[nodiscard]] std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace ydl::core
