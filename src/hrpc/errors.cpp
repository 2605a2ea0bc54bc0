#include "hrpc/errors.hpp"

#include "core/strings.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc {
namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "hrpc"; }
  std::string message(int value) const override { return std::string(text(static_cast<Errc>(value))); }

 private:
  static std::string_view text(Errc code) {
    switch (code) {
      case Errc::unreachable:
        return "unreachable";
      case Errc::timed_out:
        return "timed out";
      case Errc::connection_lost:
        return "connection lost";
      case Errc::not_hadoop:
        return "not a Hadoop RPC server";
      case Errc::corrupt:
        return "not the protocol";
      case Errc::unauthenticated:
        return "not authenticated";
      case Errc::security_refused:
        return "security settings do not meet";
      case Errc::access_denied:
        return "access denied";
      case Errc::invalid_token:
        return "invalid token";
      case Errc::standby:
        return "standby";
      case Errc::retriable:
        return "not ready";
      case Errc::safe_mode:
        return "safe mode";
      case Errc::no_such_method:
        return "no such method";
      case Errc::not_found:
        return "not found";
      case Errc::exists:
        return "exists already";
      case Errc::not_a_directory:
        return "not a directory";
      case Errc::is_a_directory:
        return "a directory";
      case Errc::not_empty:
        return "not empty";
      case Errc::invalid_path:
        return "invalid path";
      case Errc::quota_exceeded:
        return "quota exceeded";
      case Errc::lease_conflict:
        return "another client writes it";
      case Errc::lease_lost:
        return "lease lost";
      case Errc::not_yet_replicated:
        return "not yet replicated";
      case Errc::unsupported:
        return "unsupported";
      case Errc::invalid_request:
        return "invalid request";
      case Errc::not_registered:
        return "not registered";
      case Errc::remote:
        return "remote exception";
    }
    return "unknown";
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

core::Error remote_error(std::string java_class, std::string message) {
  const std::string_view whole = message;
  const std::string first_line = core::printable(whole.substr(0, whole.find('\n')));
  const auto simple_name = java_class.substr(java_class.find_last_of(".$") + 1);
  std::string text = first_line.empty() ? core::printable(simple_name)
                                        : fmt::format("{}: {}", core::printable(simple_name), first_line);
  return {meaning_of(java_class), std::move(text), core::RemoteException{std::move(java_class), std::move(message)}};
}

}  // namespace ydl::hrpc
