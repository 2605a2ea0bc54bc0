#pragma once

#include "backend/packing/byte_source.hpp"
#include "backend/packing/hash_memory.hpp"
#include "backend/packing/python_env.hpp"
#include "backend/yarn/staged_job.hpp"
#include "core/result.hpp"
#include "protocol/commands.hpp"
#include "spec/job_spec.hpp"
#include "yarn/launch_context.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace ydl::backend {

// A file of the cache that appears in the directory of every container.
struct StagingItem {
  struct File {
    std::filesystem::path path;
    FileStamp stamp;
    std::string known_hash = {};  // if it was hashed when it was made
  };

  std::string name;        // in the container's directory
  std::string cache_name;  // in the cache; an archive keeps its suffix, by which NodeManagers recognise it
  yarn::LocalResource::Type type = yarn::LocalResource::Type::file;
  std::variant<File, FileTree> content;
  std::uint64_t size = 0;
  std::string sha256;  // set once it is hashed

  [[nodiscard]] std::unique_ptr<ByteSource> open() const;
};

// The files that a job's containers need, and how they appear in a task's working directory.
//
// The submission directory is uploaded as one archive, "code". Large files and folders of its top level are uploaded
// separately, so that a data set is not uploaded again after a script was edited. Programs and libraries stay together.
// The result:
//
//   container's directory            task's working directory, links
//   ydl                              train.py  -> code/train.py
//   code/train.py, code/util/        util      -> code/util
//   part-1                           data.bin  -> part-1
//   files/0/conf.json                conf.json -> files/0/conf.json
struct StagingPlan {
  std::vector<StagingItem> items;
  std::string linked_directory;       // "code", or empty
  std::vector<protocol::Link> links;  // targets are relative to the container's directory
  std::optional<StagedEnvironment> environment = std::nullopt;
};

// A file or folder of this size is uploaded separately.
inline constexpr std::uint64_t kPartSize = std::uint64_t{4} << 20U;

// Reads only names and sizes, except for a Python environment that was not packed before. `executable` is the ydl that
// the containers run. Errors: a named file does not exist or cannot be read; the job's limit of uploads is exceeded;
// NodeManagers cannot unpack an archive; those of pack(); cancelled.
[[nodiscard]] core::Result<StagingPlan> plan_staging(const spec::JobSpec& job, const std::string& executable,
                                                     const std::optional<PythonEnv>& python_env,
                                                     const std::stop_token& stop = {});

// Reads files whose hash is not in the memory. Errors: a file cannot be read; cancelled.
[[nodiscard]] core::Result<> hash_items(StagingPlan& plan, HashMemory& memory, core::WallTime now,
                                        const std::stop_token& stop = {});

// The name of a file in the cache. It is short and contains only characters that need no quoting.
[[nodiscard]] std::string cache_name(const std::filesystem::path& path, std::string_view suffix = "");

}  // namespace ydl::backend
