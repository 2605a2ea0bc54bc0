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
    {"ApplicationNotFoundException", "", "it never existed, or it ended so long ago that it is forgotten"},
    {"AccessControlException", "does not have permission to submit", "ask for another queue with --queue"},
    {"AccessControlException", "", "only its owner and the cluster's administrators may do that"},
    {"YarnException", "cannot perform operation MODIFY_APP",
     "only its owner, whom 'modify' of its ACL allows it, and the cluster's administrators may do that"},
    {"InvalidResourceRequestException", "", "ask for less, or have the administrator raise the maximum"},
    {"SchedulerInvalidResoureRequestException", "", "ask for less, or have the administrator raise the maximum"},
    {"InvalidLabelResourceRequestException", "", "the queue may not use that label; `ydl doctor` lists what it may"},
    {"InvalidToken", "expired", "log in again for a fresh token"},
    {"InvalidToken", "", "the token is of another cluster, or the server has restarted without it"},
    {"InvalidContainerException", "", "the container was granted by a ResourceManager that has restarted since"},
    {"YarnException", "token is expired", "its clock and the ResourceManager's differ, or the grant came too late"},
    {"YarnException", "queue", "the queues of the cluster are those of its administrator; choose one with --queue"},
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
