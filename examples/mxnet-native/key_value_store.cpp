#include "key_value_store.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace mx {
namespace {

// ps-lite sends what has the higher priority first. The next step begins with the first layers.
int priority_of(int key) {
  return -key;
}

constexpr int kController = 0;  // the one kind of command that MXNet's server hands to the program

// MXNet calls back through C, where no exception may pass. A server that cannot update has lost the job's parameters,
// so its process ends and the launcher sees it.
template <typename Function>
void run_or_end_process(Function&& function) noexcept {
  try {
    std::forward<Function>(function)();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_mnist_native: %s\n", error.what());
    std::_Exit(EXIT_FAILURE);
  }
}

void call_updater(int key, NDArrayHandle received, NDArrayHandle stored, void* updater) {
  run_or_end_process([&] {
    const Array gradient(received);  // both handles are ours to free
    const Array parameters(stored);
    (*static_cast<Updater*>(updater))(key, gradient, parameters);
  });
}

void call_command_handler(int /*kind*/, const char* command, void* handler) {
  run_or_end_process([&] { (*static_cast<CommandHandler*>(handler))(command); });
}

}  // namespace

Role role_of_this_process() {
  int is_worker = 0;
  int is_scheduler = 0;
  check(MXKVStoreIsWorkerNode(&is_worker));
  check(MXKVStoreIsSchedulerNode(&is_scheduler));
  if (is_worker != 0) return Role::worker;
  return is_scheduler != 0 ? Role::scheduler : Role::server;
}

KeyValueStore::KeyValueStore(const std::string& type) {
  KVStoreHandle handle = nullptr;
  check(MXKVStoreCreate(type.c_str(), &handle));
  handle_.reset(handle);
}

int KeyValueStore::rank() const {
  int rank = 0;
  check(MXKVStoreGetRank(handle_.get(), &rank));
  return rank;
}

int KeyValueStore::worker_count() const {
  int count = 0;
  check(MXKVStoreGetGroupSize(handle_.get(), &count));
  return count;
}

void KeyValueStore::init(std::span<const Array> values) {
  std::vector<int> keys;
  std::vector<NDArrayHandle> handles;
  for (const Array& value : values) {
    keys.push_back(static_cast<int>(keys.size()));
    handles.push_back(value.get());
  }
  check(MXKVStoreInit(handle_.get(), static_cast<std::uint32_t>(keys.size()), keys.data(), handles.data()));
}

void KeyValueStore::init(int key, const Array& value) {
  NDArrayHandle handle = value.get();
  check(MXKVStoreInit(handle_.get(), 1, &key, &handle));
}

void KeyValueStore::push(int key, const Array& value) {
  NDArrayHandle handle = value.get();
  check(MXKVStorePush(handle_.get(), 1, &key, &handle, priority_of(key)));
}

void KeyValueStore::pull(int key, const Array& value) {
  NDArrayHandle handle = value.get();
  check(MXKVStorePull(handle_.get(), 1, &key, &handle, priority_of(key)));
}

void KeyValueStore::set_updater(Updater updater) {
  updater_ = std::move(updater);
  check(MXKVStoreSetUpdater(handle_.get(), call_updater, &updater_));
}

void KeyValueStore::send_command_to_servers(const std::string& command) {
  check(MXKVStoreSendCommmandToServers(handle_.get(), kController, command.c_str()));
}

void KeyValueStore::run_server(CommandHandler on_command) {
  check(MXKVStoreRunServer(handle_.get(), call_command_handler, &on_command));
}

}  // namespace mx
