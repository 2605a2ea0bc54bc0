#pragma once

#include "core/result.hpp"
#include "hconf/config.hpp"
#include "hdfs/file_system.hpp"
#include "hrpc/token.hpp"
#include "net/asio.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ydl::hdfs {

// The file systems that a job's URLs name: the default one, and others of the same configuration, each with the
// options of its own name service. They are opened when they are first named. Belongs to one thread.
class FileSystems {
 public:
  struct Login {
    std::string user;
    std::vector<hrpc::Token> tokens = {};
  };
  // `home` is the default one. It outlives this.
  FileSystems(net::asio::any_io_executor executor, FileSystem& home, hconf::Config config, Login login);

  struct Location {
    FileSystem* fs;
    std::string path;
  };
  // "hdfs://other/a" on its own file system; what names none, or the default one, on that. Errors: usage.
  [[nodiscard]] core::Result<Location> locate(std::string_view url);

  void close();

 private:
  net::asio::any_io_executor executor_;
  FileSystem& home_;
  hconf::Config config_;
  Login login_;
  std::map<std::string, std::unique_ptr<FileSystem>, std::less<>> others_;  // by name of the name service
};

}  // namespace ydl::hdfs
