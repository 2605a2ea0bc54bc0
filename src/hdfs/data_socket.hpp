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

// A TCP connection to a DataNode. Every wait has a deadline. At most one read and one write may be active at a time.
//
// A block is transferred in thousands of small steps, so deadlines must be cheap: an operation only stores its
// deadline, and one timer per connection expires at the earliest stored one.
class DataSocket {
 public:
  // Errors: datanode_lost (refused, no route), datanode_silent.
  [[nodiscard]] static net::Async<DataSocket> connect(boost::asio::ip::tcp::endpoint peer, core::Millis at_most);

  // Reads at least one byte. Errors: datanode_lost (the peer closed or reset the connection), datanode_silent.
  [[nodiscard]] net::Async<std::size_t> read_some(std::span<char> into, core::Millis at_most);
  [[nodiscard]] net::Async<> write(std::span<const std::string_view> pieces, core::Millis at_most);

  // Active operations fail.
  void close();
  ~DataSocket();
  DataSocket(DataSocket&&) noexcept = default;
  DataSocket& operator=(DataSocket&&) noexcept;

  // "127.0.0.1:9866".
  [[nodiscard]] const std::string& peer() const;

  // Whether an idle connection is still open and has received nothing.
  [[nodiscard]] bool still_quiet();

 private:
  struct State;
  explicit DataSocket(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace ydl::hdfs
