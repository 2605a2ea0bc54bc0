#include "client/command_errors.hpp"

#include <system_error>
#include <utility>

namespace ydl::client {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "ydl.command"; }
  std::string message(int code) const override {
    return code == static_cast<int>(CommandErrc::not_executable) ? "the command is not executable"
                                                                 : "the command does not exist";
  }
};

const Category kCategory;

}  // namespace

core::Error command_error(CommandErrc code, std::string message) {
  return {std::error_code(static_cast<int>(code), kCategory), std::move(message)};
}

int command_exit_code(const core::Error& error) {
  return error.code.category() == kCategory ? error.code.value() : 0;
}

}  // namespace ydl::client
