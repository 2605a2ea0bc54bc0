#include "agent/resources/net_tcp.hpp"

#include "core/strings.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace ydl::agent {
namespace {

// sl  local_address rem_address   st tx_queue:rx_queue tr:tm->when retrnsmt   uid  timeout inode
//  0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1664 1 ...
constexpr std::size_t kLocal = 1;
constexpr std::size_t kState = 3;
constexpr std::size_t kInode = 9;
constexpr std::string_view kListen = "0A";

std::array<std::string_view, kInode + 1> fields(std::string_view line) {
  std::array<std::string_view, kInode + 1> found;
  for (auto& field : found) {
    const auto first = line.find_first_not_of(' ');
    if (first == std::string_view::npos) break;
    line.remove_prefix(first);
    field = line.substr(0, line.find(' '));
    line.remove_prefix(field.size());
  }
  return found;
}

std::optional<unsigned> port_of(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto text = address.substr(colon + 1);
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

}  // namespace

std::vector<std::uint64_t> listening_inodes(std::string_view text, std::uint16_t port) {
  std::vector<std::uint64_t> inodes;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = fields(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line[kState] != kListen || port_of(line[kLocal]) != port) continue;
    if (const auto inode = core::parse_int<std::uint64_t>(line[kInode]); inode && *inode != 0) inodes.push_back(*inode);
  }
  return inodes;
}

}  // namespace ydl::agent
