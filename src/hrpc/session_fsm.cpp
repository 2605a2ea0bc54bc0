#include "hrpc/session_fsm.hpp"

#include "core/assert.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/part_limit.hpp"
#include "hrpc/proto/rpc_header.pb.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::hrpc {
namespace {

using hadoop::common::RpcSaslProto;

// The error for all calls except the one that the server's last message answers.
core::Error closed_by_server(const core::Error& why) {
  return {Errc::connection_lost, "the server closed the connection: " + why.message, why.remote};
}

}  // namespace

SessionFsm::SessionFsm(SessionOptions options)
    : options_(std::move(options)),
      handshake_(options_.handshake),
      outer_(std::min(kLargestHandshakeFrame, options_.max_response)),
      inner_(options_.max_response) {}

std::string SessionFsm::start() {
  std::string bytes = handshake_.first_bytes();
  if (handshake_.done()) {
    auto context = begin_calls();
    YDL_ASSERT(context.has_value());  // without SASL nothing is wrapped, so it cannot fail
    bytes += *context;
  }
  return bytes;
}

// After the handshake the connection context is sent once; it names the user.
core::Result<std::string> SessionFsm::begin_calls() {
  open_ = true;
  outer_.set_limit(options_.max_response);
  protection_ = handshake_.take_protection();
  return protect(encode_context(options_.client, options_.protocol, handshake_.caller()));
}

SessionFsm::Step SessionFsm::feed(std::string_view bytes) {
  Step step;
  outer_.feed(bytes);
  while (!step.failure) {
    auto frame = outer_.next();
    if (!frame) {
      step.failure = std::move(frame).error();
      break;
    }
    if (!*frame) break;
    if (auto done = on_frame(**frame, step); !done) step.failure = std::move(done).error();
  }
  return step;
}

core::Result<void> SessionFsm::on_frame(std::string_view frame, Step& step) {
  if (open_) return protection_ != nullptr ? on_wrapped(frame, step) : on_answer(frame, step);
  auto output = handshake_.on_frame(frame);
  if (!output) return core::fail(std::move(output).error());
  step.output += *output;
  if (!handshake_.done()) return {};
  auto context = begin_calls();
  if (!context) return core::fail(std::move(context).error());
  step.output += *context;
  return {};
}

core::Result<void> SessionFsm::on_wrapped(std::string_view frame, Step& step) {
  auto response = decode_response(frame);
  if (!response) return core::fail(std::move(response).error());
  // The exception is not authenticated, so it must not be treated as the answer to a call. It only closes the
  // connection.
  if (response->status != Status::success) {
    return core::fail(closed_by_server(remote_error(std::move(response->exception), std::move(response->message))));
  }
  if (response->id != kSaslCall) return core::fail(Errc::corrupt, "the server sent an unprotected answer");
  const auto message = decode_sasl(response->body);
  if (!message) return core::fail(message.error());
  if (message->state() != RpcSaslProto::WRAP)
    return core::fail(Errc::corrupt, "the server sent a message that is not wrapped");
  auto plain = protection_->unwrap(message->token());
  if (!plain) return core::fail(std::move(plain).error());
  inner_.feed(*plain);
  for (;;) {
    auto inner = inner_.next();
    if (!inner) return core::fail(std::move(inner).error());
    if (!*inner) return {};
    if (auto done = on_answer(**inner, step); !done) return done;
  }
}

core::Result<void> SessionFsm::on_answer(std::string_view frame, Step& step) {
  auto response = decode_response(frame);
  if (!response) return core::fail(std::move(response).error());
  const bool is_call = std::to_underlying(response->id) >= 0;
  if (response->status == Status::success) {
    if (!is_call) return core::fail(Errc::corrupt, "the server sent an answer without a call");
    if (auto bounded = check_parts(response->body); !bounded) return bounded;
    step.answers.push_back({response->id, std::move(response->body)});
    return {};
  }
  core::Error error = remote_error(std::move(response->exception), std::move(response->message));
  // Not the answer to a call: the server refused the connection itself, for example because of its user.
  if (!is_call) return core::fail(std::move(error));
  step.answers.push_back({response->id, core::fail(error)});
  if (response->status == Status::fatal) return core::fail(closed_by_server(error));
  return {};
}

core::Result<std::string> SessionFsm::send(CallKey key, const Method& method, std::string_view request) {
  YDL_ASSERT(open_);
  return protect(encode_call(options_.client, key, method, request));
}

core::Result<std::string> SessionFsm::ping() {
  YDL_ASSERT(open_);
  return protect(encode_ping(options_.client));
}

core::Result<std::string> SessionFsm::protect(std::string plain) {
  if (protection_ == nullptr) return plain;
  std::string output;
  std::string_view rest = plain;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, protection_->max_plaintext());
    rest.remove_prefix(piece.size());
    auto wrapped = protection_->wrap(piece);
    if (!wrapped) return wrapped;
    RpcSaslProto message;
    message.set_state(RpcSaslProto::WRAP);
    message.set_token(*std::move(wrapped));
    output += encode_sasl(message);
  }
  return output;
}

}  // namespace ydl::hrpc
