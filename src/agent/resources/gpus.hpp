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
  std::uint64_t memory_bytes = 0;  // 0 when the driver does not say

  bool operator==(const Gpu&) const = default;
};

// What `nvidia-smi --query-gpu=index,uuid,name,memory.total --format=csv,noheader,nounits` prints.
[[nodiscard]] core::Result<std::vector<Gpu>> parse_nvidia_smi(std::string_view output);

// The GPUs of this machine as nvidia-smi tells them, found on PATH or named by YDL_NVIDIA_SMI. Without that program:
// none. An Error when it is there and fails, or takes longer than `limit`, as it does on a sick driver.
[[nodiscard]] core::Result<std::vector<Gpu>> discover_gpus(const core::Getenv& getenv = core::process_getenv,
                                                           core::Millis limit = core::Seconds(5));

// The value of CUDA_VISIBLE_DEVICES that shows a task these and no others: by UUID, which no reordering changes. ""
// for none, which hides all.
[[nodiscard]] std::string visible_devices(std::span<const Gpu> gpus);

// Whether this host has a GPU that a task could use, as far as its device files tell: without asking the driver.
[[nodiscard]] bool has_gpu_device(const std::filesystem::path& devices = "/dev");

// Begins the names by which all agents of a host lock the GPUs that their tasks have: other jobs, other users, other
// containers of YARN where no cgroups keep them apart. A GPU's UUID follows.
inline constexpr std::string_view kGpuLocks = "ydl-gpu-";

// Whole GPUs, handed out and taken back.
class GpuPool {
 public:
  // Without a name for locks nobody else is thought of; the same where there can be no lock.
  explicit GpuPool(std::vector<Gpu> gpus, std::string locks = {});

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  // Neither a task's of this pool nor locked by another one.
  [[nodiscard]] std::size_t available();
  // The processes outside that have GPUs: "GPU 0: process 4711 of user alice".
  [[nodiscard]] std::vector<std::string> holders();
  // `count` GPUs with the lowest free numbers, neighbours being likely to be linked; nothing when fewer are free.
  [[nodiscard]] std::optional<std::vector<Gpu>> allocate(std::size_t count);
  // Takes back what allocate() gave.
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
