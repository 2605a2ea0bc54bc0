#include "hrpc/errors.hpp"

#include "core/error_category.hpp"
#include "core/strings.hpp"
#include "core/utf8.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc {
namespace {

constexpr auto kTexts = std::to_array<core::ErrorText>({
    {Errc::unreachable, "unreachable"},
    {Errc::timed_out, "timed out"},
    {Errc::connection_lost, "connection lost"},
    {Errc::not_hadoop, "not a Hadoop RPC server"},
    {Errc::corrupt, "protocol violation"},
    {Errc::unauthenticated, "not authenticated"},
    {Errc::security_refused, "incompatible security settings"},
    {Errc::access_denied, "access denied"},
    {Errc::invalid_token, "invalid token"},
    {Errc::standby, "standby"},
    {Errc::retriable, "not ready"},
    {Errc::safe_mode, "safe mode"},
    {Errc::no_such_method, "no such method"},
    {Errc::not_found, "not found"},
    {Errc::exists, "already exists"},
    {Errc::not_a_directory, "not a directory"},
    {Errc::is_a_directory, "is a directory"},
    {Errc::not_empty, "not empty"},
    {Errc::invalid_path, "invalid path"},
    {Errc::quota_exceeded, "quota exceeded"},
    {Errc::lease_conflict, "being written by another client"},
    {Errc::lease_lost, "lease lost"},
    {Errc::not_yet_replicated, "not yet replicated"},
    {Errc::unsupported, "unsupported"},
    {Errc::invalid_request, "invalid request"},
    {Errc::not_registered, "not registered"},
    {Errc::remote, "remote exception"},
});

// Limits for the text of a remote exception, large enough for a Java stack trace.
constexpr std::size_t kLongestClass = 200;
constexpr std::size_t kLongestLine = 1000;
constexpr std::size_t kLongestMessage = std::size_t{64} << 10U;

}  // namespace

const std::error_category& error_category() noexcept {
  static const core::TableCategory category("hrpc", kTexts);
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

core::Error remote_error(std::string java_class, std::string message) {
  java_class = core::shortened(java_class, kLongestClass);
  message = core::shortened(message, kLongestMessage);
  const std::string_view whole = message;
  const std::string first_line = core::shortened(core::printable(whole.substr(0, whole.find('\n'))), kLongestLine);
  const auto simple_name = java_class.substr(java_class.find_last_of(".$") + 1);
  std::string text = first_line.empty() ? core::printable(simple_name)
                                        : fmt::format("{}: {}", core::printable(simple_name), first_line);
  return {meaning_of(java_class), std::move(text), core::RemoteException{std::move(java_class), std::move(message)}};
}

}  // namespace ydl::hrpc
