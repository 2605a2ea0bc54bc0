#include "yarn/submission.hpp"

#include "core/strings.hpp"
#include "yarn/convert.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

namespace pb = hadoop::yarn;

constexpr std::size_t kMaxTags = 10;
constexpr std::size_t kMaxTagLength = 100;
constexpr std::size_t kMaxTypeLength = 20;

core::Result<> check_tag(const std::string& tag) {
  const bool good = !tag.empty() && tag.size() <= kMaxTagLength && std::ranges::all_of(tag, [](char c) {
    return c > ' ' && c < 0x7f && c != ',' && !(c >= 'A' && c <= 'Z');
  });
  if (good) return {};
  return core::fail(
      core::Errc::usage,
      fmt::format("'{}' is not a valid tag: YARN allows 1 to {} lower-case ASCII characters without spaces",
                  core::printable(tag), kMaxTagLength));
}

core::Result<> check(const Submission& submission) {
  if (submission.type.size() > kMaxTypeLength) {
    return core::fail(core::Errc::usage, fmt::format("the application type '{}' is longer than {} characters",
                                                     core::printable(submission.type), kMaxTypeLength));
  }
  if (submission.tags.size() > kMaxTags) {
    return core::fail(core::Errc::usage,
                      fmt::format("{} tags are too many: YARN allows {}", submission.tags.size(), kMaxTags));
  }
  for (const auto& tag : submission.tags) {
    if (auto checked = check_tag(tag); !checked) return checked;
  }
  return {};
}

// The label is set in the request for the master and not in the application, where it would apply to all containers.
void ask_for_master(pb::ApplicationSubmissionContextProto& context, const Submission& submission) {
  *context.mutable_resource() = to_proto(submission.master_resource);
  auto& request = *context.add_am_container_resource_request();
  request.mutable_priority()->set_priority(0);
  request.set_resource_name("*");
  *request.mutable_capability() = to_proto(submission.master_resource);
  request.set_num_containers(1);
  request.set_relax_locality(true);
  if (!submission.master_label.empty()) request.set_node_label_expression(submission.master_label);
  request.set_allocation_request_id(-1);
}

}  // namespace

core::Result<pb::ApplicationSubmissionContextProto> submission_context(const Submission& submission) {
  if (auto checked = check(submission); !checked) return core::fail(std::move(checked).error());
  auto launch = launch_context(submission.master);
  if (!launch) return core::fail(std::move(launch).error());
  pb::ApplicationSubmissionContextProto context;
  *context.mutable_application_id() = to_proto(submission.id);
  context.set_application_name(submission.name);
  context.set_queue(submission.queue);
  if (submission.priority) context.mutable_priority()->set_priority(*submission.priority);
  *context.mutable_am_container_spec() = *std::move(launch);
  context.set_cancel_tokens_when_complete(submission.cancel_tokens_when_complete);
  context.set_unmanaged_am(submission.unmanaged);
  context.set_maxappattempts(submission.max_attempts);
  if (!submission.unmanaged) ask_for_master(context, submission);
  context.set_applicationtype(submission.type);
  context.set_keep_containers_across_application_attempts(submission.keep_containers);
  for (const auto& tag : submission.tags) context.add_applicationtags(tag);
  if (submission.failures_validity) {
    context.set_attempt_failures_validity_interval(submission.failures_validity->count());
  }
  *context.mutable_log_aggregation_context() = to_proto(submission.logs);
  if (submission.lifetime) {
    auto& timeout = *context.add_application_timeouts();
    timeout.set_application_timeout_type(pb::APP_TIMEOUT_LIFETIME);
    timeout.set_timeout(submission.lifetime->count());
  }
  return context;
}

}  // namespace ydl::yarn
