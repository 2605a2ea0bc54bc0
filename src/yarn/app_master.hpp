#pragma once

#include "hrpc/client.hpp"
#include "net/asio.hpp"
#include "yarn/allocation.hpp"

#include <cstdint>
#include <string>

namespace ydl::yarn {

// The calls of an ApplicationMaster to the ResourceManager (ApplicationMasterProtocol). The port accepts only the AMRM
// token, also on clusters without security. Errors: those of hrpc/errors.hpp; is_not_registered() and is_attempt_over()
// in explain.hpp recognise two special ones.
class AppMaster {
 public:
  AppMaster(net::asio::any_io_executor executor, hrpc::ClientOptions options)
      : executor_(executor), options_(options), rpc_(std::move(executor), std::move(options)) {}

  struct Address {
    std::string host;
    std::int32_t port = -1;
    std::string tracking_url = {};
  };
  [[nodiscard]] net::Async<Registration> register_master(Address address);
  [[nodiscard]] net::Async<AllocateResponse> allocate(AllocateRequest request);
  // Waits until the ResourceManager has stored the end. A master that exits earlier counts as failed.
  struct Ending {
    FinalStatus status = FinalStatus::succeeded;
    std::string diagnostics = {};
    std::string tracking_url = {};
  };
  [[nodiscard]] net::Async<> finish(Ending ending, core::Millis at_most = kFinishPatience);

  // Opens a new connection with this token, because the ResourceManager repeats a new token until it is used. Must not
  // be called during another call.
  void use_token(hrpc::Token token);

  void close() { rpc_.close(); }

 private:
  static constexpr core::Millis kFinishPatience{30'000};

  net::asio::any_io_executor executor_;
  hrpc::ClientOptions options_;
  hrpc::Client rpc_;
};

}  // namespace ydl::yarn
