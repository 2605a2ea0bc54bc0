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

// Turns a host name into an address; numeric addresses never reach it. It must answer in bounded time.
using Resolve = std::function<boost::asio::awaitable<core::Result<boost::asio::ip::address>>(std::string host)>;

struct SchedulerOptions {
  // job.port is filled in with the port listened on. job.host must be what DMLC_PS_ROOT_URI says; begin() can tell it.
  FsmOptions job = {};
  std::string address = "127.0.0.1";  // numeric; 0.0.0.0 for all
  std::uint16_t port = 0;             // 0: the kernel chooses
  std::uint16_t last_port = 0;        // above `port`: any of the two and what lies between will do
  bool waits_for_begin = false;       // connections wait until begin(): nobody is a stranger before
  Resolve resolve = {};
  // Whether a task of this job may call from that address although none was expected there: a host can have several.
  std::function<bool(const std::string& address)> vouches_for = {};
  // Called on the executor, never from within the methods of Scheduler, never after close(). It may call them.
  std::function<void(const Notice&)> notify = {};

  Millis handshake_timeout = core::Seconds(10);      // from a connection to its READY, and to its first message
  Millis connect_timeout = core::Seconds(10);        // of one attempt to connect back to a node
  Millis unreachable_after = core::Seconds(60);      // of failed attempts, one after another
  std::size_t max_links = 0;                         // accepted connections at a time; 0: four for each node and 64
  std::size_t frame_bytes = std::size_t{64} << 10U;  // of a control message; nodes send some 60 bytes
  std::size_t queue_bytes = std::size_t{8} << 20U;   // waiting to be sent to one node
};

// The parameter server's scheduler of one MXNet job, as a guest in another program's event loop. Life: listen() →
// (expect, begin, node_exited)* → notices up to Finished or Failed → close(). All calls come from one thread, the
// one that runs the executor.
class Scheduler {
 public:
  // Errors: Errc::usage for an address that is not numeric, Errc::exists when it is in use, Errc::io otherwise.
  [[nodiscard]] static core::Result<std::unique_ptr<Scheduler>> listen(const boost::asio::any_io_executor& executor,
                                                                       SchedulerOptions options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  [[nodiscard]] std::uint16_t port() const;

  void begin(std::string host = {}, std::optional<int> workers = std::nullopt);
  void expect(Expect expected);
  void node_exited(NodeExited exited);

  // Ends every connection at once. The nodes are not told: ps-lite has no words for it.
  void close();

 private:
  class Engine;
  explicit Scheduler(std::shared_ptr<Engine> engine);
  std::shared_ptr<Engine> engine_;
};

}  // namespace ydl::pslite
