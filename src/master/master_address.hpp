#pragma once

#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace ydl::master {

class Master;

// The master's address in the job's folder on HDFS, master.json: clients and agents find it there.
class MasterAddress {
 public:
  // `folder` is the job's on HDFS.
  MasterAddress(std::shared_ptr<hdfs::FileSystem> fs, const std::string& folder, std::int64_t epoch)
      : fs_(std::move(fs)), file_(folder + "/master.json"), epoch_(epoch) {}

  // Clients look for it once the ResourceManager says that the master runs.
  [[nodiscard]] net::awaitable<void> publish(const Master& master) const;
  // A master that was replaced while it started may write its address after this one: it is looked at for a while.
  [[nodiscard]] net::awaitable<void> keep_published(const Master& master) const;
  // The job has ended.
  [[nodiscard]] net::awaitable<void> remove() const;

 private:
  std::shared_ptr<hdfs::FileSystem> fs_;
  std::string file_;
  std::int64_t epoch_;
};

}  // namespace ydl::master
