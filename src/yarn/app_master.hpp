#pragma once

#include "hrpc/client.hpp"
#include "net/asio.hpp"
#include "yarn/allocation.hpp"

#include <cstdint>
#include <string>

namespace ydl::yarn {

// What an ApplicationMaster asks the ResourceManager: ApplicationMasterProtocol. The port takes nothing but the AMRM
// token, on clusters without security too. Errors: those of hrpc/errors.hpp; is_not_registered() and
// is_attempt_over() of explain.hpp tell those with a meaning of their own.
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
  // Returns when the ResourceManager has stored it: a master that exits before counts as failed.
  struct Ending {
    FinalStatus status = FinalStatus::succeeded;
    std::string diagnostics = {};
    std::string tracking_url = {};
  };
  [[nodiscard]] net::Async<> finish(Ending ending, core::Millis at_most = kFinishPatience);

  // Goes on over a new connection: the ResourceManager repeats a new token until it has been used. Between calls only.
  void use_token(hrpc::Token token);

  void close() { rpc_.close(); }

 private:
  static constexpr core::Millis kFinishPatience{30'000};

  net::asio::any_io_executor executor_;
  hrpc::ClientOptions options_;
  hrpc::Client rpc_;
};

}  // namespace ydl::yarn
