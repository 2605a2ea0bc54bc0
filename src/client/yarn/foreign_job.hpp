#pragma once

#include "client/yarn/cluster_client.hpp"
#include "net/http_client.hpp"
#include "ui/model.hpp"
#include "yarn/records.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::client {

// The tag of an application that contains the fingerprint of its master's certificate, for users other than its owner.
// The ResourceManager reports tags as the owner has submitted them, over an authenticated connection.
[[nodiscard]] std::string fingerprint_tag(std::string_view fingerprint);
[[nodiscard]] std::optional<std::string> fingerprint_of(const std::vector<std::string>& tags);

[[nodiscard]] core::JobState state_of(const yarn::AppReport& report);

// Another user's job on a cluster: the report of the ResourceManager and, while it runs, the address of its master.
// Only the owner can read its records and logs on HDFS.
struct ForeignJob {
  std::string id;
  yarn::AppReport report;
  std::optional<net::Endpoint> master = std::nullopt;  // its key is this user's token
  std::string rest;                                    // what this user cannot see, where it is, and how to get access
};

// `user` is the current user. Nothing if the application belongs to that user, or was not submitted by ydl. Pure.
[[nodiscard]] std::optional<ForeignJob> foreign_job(yarn::AppReport report, const std::string& user);

// The job as the ResourceManager reports it, without tasks and paths.
[[nodiscard]] ui::JobView view_of(const ForeignJob& job);

}  // namespace ydl::client
