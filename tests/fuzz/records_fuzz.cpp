// Records of a job: master.json, yarn.json, and the manifests of results and saves. A decoded record is equal after it
// was encoded and decoded again.
#include "agent/files/results_store.hpp"
#include "agent/files/save_manifest.hpp"
#include "backend/yarn/yarn_job.hpp"
#include "core/assert.hpp"
#include "net/endpoint_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ydl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto job = backend::yarn_job_from_json(text)) {
    const auto written = backend::to_json(*job);
    const auto again = backend::yarn_job_from_json(written);
    YDL_ASSERT(again && backend::to_json(*again) == written);
  }
  if (const auto endpoint = net::endpoint_from_json(text, "/jobs/a")) {
    // A secret is only sent to a Unix socket, or to a server with the expected certificate.
    YDL_ASSERT(!endpoint->file.empty() || !endpoint->fingerprint.empty());
  }
  (void)agent::Manifest::stamp_in(text);
  if (const auto save = agent::SaveManifest::from_json(text)) {
    YDL_ASSERT(agent::SaveManifest::from_json(save->to_json()) == *save);
    for (const auto& file : save->files) {
      const auto path = std::filesystem::path(*agent::original_path(file.path)).lexically_normal();
      YDL_ASSERT(path.is_relative() && *path.begin() != "..");
    }
  }
  return 0;
}
