#pragma once

#include "agent/resources/gpu_lock.hpp"
#include "core/clock.hpp"
#include "core/result.hpp"
#include "core/user.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::agent {

struct Gpu {
  int index = 0;
  std::string uuid;  // "GPU-8f3e..."
  std::string name;
  std::uint64_t memory_bytes = 0;  // 0 if the driver does not report it

  bool operator==(const Gpu&) const = default;
};

// Parses the output of `nvidia-smi --query-gpu=index,uuid,name,memory.total --format=csv,noheader,nounits`.
[[nodiscard]] core::Result<std::vector<Gpu>> parse_nvidia_smi(std::string_view output);

// The GPUs of this machine as nvidia-smi lists them. The program is searched in PATH, or named by YDL_NVIDIA_SMI.
// Without the program there are no GPUs. Errors: the program fails, or takes longer than `limit`, as with a broken
// driver.
[[nodiscard]] core::Result<std::vector<Gpu>> discover_gpus(const core::Getenv& getenv = core::process_getenv,
                                                           core::Millis limit = core::Seconds(5));

// The value of CUDA_VISIBLE_DEVICES with which a task sees exactly these GPUs. It contains UUIDs, because numbers may
// be reordered. "" hides all GPUs.
[[nodiscard]] std::string visible_devices(std::span<const Gpu> gpus);

// Whether this host has device files of a GPU. Does not call the driver.
[[nodiscard]] bool has_gpu_device(const std::filesystem::path& devices = "/dev");

// The prefix of the names with which all agents of a host lock GPUs; the UUID of the GPU follows. The locks also
// separate other jobs, other users, and containers of YARN that are not isolated by cgroups.
inline constexpr std::string_view kGpuLocks = "ydl-gpu-";

// Assigns whole GPUs to tasks.
class GpuPool {
 public:
  // Without a name for locks, or if locks do not work, other processes are not considered.
  explicit GpuPool(std::vector<Gpu> gpus, std::string locks = {});

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  // GPUs that are neither assigned by this pool nor locked by another process.
  [[nodiscard]] std::size_t available();
  // Other processes that have locked GPUs: "GPU 0: process 4711 of user alice".
  [[nodiscard]] std::vector<std::string> holders();
  // The `count` free GPUs with the lowest numbers, because neighbours are likely to be linked. Nothing if fewer are
  // free.
  [[nodiscard]] std::optional<std::vector<Gpu>> allocate(std::size_t count);
  // Releases GPUs that allocate() returned.
  void release(std::span<const Gpu> gpus);

 private:
  struct Slot {
    Gpu gpu;
    bool taken = false;
    GpuLock lock = {};
  };
  [[nodiscard]] GpuLock::State lock(Slot& slot) const;
  [[nodiscard]] bool take(Slot& slot) const { return lock(slot) != GpuLock::State::taken; }

  std::vector<Slot> slots_;
  std::string locks_;
};

}  // namespace ydl::agent
