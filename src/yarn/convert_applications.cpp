#include "core/utf8.hpp"
#include "yarn/convert.hpp"

#include <algorithm>
#include <ranges>

namespace ydl::yarn {
namespace {

namespace pb = hadoop::yarn;

AppState from_proto(pb::YarnApplicationStateProto state) {
  switch (state) {
    case pb::NEW:
    case pb::NEW_SAVING:
      return AppState::starting;
    case pb::SUBMITTED:
      return AppState::submitted;
    case pb::ACCEPTED:
      return AppState::accepted;
    case pb::RUNNING:
      return AppState::running;
    case pb::FINISHED:
      return AppState::finished;
    case pb::FAILED:
      return AppState::failed;
    case pb::KILLED:
      return AppState::killed;
  }
  return AppState::starting;
}

FinalStatus from_proto(pb::FinalApplicationStatusProto status) {
  switch (status) {
    case pb::APP_SUCCEEDED:
      return FinalStatus::succeeded;
    case pb::APP_FAILED:
      return FinalStatus::failed;
    case pb::APP_KILLED:
      return FinalStatus::killed;
    case pb::APP_UNDEFINED:
    case pb::APP_ENDED:
      return FinalStatus::undefined;
  }
  return FinalStatus::undefined;
}

// The ResourceManager writes "N/A" for missing values.
std::string unless_absent(std::string text) {
  if (text == "N/A") text.clear();
  return text;
}

// Diagnostics have several lines, so control characters are only removed when they are shown.
std::string diagnostics_from(const std::string& text) {
  constexpr std::size_t kLongestDiagnostics = std::size_t{64} << 10U;
  return unless_absent(core::shortened(text, kLongestDiagnostics));
}

std::vector<std::string> names_from(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  constexpr std::size_t kMostNames = 1000;
  std::vector<std::string> names;
  for (const auto& text : texts | std::views::take(kMostNames)) names.push_back(name_from(text));
  return names;
}

// The remaining time is used because the end itself is sent as text in the ResourceManager's time zone.
std::optional<core::Seconds> remaining_lifetime(const pb::ApplicationReportProto& proto) {
  for (const auto& entry : proto.apptimeouts()) {
    const auto& timeout = entry.application_timeout();
    if (timeout.application_timeout_type() == pb::APP_TIMEOUT_LIFETIME && timeout.remaining_time() >= 0) {
      return core::Seconds(timeout.remaining_time());
    }
  }
  return std::nullopt;
}

QueueState from_proto(pb::QueueStateProto state) {
  switch (state) {
    case pb::Q_STOPPED:
      return QueueState::stopped;
    case pb::Q_RUNNING:
      return QueueState::running;
    case pb::Q_DRAINING:
      return QueueState::draining;
  }
  return QueueState::running;
}

QueueShare from_proto(const pb::QueueConfigurationsProto& proto) {
  QueueShare share{.capacity = proto.absolutecapacity(), .max_capacity = proto.absolutemaxcapacity()};
  if (proto.has_maxampercentage()) share.max_am_share = proto.maxampercentage();
  if (proto.has_effectivemaxcapacity()) share.max_resource = ydl::yarn::from_proto(proto.effectivemaxcapacity());
  return share;
}

}  // namespace

std::string_view to_string(NodeState state) {
  switch (state) {
    case NodeState::starting:
      return "starting";
    case NodeState::running:
      return "running";
    case NodeState::unhealthy:
      return "unhealthy";
    case NodeState::decommissioned:
      return "decommissioned";
    case NodeState::lost:
      return "lost";
    case NodeState::rebooted:
      return "rebooted";
    case NodeState::decommissioning:
      return "decommissioning";
    case NodeState::shutdown:
      return "shut down";
  }
  return "unknown";
}

std::string_view to_string(AppState state) {
  switch (state) {
    case AppState::starting:
      return "NEW";
    case AppState::submitted:
      return "SUBMITTED";
    case AppState::accepted:
      return "ACCEPTED";
    case AppState::running:
      return "RUNNING";
    case AppState::finished:
      return "FINISHED";
    case AppState::failed:
      return "FAILED";
    case AppState::killed:
      return "KILLED";
  }
  return "UNKNOWN";
}

std::string_view to_string(FinalStatus status) {
  switch (status) {
    case FinalStatus::undefined:
      return "UNDEFINED";
    case FinalStatus::succeeded:
      return "SUCCEEDED";
    case FinalStatus::failed:
      return "FAILED";
    case FinalStatus::killed:
      return "KILLED";
  }
  return "UNDEFINED";
}

std::vector<pb::YarnApplicationStateProto> to_proto(AppState state) {
  switch (state) {
    case AppState::starting:
      return {pb::NEW, pb::NEW_SAVING};
    case AppState::submitted:
      return {pb::SUBMITTED};
    case AppState::accepted:
      return {pb::ACCEPTED};
    case AppState::running:
      return {pb::RUNNING};
    case AppState::finished:
      return {pb::FINISHED};
    case AppState::failed:
      return {pb::FAILED};
    case AppState::killed:
      return {pb::KILLED};
  }
  return {};
}

pb::FinalApplicationStatusProto to_proto(FinalStatus status) {
  switch (status) {
    case FinalStatus::undefined:
      return pb::APP_UNDEFINED;
    case FinalStatus::succeeded:
      return pb::APP_SUCCEEDED;
    case FinalStatus::failed:
      return pb::APP_FAILED;
    case FinalStatus::killed:
      return pb::APP_KILLED;
  }
  return pb::APP_UNDEFINED;
}

AppReport from_proto(const pb::ApplicationReportProto& proto) {
  const auto& usage = proto.app_resource_usage();
  AppReport report{.id = from_proto(proto.applicationid()),
                   .attempt = from_proto(proto.currentapplicationattemptid()),
                   .user = name_from(proto.user()),
                   .queue = name_from(proto.queue()),
                   .name = name_from(proto.name()),
                   .type = name_from(proto.applicationtype()),
                   .tags = names_from(proto.applicationtags()),
                   .state = from_proto(proto.yarn_application_state()),
                   .final_status = from_proto(proto.final_application_status()),
                   .host = unless_absent(name_from(proto.host())),
                   .port = proto.rpc_port(),
                   .tracking_url = unless_absent(name_from(proto.trackingurl())),
                   .original_tracking_url = unless_absent(name_from(proto.originaltrackingurl())),
                   .diagnostics = diagnostics_from(proto.diagnostics()),
                   .started = wall_time(proto.starttime()),
                   .finished = wall_time(proto.finishtime()),
                   .launched = wall_time(std::max<std::int64_t>(proto.launchtime(), 0)),
                   .progress = proto.progress(),
                   .containers = std::max(usage.num_used_containers(), 0),
                   .used = from_proto(usage.used_resources()),
                   .unmanaged = proto.unmanaged_application(),
                   .priority = proto.priority().priority(),
                   .remaining_lifetime = remaining_lifetime(proto)};
  if (proto.has_client_to_am_token()) report.client_token = hrpc::from_proto(proto.client_to_am_token());
  if (proto.has_am_rm_token()) report.am_rm_token = hrpc::from_proto(proto.am_rm_token());
  return report;
}

QueueInfo from_proto(const pb::QueueInfoProto& proto) {
  QueueInfo queue{.name = name_from(proto.queuename()),
                  .path = name_from(proto.has_queuepath() ? proto.queuepath() : proto.queuename()),
                  .scheduler = name_from(proto.schedulertype()),
                  .state = from_proto(proto.state()),
                  .capacity = proto.capacity(),
                  .max_capacity = proto.maximumcapacity(),
                  .used_capacity = proto.currentcapacity(),
                  .labels = names_from(proto.accessiblenodelabels()),
                  .default_label = name_from(proto.defaultnodelabelexpression()),
                  .running_apps = proto.queuestatistics().numappsrunning(),
                  .pending_apps = proto.queuestatistics().numappspending()};
  for (const auto& entry : proto.queueconfigurationsmap()) {
    queue.shares[entry.partitionname()] = from_proto(entry.queueconfigurations());
  }
  for (const auto& child : proto.childqueues()) queue.children.push_back(from_proto(child));
  return queue;
}

}  // namespace ydl::yarn
