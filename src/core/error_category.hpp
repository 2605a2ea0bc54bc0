#pragma once

#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace ydl::core {

// A short description of one value of an error enum.
struct ErrorText {
  template <class Code>
  constexpr ErrorText(Code code_, std::string_view text_) : code(static_cast<int>(code_)), text(text_) {}
  int code;
  std::string_view text;
};

// The category of one module's error enum. `texts` must live as long as the program.
class TableCategory final : public std::error_category {
 public:
  constexpr TableCategory(const char* name, std::span<const ErrorText> texts) : name_(name), texts_(texts) {}

  [[nodiscard]] const char* name() const noexcept override { return name_; }
  [[nodiscard]] std::string message(int value) const override {
    for (const auto& each : texts_) {
      if (each.code == value) return std::string(each.text);
    }
    return "error " + std::to_string(value);
  }

 private:
  const char* name_;
  std::span<const ErrorText> texts_;
};

}  // namespace ydl::core
