#include "hrpc/sasl/gssapi.hpp"

#include "core/assert.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/principal.hpp"
#include "hrpc/sasl/gss_errors.hpp"
#include "hrpc/sasl/gss_handles.hpp"
#include "hrpc/sasl/ticket_cache.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc::sasl {
namespace {

constexpr std::uint32_t kOwnMaxBuffer = 65536;
constexpr std::size_t kOfferSize = 4;  // one byte with the layers, three with the length of the longest message

unsigned char layer_bit(Protection protection) {
  switch (protection) {
    case Protection::authentication:
      return 1;
    case Protection::integrity:
      return 2;
    case Protection::privacy:
      return 4;
  }
  std::unreachable();
}

class Gssapi final : public Mechanism {
 public:
  Gssapi(GssName server, GssCredential credential, GssPlace place, std::vector<Protection> protections)
      : server_(std::move(server)),
        credential_(std::move(credential)),
        place_(std::move(place)),
        protections_(std::move(protections)) {}

  core::Result<std::string> step(std::string_view challenge) override {
    switch (state_) {
      case State::context:
        return establish(challenge);
      case State::layers:
        return choose_layer(challenge);
      case State::complete:
        break;
    }
    return core::fail(Errc::corrupt, "the server continued the GSSAPI exchange after its end");
  }

  bool complete() const override { return state_ == State::complete; }
  Protection protection() const override { return protection_; }

  core::Result<std::string> wrap(std::string_view plain) override {
    return wrap_as(plain, protection_ == Protection::privacy ? 1 : 0);
  }

  core::Result<std::string> unwrap(std::string_view wrapped) override {
    OM_uint32 minor = 0;
    gss_buffer_desc input = borrowed(wrapped);
    GssBuffer plain;
    int is_encrypted = 0;
    const auto major = gss_unwrap(&minor, context_.get(), &input, plain.put(), &is_encrypted, nullptr);
    // Old and repeated messages have GSS_S_COMPLETE with a supplementary bit, so any other value is an error.
    if (major != GSS_S_COMPLETE) {
      return core::fail(Errc::corrupt,
                        "a protected message from the server was modified, lost or repeated during transmission");
    }
    if (state_ == State::complete && protection_ == Protection::privacy && is_encrypted == 0) {
      return core::fail(Errc::corrupt, "the server sent a message without the required encryption");
    }
    return plain.str();
  }

  std::size_t max_plaintext() const override { return max_plaintext_; }

 private:
  enum class State {
    context,  // tickets are exchanged
    layers,   // waiting for the server's offer of protections
    complete,
  };

  core::Result<std::string> establish(std::string_view challenge) {
    OM_uint32 minor = 0;
    gss_buffer_desc input = borrowed(challenge);
    GssBuffer output;
    constexpr OM_uint32 kFlags =
        GSS_C_MUTUAL_FLAG | GSS_C_SEQUENCE_FLAG | GSS_C_REPLAY_FLAG | GSS_C_INTEG_FLAG | GSS_C_CONF_FLAG;
    OM_uint32 granted = 0;
    const auto major = gss_init_sec_context(&minor, credential_.get(), context_.put(), server_.get(),
                                            const_cast<gss_OID>(gss_mech_krb5), kFlags, 0, GSS_C_NO_CHANNEL_BINDINGS,
                                            &input, nullptr, output.put(), &granted, nullptr);
    if (GSS_ERROR(major)) return core::fail(gss_error(major, minor, place_));
    if (major == GSS_S_COMPLETE) {
      if ((granted & GSS_C_MUTUAL_FLAG) == 0) {
        return core::fail(Errc::unauthenticated, "the server did not prove its identity");
      }
      state_ = State::layers;
    }
    return output.str();
  }

  // The server's offer and our choice have the same format and are both wrapped: layers | u24 longest message.
  core::Result<std::string> choose_layer(std::string_view challenge) {
    const auto offer = unwrap(challenge);
    if (!offer) return offer;
    if (offer->size() < kOfferSize) return core::fail(Errc::corrupt, "the server's offer of protections is truncated");
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>((*offer)[i])}; };
    const auto chosen = std::ranges::find_if(protections_, [&](Protection p) { return (byte(0) & layer_bit(p)) != 0; });
    if (chosen == protections_.end()) {
      return core::fail(Errc::security_refused,
                        "the server does not offer any protection that the configuration allows; set "
                        "hadoop.rpc.protection to the cluster's value");
    }
    protection_ = *chosen;
    if (auto limited = limit_messages(byte(1) << 16U | byte(2) << 8U | byte(3)); !limited) {
      return core::fail(limited.error());
    }
    const std::uint32_t own = protection_ == Protection::authentication ? 0 : kOwnMaxBuffer;
    const std::string answer = {static_cast<char>(layer_bit(protection_)), static_cast<char>(own >> 16U & 0xffU),
                                static_cast<char>(own >> 8U & 0xffU), static_cast<char>(own & 0xffU)};
    auto wrapped = wrap_as(answer, 0);
    if (wrapped) state_ = State::complete;
    return wrapped;
  }

  core::Result<> limit_messages(std::uint32_t peer_max) {
    if (protection_ == Protection::authentication) return {};
    OM_uint32 minor = 0;
    OM_uint32 plain = 0;
    const auto major = gss_wrap_size_limit(&minor, context_.get(), protection_ == Protection::privacy ? 1 : 0,
                                           GSS_C_QOP_DEFAULT, peer_max, &plain);
    if (GSS_ERROR(major) || plain == 0) {
      return core::fail(
          Errc::corrupt,
          fmt::format("the server accepts only messages of {} bytes, which is too short for protected messages",
                      peer_max));
    }
    max_plaintext_ = plain;
    return {};
  }

  core::Result<std::string> wrap_as(std::string_view plain, int encrypt) {
    OM_uint32 minor = 0;
    gss_buffer_desc input = borrowed(plain);
    GssBuffer wrapped;
    int is_encrypted = 0;
    const auto major =
        gss_wrap(&minor, context_.get(), encrypt, GSS_C_QOP_DEFAULT, &input, &is_encrypted, wrapped.put());
    if (GSS_ERROR(major) || is_encrypted < encrypt) return core::fail(gss_error(major, minor, place_));
    return wrapped.str();
  }

  GssName server_;
  GssCredential credential_;
  GssContext context_;
  GssPlace place_;
  std::vector<Protection> protections_;
  State state_ = State::context;
  Protection protection_ = Protection::authentication;
  std::size_t max_plaintext_ = 0;
};

core::Result<GssName> import_name(const std::string& text, gss_OID type, const GssPlace& place) {
  OM_uint32 minor = 0;
  gss_buffer_desc buffer = borrowed(text);
  GssName name;
  const auto major = gss_import_name(&minor, &buffer, type, name.put());
  if (GSS_ERROR(major)) return core::fail(gss_error(major, minor, place));
  return name;
}

core::Result<GssCredential> acquire(const KerberosSource& source, const GssPlace& place) {
  // Tickets for a keytab are kept in memory, so that they do not change the user's ticket cache.
  static std::atomic<unsigned> caches = 0;
  const std::string memory = fmt::format("MEMORY:ydl-{}", caches++);
  const std::string keytab = "FILE:" + source.keytab.string();
  std::vector<gss_key_value_element_desc> elements;
  if (!source.keytab.empty()) {
    elements = {{"client_keytab", keytab.c_str()}, {"ccache", memory.c_str()}};
  } else if (!source.cache.empty()) {
    elements = {{"ccache", source.cache.c_str()}};
  }
  const gss_key_value_set_desc store{static_cast<OM_uint32>(elements.size()), elements.data()};
  GssName name;
  if (!source.principal.empty()) {
    auto imported = import_name(source.principal, const_cast<gss_OID>(GSS_KRB5_NT_PRINCIPAL_NAME), place);
    if (!imported) return core::fail(imported.error());
    name = *std::move(imported);
  }
  gss_OID_set_desc mechanisms{1, const_cast<gss_OID>(gss_mech_krb5)};
  GssCredential credential;
  OM_uint32 minor = 0;
  const auto major = gss_acquire_cred_from(&minor, name.get(), GSS_C_INDEFINITE, &mechanisms, GSS_C_INITIATE,
                                           elements.empty() ? nullptr : &store, credential.put(), nullptr, nullptr);
  if (GSS_ERROR(major)) return core::fail(gss_error(major, minor, place));
  return credential;
}

}  // namespace

core::Result<std::unique_ptr<Mechanism>> make_gssapi(const ServerPrincipal& server, const Identity& identity) {
  const auto& source = identity.kerberos;
  // If the configuration has no realm, the name is passed by host, and libkrb5 determines the realm.
  const std::string full_name = ticket_name(server, identity);
  const bool has_realm = full_name.find('@') != std::string::npos;
  GssPlace place{.server = full_name, .source = "the keytab " + source.keytab.string()};
  if (source.keytab.empty()) {
    const auto ticket = read_ticket_cache(source.cache);
    if (!ticket) return core::fail(ticket.error());
    if (auto usable = check_ticket(*ticket, core::wall_now()); !usable) return core::fail(usable.error());
    place.source = ticket->cache;
  } else if (auto usable = check_keytab(source.keytab, source.principal); !usable) {
    return core::fail(usable.error());
  }
  auto name = has_realm
                  ? import_name(full_name, const_cast<gss_OID>(GSS_KRB5_NT_PRINCIPAL_NAME), place)
                  : import_name(fmt::format("{}@{}", server.service, server.host), GSS_C_NT_HOSTBASED_SERVICE, place);
  if (!name) return core::fail(name.error());
  auto credential = acquire(source, place);
  if (!credential) return core::fail(credential.error());
  return std::make_unique<Gssapi>(*std::move(name), *std::move(credential), std::move(place), identity.protections);
}

}  // namespace ydl::hrpc::sasl
