#include "yarn/explain.hpp"

#include "hrpc/errors.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace ydl::yarn {
namespace {

struct Remedy {
  std::string_view java_class;  // the end of its name
  std::string_view contains;    // and a part of its message; empty: any
  std::string_view sentence;
};

constexpr auto kRemedies = std::to_array<Remedy>({
    {"ApplicationNotFoundException", "",
     "it never existed, or it ended so long ago that the ResourceManager has deleted it"},
    {"AccessControlException", "does not have permission to submit", "choose another queue with --queue"},
    {"AccessControlException", "", "only the owner of the application and the cluster's administrators may do this"},
    {"YarnException", "cannot perform operation MODIFY_APP",
     "only the owner of the application, users in its 'modify' ACL, and the cluster's administrators may do this"},
    {"InvalidResourceRequestException", "", "request less, or ask the administrator to raise the maximum"},
    {"SchedulerInvalidResoureRequestException", "", "request less, or ask the administrator to raise the maximum"},
    {"InvalidLabelResourceRequestException", "",
     "the queue may not use this label; `ydl doctor` lists the labels that it may use"},
    {"InvalidToken", "expired", "log in again to get a new token"},
    {"InvalidToken", "", "the token belongs to another cluster, or the server lost it during a restart"},
    {"InvalidContainerException", "", "the ResourceManager was restarted after it granted the container"},
    {"YarnException", "token is expired",
     "the clocks of the node and the ResourceManager differ, or the container was started too late"},
    {"YarnException", "queue", "choose an existing queue with --queue; only the administrator can create queues"},
    {"YarnException", "tokens", "the ResourceManager could not renew a token of the job: log in again"},
});

std::string_view remedy_for(const core::RemoteException& remote) {
  const auto* found = std::ranges::find_if(kRemedies, [&](const Remedy& remedy) {
    return remote.type.ends_with(remedy.java_class) && remote.message.contains(remedy.contains);
  });
  return found == kRemedies.end() ? std::string_view() : found->sentence;
}

bool is_remote(const core::Error& error, std::string_view simple_name) {
  return error.remote && error.remote->type.ends_with(simple_name);
}

}  // namespace

core::Error explain(core::Error error, std::string_view doing) {
  if (error.remote) {
    if (const auto remedy = remedy_for(*error.remote); !remedy.empty()) error.message += fmt::format(" ({})", remedy);
  }
  return std::move(error).within(doing);
}

bool is_not_registered(const core::Error& error) {
  return is_remote(error, ".ApplicationMasterNotRegisteredException");
}

bool is_already_registered(const core::Error& error) {
  return is_remote(error, ".InvalidApplicationMasterRequestException") &&
         error.remote->message.contains("already registered");
}

bool is_attempt_over(const core::Error& error) {
  return is_remote(error, ".ApplicationAttemptNotFoundException");
}

}  // namespace ydl::yarn
