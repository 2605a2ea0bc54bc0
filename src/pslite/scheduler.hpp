#pragma once

#include "core/result.hpp"
#include "pslite/scheduler_types.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>

namespace ydl::pslite {

// Resolves a host name; it is not called for numeric addresses. It must have a time limit.
using Resolve = std::function<boost::asio::awaitable<core::Result<boost::asio::ip::address>>(std::string host)>;

struct SchedulerOptions {
  // job.port is set to the listening port. job.host must equal DMLC_PS_ROOT_URI; it can also be set in begin().
  FsmOptions job = {};
  std::string address = "127.0.0.1";  // numeric; 0.0.0.0 for all interfaces
  std::uint16_t port = 0;             // 0: any free port
  std::uint16_t last_port = 0;        // if higher than `port`: the first free port of this range is used
  // connections are not checked until begin(), because the tasks are not known before
  bool waits_for_begin = false;
  Resolve resolve = {};
  // Whether a task may connect from this address although it is not an expected one: a host can have several addresses.
  std::function<bool(const std::string& address)> vouches_for = {};
  // Called on the executor, never from inside a method of Scheduler and never after close(). It may call these methods.
  std::function<void(const Notice&)> notify = {};

  Millis handshake_timeout = core::Seconds(10);      // from the connection to READY, and to the first message
  Millis connect_timeout = core::Seconds(10);        // for one attempt to connect to a node
  Millis unreachable_after = core::Seconds(60);      // time of consecutive failed attempts
  std::size_t max_links = 0;                         // simultaneous accepted connections; 0: four per node plus 64
  std::size_t frame_bytes = std::size_t{64} << 10U;  // limit of a control message; nodes send about 60 bytes
  std::size_t queue_bytes = std::size_t{8} << 20U;   // limit of bytes waiting to be sent to one node
};

// The scheduler of the parameter server of one MXNet job, in the event loop of its caller. Life cycle: listen() →
// (expect, begin, node_exited)* → notices up to Finished or Failed → close(). All calls must be made in the thread of
// the executor.
class Scheduler {
 public:
  // Errors: Errc::usage for an address that is not numeric, Errc::exists if it is in use, Errc::io otherwise.
  [[nodiscard]] static core::Result<std::unique_ptr<Scheduler>> listen(const boost::asio::any_io_executor& executor,
                                                                       SchedulerOptions options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  [[nodiscard]] std::uint16_t port() const;

  void begin(std::string host = {}, std::optional<int> workers = std::nullopt);
  void expect(Expect expected);
  void node_exited(NodeExited exited);

  // Closes all connections immediately. The nodes are not informed, because ps-lite has no message for this.
  void close();

 private:
  class Engine;
  explicit Scheduler(std::shared_ptr<Engine> engine);
  std::shared_ptr<Engine> engine_;
};

}  // namespace ydl::pslite
