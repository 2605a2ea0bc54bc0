#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"
#include "net/asio.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

namespace ydl::hdfs {

// One TCP connection to a DataNode; every wait has a deadline. One read and one write may be under way at a time.
//
// A block moves in thousands of small steps, so deadlines are cheap: an operation notes until when it may last, and one
// timer per connection looks only when the earliest noted time has come.
class DataSocket {
 public:
  // Errors: datanode_lost (refused, no route), datanode_silent.
  [[nodiscard]] static net::Async<DataSocket> connect(boost::asio::ip::tcp::endpoint peer, core::Millis at_most);

  // At least one byte. Errors: datanode_lost (the peer closed or reset it), datanode_silent.
  [[nodiscard]] net::Async<std::size_t> read_some(std::span<char> into, core::Millis at_most);
  [[nodiscard]] net::Async<> write(std::span<const std::string_view> pieces, core::Millis at_most);

  // What is under way ends with an error.
  void close();
  ~DataSocket();
  DataSocket(DataSocket&&) noexcept = default;
  DataSocket& operator=(DataSocket&&) noexcept;

  // "127.0.0.1:9866".
  [[nodiscard]] const std::string& peer() const;

  // Whether nothing has come from an idle connection, not even its end.
  [[nodiscard]] bool still_quiet();

 private:
  struct State;
  explicit DataSocket(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace ydl::hdfs
