#include "cli/args/parse.hpp"

#include <filesystem>

namespace ydl::cli {

core::Result<Command> parse(std::string_view program, std::vector<std::string> arguments) {
  const auto name = std::filesystem::path(program).filename().string();
  return name == "ydl-mx" ? parse_mx(std::move(arguments)) : parse_ydl(std::move(arguments));
}

}  // namespace ydl::cli
