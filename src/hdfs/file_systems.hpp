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

// The file systems of a job's URLs: the default one, and others of the same configuration, each with the options of its
// name service. They are opened at first use. Single-threaded.
class FileSystems {
 public:
  struct Login {
    std::string user;
    std::vector<hrpc::Token> tokens = {};
  };
  // `home` is the default file system. It must outlive this object.
  FileSystems(net::asio::any_io_executor executor, FileSystem& home, hconf::Config config, Login login);

  struct Location {
    FileSystem* fs;
    std::string path;
  };
  // The file system and the path of a URL. A path without authority belongs to the default file system. Errors: usage.
  [[nodiscard]] core::Result<Location> locate(std::string_view url);

  void close();

 private:
  net::asio::any_io_executor executor_;
  FileSystem& home_;
  hconf::Config config_;
  Login login_;
  std::map<std::string, std::unique_ptr<FileSystem>, std::less<>> others_;  // the key is the name of the name service
};

}  // namespace ydl::hdfs
