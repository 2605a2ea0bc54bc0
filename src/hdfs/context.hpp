#pragma once

#include "hdfs/datanodes.hpp"
#include "hdfs/namenode.hpp"
#include "hdfs/options.hpp"
#include "hdfs/wakeup.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ydl::hdfs {

// The state that a file system shares with its readers and writers. Single-threaded.
struct Context {
  Context(net::asio::any_io_executor executor_, Options options_);

  // Requested only once, then cached.
  [[nodiscard]] net::Async<ServerDefaults> server_defaults();

  net::asio::any_io_executor executor;
  Options options;
  std::string client_name;  // the holder of the leases of all files that are being written
  NameNode namenode;
  Datanodes datanodes;

 private:
  friend class WriterLease;
  static net::awaitable<void> renew_leases(std::shared_ptr<Context> self);

  std::optional<ServerDefaults> defaults_;
  int writers_ = 0;
  bool renewing_ = false;
  Wakeup last_writer_gone_;
};

// While at least one object exists, the client's lease is renewed, once for all files together.
class WriterLease {
 public:
  explicit WriterLease(std::shared_ptr<Context> context);
  ~WriterLease();
  WriterLease(WriterLease&&) noexcept = default;
  WriterLease& operator=(WriterLease&&) = delete;

 private:
  std::shared_ptr<Context> context_;
};

}  // namespace ydl::hdfs
