#include "pslite/zmtp_session.hpp"

#include "core/strings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::pslite::zmtp {
namespace {

using core::Errc;
using core::fail;
using core::Result;

std::string_view wire_name(SocketType type) {
  return type == SocketType::dealer ? "DEALER" : "ROUTER";
}
SocketType partner(SocketType type) {
  return type == SocketType::dealer ? SocketType::router : SocketType::dealer;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view find(const Properties& properties, std::string_view name) {
  for (const auto& [key, value] : properties) {
    if (same_name(key, name)) return value;
  }
  return {};
}

}  // namespace

Session::Session(SocketType own, std::string identity, Limits limits)
    : own_(own), identity_(std::move(identity)), decoder_(limits) {}

Result<Session::Step> Session::feed(std::string_view bytes) {
  auto events = decoder_.feed(bytes);
  if (!events) return fail(events.error());
  Step step;
  for (Event& event : *events) {
    auto done = std::visit([&](auto& happened) { return on(happened, step); }, event);
    if (!done) return fail(done.error());
  }
  return step;
}

Result<void> Session::on(const Greeting& greeting, Step& step) {
  if (greeting.mechanism != "NULL") {
    return fail(Errc::refused,
                fmt::format("the peer requires the ZeroMQ security mechanism '{}', but ps-lite uses NULL",
                            core::printable(greeting.mechanism)));
  }
  state_ = State::handshake;
  step.output += encode_ready({{"Socket-Type", std::string(wire_name(own_))}, {"Identity", identity_}});
  return {};
}

Result<void> Session::on(const CommandFrame& command, Step& step) {
  if (command.name == "ERROR") {
    return fail(Errc::refused, fmt::format("the peer refused the connection: {}", core::printable(command.data)));
  }
  // Peers with ZMTP 3.1 can send further commands. A 3.0 peer may ignore all of them.
  if (state_ == State::open) return {};
  if (command.name != "READY") return fail(Errc::corrupt, "the first command of the peer is not READY");
  const auto properties = decode_properties(command.data);
  if (!properties) return fail(properties.error());
  const std::string_view type = find(*properties, "Socket-Type");
  if (type != wire_name(partner(own_))) {
    return fail(Errc::refused, fmt::format("the peer is a ZeroMQ socket of type '{}', but {} is required",
                                           core::printable(type), wire_name(partner(own_))));
  }
  peer_identity_ = find(*properties, "Identity");
  state_ = State::open;
  step.opened = true;
  return {};
}

Result<void> Session::on(Message& message, Step& step) {
  if (state_ != State::open) return fail(Errc::corrupt, "the peer sent a message before READY");
  step.messages.push_back(std::move(message));
  return {};
}

}  // namespace ydl::pslite::zmtp
