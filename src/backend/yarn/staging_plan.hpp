#pragma once

#include "backend/packing/byte_source.hpp"
#include "backend/packing/hash_memory.hpp"
#include "backend/packing/python_env.hpp"
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

// One file of the cache, to be found in every container's directory.
struct StagingItem {
  struct File {
    std::filesystem::path path;
    FileStamp stamp;
  };

  std::string name;        // in the container's directory
  std::string cache_name;  // in the cache; of an archive with the suffix by which NodeManagers unpack it
  yarn::LocalResource::Type type = yarn::LocalResource::Type::file;
  std::variant<File, FileTree> content;
  std::uint64_t size = 0;
  std::string sha256;  // once hashed

  [[nodiscard]] std::unique_ptr<ByteSource> open() const;
};

// What a job's containers need and how a task's working directory is made of it.
//
// The directory of submission travels as one archive, "code". Its largest parts, files and folders of its top level,
// travel on their own, so that an edited script does not send a data set again; programs and libraries stay together.
// Where everything lies in the end:
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
};

// A file or folder of this size travels on its own.
inline constexpr std::uint64_t kPartSize = std::uint64_t{4} << 20U;

// Looks at names and sizes only. `executable` is what the containers run: a ydl.
// Errors: what is named does not exist or cannot be read; more than the job's limit would travel; an archive that
// NodeManagers do not unpack.
[[nodiscard]] core::Result<StagingPlan> plan_staging(const spec::JobSpec& job, const std::string& executable,
                                                     const std::optional<PythonEnv>& python_env);

// Reads what the memory does not know. Errors: it cannot be read; cancelled.
[[nodiscard]] core::Result<> hash_items(StagingPlan& plan, HashMemory& memory, core::WallTime now,
                                        const std::stop_token& stop = {});

// The name of a file in the cache: letters that need no quoting anywhere, and not too many of them.
[[nodiscard]] std::string cache_name(const std::filesystem::path& path, std::string_view suffix = "");

}  // namespace ydl::backend
