#include "agent/resources/machine.hpp"

#include "core/clock.hpp"

namespace ydl::agent {

net::Async<GpuPool*> Machine::gpus() {
  if (gpus_) co_return &*gpus_;
  if (const auto look = look_) {
    while (!look->result) co_await look->ended.wait(core::Seconds(60));
    if (!*look->result) co_return core::fail(look->result->error());
    co_return &*gpus_;
  }
  const auto look = look_ = std::make_shared<GpuLook>(co_await net::asio::this_coro::executor);
  auto found = std::make_shared<core::Result<std::vector<Gpu>>>();
  look->result = co_await worker_.run([found](const std::stop_token&) { *found = discover_gpus(); });
  look_.reset();
  if (*look->result && !*found) look->result = core::fail(found->error());
  if (*look->result) gpus_.emplace(**std::move(found), std::string(kGpuLocks));
  look->ended.notify();
  if (!*look->result) co_return core::fail(look->result->error());
  co_return &*gpus_;
}

void Machine::release(std::span<const Gpu> gpus) {
  if (gpus_) gpus_->release(gpus);
}

void Machine::add_reaper(pid_t pid) {
  reapers_.push_back(pid);
}

void Machine::remove_reaper(pid_t pid) {
  std::erase(reapers_, pid);
}

Cgroups& Machine::cgroups() {
  if (!cgroups_) {
    cgroups_ = Cgroups::detect();
    cgroups_->remove_leftovers(core::wall_now(), core::Seconds(3600));
  }
  return *cgroups_;
}

}  // namespace ydl::agent
