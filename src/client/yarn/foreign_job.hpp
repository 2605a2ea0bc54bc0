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

// The tag of an application with which others than its owner know the certificate of its master. The ResourceManager
// reports tags as the owner has submitted them, over an authenticated connection.
[[nodiscard]] std::string fingerprint_tag(std::string_view fingerprint);
[[nodiscard]] std::optional<std::string> fingerprint_of(const std::vector<std::string>& tags);

[[nodiscard]] core::JobState state_of(const yarn::AppReport& report);

// Somebody else's job on a cluster: what the ResourceManager reports of it and, while it runs, the way to its master.
// Its records and logs on HDFS can be read by its owner alone.
struct ForeignJob {
  std::string id;
  yarn::AppReport report;
  std::optional<net::Endpoint> master = std::nullopt;  // with this user's token as its key
  std::string rest;                                    // what cannot be seen, where it is, and who could change that
};

// `user`: who asks. Nothing where the application is that user's own, or not one of ydl. Pure.
[[nodiscard]] std::optional<ForeignJob> foreign_job(yarn::AppReport report, const std::string& user);

// The job as the ResourceManager knows it. Tasks and paths are not known to it.
[[nodiscard]] ui::JobView view_of(const ForeignJob& job);

}  // namespace ydl::client
