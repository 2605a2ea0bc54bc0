#include "agent/resources/gpus.hpp"

#include "agent/process/run_program.hpp"
#include "core/assert.hpp"
#include "core/files.hpp"
#include "core/strings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr std::string_view kProgram = "nvidia-smi";
constexpr std::size_t kMostGpus = 1024;
constexpr int kNoDevices = 6;  // nvidia-smi's exit code if there is a driver but no device

core::Result<Gpu> parse_line(std::string_view line) {
  const auto bad = [line] {
    return core::fail(core::Errc::corrupt, fmt::format("nvidia-smi printed a line that does not describe a GPU: '{}'",
                                                       core::printable(line.substr(0, 200))));
  };
  const auto first = line.find(',');
  const auto second = first == std::string_view::npos ? first : line.find(',', first + 1);
  const auto last = line.rfind(',');  // a name may contain a comma
  if (second == std::string_view::npos || last <= second) return bad();
  const auto index = core::parse_int<int>(core::trim(line.substr(0, first)));
  Gpu gpu;
  gpu.uuid = core::trim(line.substr(first + 1, second - first - 1));
  gpu.name = core::printable(core::trim(line.substr(second + 1, last - second - 1)));
  const bool plain = std::ranges::all_of(gpu.uuid, [](char c) { return c > ' ' && c < '\177'; });
  if (!index || *index < 0 || gpu.uuid.empty() || !plain) return bad();
  gpu.index = *index;
  // It is "[N/A]" if memory is shared with the host. A value that is larger than any GPU is ignored.
  const auto mebibytes = core::parse_int<std::uint64_t>(core::trim(line.substr(last + 1)));
  if (mebibytes && *mebibytes < (std::uint64_t{1} << 40U)) gpu.memory_bytes = *mebibytes << 20U;
  return gpu;
}

}  // namespace

core::Result<std::vector<Gpu>> parse_nvidia_smi(std::string_view output) {
  std::vector<Gpu> gpus;
  for (const auto line : core::split(output, '\n')) {
    if (core::trim(line).empty()) continue;
    if (core::trim(line) == "No devices were found") return std::vector<Gpu>();
    auto gpu = parse_line(line);
    if (!gpu) return core::fail(std::move(gpu.error()));
    if (gpus.size() == kMostGpus) return core::fail(core::Errc::corrupt, "nvidia-smi lists more than 1024 GPUs");
    gpus.push_back(std::move(*gpu));
  }
  return gpus;
}

core::Result<std::vector<Gpu>> discover_gpus(const core::Getenv& getenv, core::Millis limit) {
  const auto named = getenv("YDL_NVIDIA_SMI");
  const auto program = find_program(named.value_or(std::string(kProgram)), getenv("PATH").value_or("/usr/bin:/bin"));
  if (!program) {
    if (!named) return std::vector<Gpu>();
    return core::fail(core::Errc::not_found,
                      fmt::format("YDL_NVIDIA_SMI names '{}', which does not exist or cannot be run", *named));
  }
  const auto ran =
      run_program({*program, "--query-gpu=index,uuid,name,memory.total", "--format=csv,noheader,nounits"}, limit);
  if (!ran) return core::fail(core::Error(ran.error()).within("looking for GPUs"));
  if (ran->shell_code == kNoDevices) return std::vector<Gpu>();
  if (ran->shell_code != 0) {
    const auto said = core::trim(ran->output);
    return core::fail(core::Errc::unavailable,
                      fmt::format("{} failed with exit code {}, so this machine's GPUs cannot be used: {}", *program,
                                  ran->shell_code, core::printable(said.substr(0, said.find('\n')))));
  }
  return parse_nvidia_smi(ran->output);
}

std::string visible_devices(std::span<const Gpu> gpus) {
  std::vector<std::string> names;
  for (const auto& gpu : gpus) names.push_back(gpu.uuid);
  return core::join(names, ",");
}

bool has_gpu_device(const std::filesystem::path& devices) {
  std::error_code error;
  return std::filesystem::exists(devices / "nvidia0", error);
}

GpuPool::GpuPool(std::vector<Gpu> gpus, std::string locks) : locks_(std::move(locks)) {
  std::ranges::sort(gpus, {}, &Gpu::index);
  for (auto& gpu : gpus) slots_.push_back({std::move(gpu)});
}

// The lock ends with this process, however it ends. If locks do not work here, the GPU is used without one.
GpuLock::State GpuPool::lock(Slot& slot) const {
  if (!locks_.empty()) slot.lock = lock_gpu(locks_ + slot.gpu.uuid);
  return slot.lock.state;
}

std::size_t GpuPool::available() {
  std::size_t count = 0;
  for (auto& slot : slots_) {
    if (slot.taken || !take(slot)) continue;
    slot.lock = {};
    ++count;
  }
  return count;
}

std::vector<std::string> GpuPool::holders() {
  const auto accounts = core::read_file("/etc/passwd").value_or("");
  std::vector<std::string> named;
  for (auto& slot : slots_) {
    if (slot.taken) continue;
    const auto state = lock(slot);
    const auto lock = std::exchange(slot.lock, {});
    if (state == GpuLock::State::taken && lock.holder)
      named.push_back(fmt::format("GPU {}: {}", slot.gpu.index, describe(*lock.holder, accounts)));
  }
  return named;
}

std::optional<std::vector<Gpu>> GpuPool::allocate(std::size_t count) {
  std::vector<Gpu> given;
  for (auto& slot : slots_) {
    if (given.size() == count) break;
    if (slot.taken || !take(slot)) continue;
    slot.taken = true;
    given.push_back(slot.gpu);
  }
  if (given.size() == count) return given;
  release(given);
  return std::nullopt;
}

void GpuPool::release(std::span<const Gpu> gpus) {
  for (const auto& gpu : gpus) {
    const auto slot = std::ranges::find(slots_, gpu, &Slot::gpu);
    YDL_ASSERT(slot != slots_.end() && slot->taken);
    slot->taken = false;
    slot->lock = {};
  }
}

}  // namespace ydl::agent
