#include "yarn/app_master.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "yarn/convert.hpp"
#include "yarn/explain.hpp"
#include "yarn/stub.hpp"

#include <fmt/format.h>

namespace ydl::yarn {

namespace pb = hadoop::yarn;

namespace {

constexpr auto kRegister = master_method("registerApplicationMaster");
constexpr auto kAllocate = master_method("allocate");  // safe to repeat because of the response id
constexpr auto kFinish = master_method("finishApplicationMaster");

constexpr core::Millis kPoll{100};

}  // namespace

net::Async<Registration> AppMaster::register_master(Address address) {
  pb::RegisterApplicationMasterRequestProto request;
  request.set_host(std::move(address.host));
  request.set_rpc_port(address.port);
  request.set_tracking_url(std::move(address.tracking_url));
  const auto answer = co_await rpc_.call<pb::RegisterApplicationMasterResponseProto>(kRegister, request);
  if (!answer) co_return core::fail(explain(answer.error(), "registering with the ResourceManager"));
  co_return from_proto(*answer);
}

net::Async<AllocateResponse> AppMaster::allocate(AllocateRequest request) {
  const auto answer = co_await rpc_.call<pb::AllocateResponseProto>(kAllocate, to_proto(request));
  if (!answer) co_return core::fail(explain(answer.error(), "requesting containers from the ResourceManager"));
  co_return from_proto(*answer);
}

net::Async<> AppMaster::finish(Ending ending, core::Millis at_most) {
  const auto deadline = core::steady_now() + at_most;
  pb::FinishApplicationMasterRequestProto request;
  request.set_diagnostics(std::move(ending.diagnostics));
  request.set_tracking_url(std::move(ending.tracking_url));
  request.set_final_application_status(to_proto(ending.status));
  while (core::steady_now() < deadline) {
    const auto answer =
        co_await rpc_.call<pb::FinishApplicationMasterResponseProto>(kFinish, request, deadline - core::steady_now());
    if (!answer) co_return core::fail(explain(answer.error(), "reporting the end of the job to the ResourceManager"));
    if (answer->isunregistered()) co_return core::Result<>{};
    // The ResourceManager stores the end in the background, so the request is repeated until it confirms.
    co_await net::pause(kPoll);
  }
  co_return core::fail(
      hrpc::Errc::timed_out,
      fmt::format("the ResourceManager did not store the end of the job within {}", core::format_duration(at_most)));
}

void AppMaster::use_token(hrpc::Token token) {
  options_.identity.token = std::move(token);
  rpc_ = hrpc::Client(executor_, options_);
}

}  // namespace ydl::yarn
