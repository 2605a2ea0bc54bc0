#pragma once

#include "mx.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace mx {

enum class Role { worker, server, scheduler };
// From DMLC_ROLE; a program that no launcher started is a worker.
[[nodiscard]] Role role_of_this_process();

// Called with each key's gradients, added up over the workers, and the parameters they are for.
using Updater = std::function<void(int key, const Array& gradient, const Array& parameters)>;
// Called with each command that a worker sends to the servers.
using CommandHandler = std::function<void(std::string_view command)>;

// The store that keeps the workers' parameters equal. The destructor of a worker's distributed store waits for all
// other workers: a worker that failed must end its process without it.
class KeyValueStore {
 public:
  explicit KeyValueStore(const std::string& type);

  [[nodiscard]] int rank() const;
  [[nodiscard]] int worker_count() const;

  // Keys are the positions in the list. The first worker's values count; returns when all workers are here.
  void init(std::span<const Array> values);
  void init(int key, const Array& value);
  void push(int key, const Array& value);
  void pull(int key, const Array& value);

  // What happens to pushed values where they are stored: in this process with a local store, in a server's process
  // with a distributed one, and there only while it runs.
  void set_updater(Updater updater);
  void send_command_to_servers(const std::string& command);
  // Serves as server or scheduler, as DMLC_ROLE says, until the workers are done.
  void run_server(CommandHandler on_command);

 private:
  Owner<MXKVStoreFree> handle_;
  Updater updater_;  // its address is known to MXNet: the store stays where it is
};

}  // namespace mx
