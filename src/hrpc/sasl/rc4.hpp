#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

namespace ydl::hrpc::sasl {

// The RC4 stream cipher. Some clusters still use it (dfs.encrypt.data.transfer.algorithm), but OpenSSL has it in a
// module that a static binary cannot load. The stream continues from call to call.
class Rc4 {
 public:
  explicit Rc4(std::string_view key) {
    std::iota(box_.begin(), box_.end(), std::uint8_t{0});
    std::uint8_t j = 0;
    for (std::size_t i = 0; i < box_.size(); ++i) {
      j = static_cast<std::uint8_t>(j + box_[i] + static_cast<unsigned char>(key[i % key.size()]));
      std::swap(box_[i], box_[j]);
    }
  }

  // Encrypts or decrypts in place; both are the same operation.
  void apply(std::string& bytes) {
    for (char& byte : bytes) {
      i_ = static_cast<std::uint8_t>(i_ + 1);
      j_ = static_cast<std::uint8_t>(j_ + box_[i_]);
      std::swap(box_[i_], box_[j_]);
      const auto key = box_[static_cast<std::uint8_t>(box_[i_] + box_[j_])];
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ key);
    }
  }

 private:
  std::array<std::uint8_t, 256> box_{};
  std::uint8_t i_ = 0;
  std::uint8_t j_ = 0;
};

}  // namespace ydl::hrpc::sasl
