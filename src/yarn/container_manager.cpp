#include "yarn/container_manager.hpp"

#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "yarn/convert.hpp"
#include "yarn/explain.hpp"
#include "yarn/stub.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

namespace ydl::yarn {

namespace pb = hadoop::yarn;

namespace {

// safe to repeat: a running container is not started again
constexpr auto kStartContainers = container_method("startContainers");
constexpr auto kStopContainers = container_method("stopContainers");
constexpr auto kGetContainerStatuses = container_method("getContainerStatuses");

using Failure = ContainerManager::Failure;

Failure failure_of(const pb::ContainerExceptionMapProto& proto, std::string_view doing, const NodeId& node) {
  const auto id = from_proto(proto.container_id());
  const auto& exception = proto.exception();
  return {id, explain(hrpc::remote_error(exception.class_name(), exception.message()),
                      fmt::format("{} {} on {}", doing, id.str(), node.host))};
}

template <class Protos>
std::vector<Failure> failures_of(const Protos& protos, std::string_view doing, const NodeId& node) {
  std::vector<Failure> failures;
  for (const auto& proto : protos) failures.push_back(failure_of(proto, doing, node));
  return failures;
}

template <class Protos>
std::vector<ContainerId> ids_of(const Protos& protos) {
  std::vector<ContainerId> ids;
  for (const auto& proto : protos) ids.push_back(from_proto(proto));
  return ids;
}

bool runs_already(const Failure& failure) {
  return failure.error.remote && failure.error.remote->message.contains("already is running on this node");
}

bool is_gone(const Failure& failure) {
  return failure.error.remote && failure.error.remote->message.contains("is not handled by this NodeManager");
}

// Turns failures into successes if they report that the requested state is already reached.
template <class Harmless>
void forgive(ContainerManager::Outcome& outcome, Harmless harmless) {
  std::erase_if(outcome.failed, [&](const Failure& failure) {
    if (!harmless(failure)) return false;
    outcome.done.push_back(failure.id);
    return true;
  });
}

}  // namespace

ContainerManager::Outcome settled(ContainerManager::Outcome said, std::span<const ContainerId> asked) {
  const std::set<ContainerId> started(said.done.begin(), said.done.end());
  std::map<ContainerId, core::Error> failures;
  for (auto& failure : said.failed) failures.try_emplace(failure.id, std::move(failure.error));
  ContainerManager::Outcome outcome;
  for (const auto& id : asked) {
    if (const auto failed = failures.find(id); failed != failures.end()) {
      outcome.failed.push_back({id, failed->second});
    } else if (started.contains(id)) {
      outcome.done.push_back(id);
    } else {
      outcome.failed.push_back(
          {id, {hrpc::Errc::corrupt, fmt::format("the NodeManager's answer does not contain {}", id.str())}});
    }
  }
  return outcome;
}

net::Async<ContainerManager::Outcome> ContainerManager::start(std::vector<Start> starts) {
  Outcome outcome;
  pb::StartContainersRequestProto request;
  std::vector<ContainerId> asked;
  for (const auto& start : starts) {
    asked.push_back(start.id);
    auto context = launch_context(start.launch);
    if (!context) {
      outcome.failed.push_back({start.id, std::move(context).error().within("starting " + start.id.str())});
      continue;
    }
    auto& one = *request.add_start_container_request();
    *one.mutable_container_launch_context() = *std::move(context);
    *one.mutable_container_token() = hrpc::to_proto(start.token);
  }
  if (request.start_container_request_size() == 0) co_return outcome;
  const auto answer = co_await rpc_.call<pb::StartContainersResponseProto>(kStartContainers, request);
  if (!answer) {
    const auto what = core::plural(request.start_container_request_size(), "container");
    co_return core::fail(explain(answer.error(), fmt::format("starting {} on {}", what, node_.str())));
  }
  outcome.done = ids_of(answer->succeeded_requests());
  for (auto& failure : failures_of(answer->failed_requests(), "starting", node_)) {
    outcome.failed.push_back(std::move(failure));
  }
  forgive(outcome, runs_already);
  co_return settled(std::move(outcome), asked);
}

net::Async<ContainerManager::Outcome> ContainerManager::stop(std::vector<ContainerId> ids) {
  pb::StopContainersRequestProto request;
  for (const auto& id : ids) *request.add_container_id() = to_proto(id);
  const auto answer = co_await rpc_.call<pb::StopContainersResponseProto>(kStopContainers, request);
  if (!answer) co_return core::fail(explain(answer.error(), "stopping containers on " + node_.str()));
  Outcome outcome{.done = ids_of(answer->succeeded_requests()),
                  .failed = failures_of(answer->failed_requests(), "stopping", node_)};
  forgive(outcome, is_gone);
  co_return outcome;
}

net::Async<ContainerManager::Statuses> ContainerManager::statuses(std::vector<ContainerId> ids) {
  pb::GetContainerStatusesRequestProto request;
  for (const auto& id : ids) *request.add_container_id() = to_proto(id);
  const auto answer = co_await rpc_.call<pb::GetContainerStatusesResponseProto>(kGetContainerStatuses, request);
  if (!answer) co_return core::fail(explain(answer.error(), "requesting the state of containers on " + node_.str()));
  Statuses statuses{.failed = failures_of(answer->failed_requests(), "requesting the state of", node_)};
  for (const auto& status : answer->status()) statuses.found.push_back(from_proto(status));
  co_return statuses;
}

}  // namespace ydl::yarn
