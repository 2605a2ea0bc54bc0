#pragma once

#include "hdfs/file_system.hpp"
#include "net/asio.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace ydl::master {

class Master;

// Publishes the master's address as master.json in the job's folder on HDFS, where clients and agents find it.
class MasterAddress {
 public:
  // `folder` is the job's folder in HDFS.
  MasterAddress(std::shared_ptr<hdfs::FileSystem> fs, const std::string& folder, std::int64_t epoch)
      : fs_(std::move(fs)), file_(folder + "/master.json"), epoch_(epoch) {}

  // Clients read it when the ResourceManager reports that the master runs.
  [[nodiscard]] net::awaitable<void> publish(const Master& master) const;
  // A master that was replaced during its start may still overwrite the address, so the file is checked for a while.
  [[nodiscard]] net::awaitable<void> keep_published(const Master& master) const;
  // The job has ended.
  [[nodiscard]] net::awaitable<void> remove() const;

 private:
  std::shared_ptr<hdfs::FileSystem> fs_;
  std::string file_;
  std::int64_t epoch_;
};

}  // namespace ydl::master
