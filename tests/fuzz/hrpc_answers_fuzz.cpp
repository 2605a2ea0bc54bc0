// The bytes of a server without security, divided into two pieces: the answers must be the same as for one piece.
#include "hrpc/session_fsm.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace ydl::hrpc;

struct Outcome {
  std::vector<std::string> answers;
  bool failed = false;

  bool operator==(const Outcome&) const = default;
};

Outcome feed(std::initializer_list<std::string_view> pieces) {
  SessionFsm session({.client = {},
                      .handshake = {.identity = {.user = "alice"}, .server_host = "host"},
                      .protocol = "org.example.Protocol",
                      .max_response = 4096});
  (void)session.start();
  Outcome outcome;
  for (const auto piece : pieces) {
    if (outcome.failed) break;
    auto step = session.feed(piece);
    for (auto& [id, result] : step.answers) {
      outcome.answers.push_back(std::to_string(std::to_underlying(id)) + ' ' +
                                (result ? *std::move(result) : result.error().message));
    }
    outcome.failed = step.failure.has_value();
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = feed({bytes});
  if (feed({bytes.substr(0, size / 2), bytes.substr(size / 2)}) != whole) std::abort();
  for (const auto& answer : whole.answers) {
    if (answer.starts_with('-')) std::abort();  // not an answer to a call
  }
  return 0;
}
