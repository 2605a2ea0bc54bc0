#include "hrpc/login.hpp"

#include "hrpc/sasl/ticket_cache.hpp"

namespace ydl::hrpc {

std::string short_name(std::string_view principal) {
  return std::string(principal.substr(0, principal.find_first_of("/@")));
}

std::string login_name(const hconf::Config& config, const core::Getenv& getenv) {
  if (config.get_trimmed("hadoop.security.authentication") == "kerberos") {
    // An unreadable ticket cache is ignored here: the error is reported when a ticket is needed.
    if (const auto ticket = sasl::read_ticket_cache(""); ticket && !ticket->principal.empty()) {
      return short_name(ticket->principal);
    }
  }
  return core::user_name(getenv);
}

}  // namespace ydl::hrpc
