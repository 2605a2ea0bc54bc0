#pragma once

#include "hdfs/file_systems.hpp"
#include "hdfs/namenode.hpp"
#include "libhdfs/protocol.hpp"
#include "net/stream.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ydl::libhdfs {

// What all connections of a helper share.
struct Shared {
  // Why no file system can be used; every request fails with it.
  std::optional<core::Error> broken;
  hconf::Config config;
  std::string user;
  std::optional<hdfs::FileSystem> home;
  std::optional<hdfs::FileSystems> file_systems;
  std::vector<hrpc::Token> tokens;
  std::map<std::string, std::unique_ptr<hdfs::NameNode>> name_nodes;  // by name service, for questions about clusters
  std::size_t readers = 0;                                            // connections that read a file
};

// One connection of libhdfs.so: answers its requests one after the other. A connection that opened a file has this file
// until it is closed. Back-pressure comes from the socket: a program that does not read its answers, or writes faster
// than HDFS, makes only this connection wait. Single-threaded.
//
//   idle ──OPEN──> reading ──CLOSE──> idle        idle ──CREATE──> writing ──CLOSE──> idle
//                                                                    └─ a failure is sent once ──> failed, until the
//                                                                    end
class Session {
 public:
  Session(net::Socket socket, Shared& shared);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Returns when the program has closed the connection or violated the protocol. A file that it was writing is closed
  // then, so that its lease ends.
  net::awaitable<void> run();

 private:
  // The answer, a whole frame; empty if there is none, or if it was sent already. Errors: those of HDFS, which are
  // sent; kProtocol ends the connection.
  using Reply = net::Async<std::string>;

  [[nodiscard]] net::awaitable<bool> serve_one();
  [[nodiscard]] net::awaitable<bool> send(std::string frame);
  [[nodiscard]] Reply answer(Request request);
  [[nodiscard]] core::Result<hdfs::FileSystems::Location> locate(const std::string& path);
  [[nodiscard]] core::Result<hdfs::NameNode*> name_node(const std::string& path);

  [[nodiscard]] Reply on(Hello request);
  [[nodiscard]] Reply on(Connect request);
  [[nodiscard]] Reply on(Conf request);
  [[nodiscard]] Reply on(Status request);
  [[nodiscard]] Reply on(List request);
  [[nodiscard]] Reply on(MakeDirectory request);
  [[nodiscard]] Reply on(Rename request);
  [[nodiscard]] Reply on(Delete request);
  [[nodiscard]] Reply on(Chmod request);
  [[nodiscard]] Reply on(Chown request);
  [[nodiscard]] Reply on(Utime request);
  [[nodiscard]] Reply on(SetReplication request);
  [[nodiscard]] Reply on(Hosts request);
  [[nodiscard]] Reply on(Space request);
  [[nodiscard]] Reply on(Defaults request);
  [[nodiscard]] Reply on(Open request);
  [[nodiscard]] Reply on(Read request);
  [[nodiscard]] Reply on(Create request);
  [[nodiscard]] Reply on(Write request);
  [[nodiscard]] Reply on(Flush request);
  [[nodiscard]] Reply on(Close request);

  [[nodiscard]] net::Async<> read_stream(std::uint64_t end);
  [[nodiscard]] Reply read_piece(std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] net::awaitable<bool> send_data(std::span<const char> data);

  net::Stream stream_;
  Shared& shared_;
  std::vector<char> body_;
  bool greeted_ = false;
  bool ended_ = false;  // the connection is of no use any more

  std::optional<hdfs::FileReader> reader_;
  std::span<const char> left_;  // of the reader, not sent yet
  std::uint64_t at_ = 0;        // the position of `left_`
  std::uint64_t last_end_ = 0;  // the end of the last piece that was read on its own
  std::optional<hdfs::FileWriter> writer_;
  bool failed_ = false;  // the writer has failed, and the program was told
};

}  // namespace ydl::libhdfs
