#pragma once

#include "hrpc/client.hpp"
#include "scale/resource_tracker.pb.h"
#include "yarn/proto/master_service.pb.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>

namespace ydl::bench {

// What all hollow nodes of a process have done so far.
struct Counts {
  int registered = 0;
  int started = 0;
  int ended = 0;
  core::Instant first_start{};
  core::Instant last_start{};
};

// A NodeManager without processes: it registers with a real ResourceManager, sends heartbeats and takes containers, in
// each of which a HollowAgent runs. It listens on an address of its own, as a host of that name.
class HollowNode : public std::enable_shared_from_this<HollowNode> {
 public:
  struct Options {
    std::string address;
    std::uint16_t port = 0;
    int memory_mib = 0;
    int vcores = 0;
    core::Millis task_life{0};
  };
  HollowNode(const net::asio::any_io_executor& executor, Options options, Counts& counts);

  // `resource_manager` outlives it. The first heartbeat comes after `delay`: nodes do not start all at once.
  void start(hrpc::Client& resource_manager, core::Millis delay);

 private:
  using Socket = net::asio::ip::tcp::socket;

  struct Container {
    hadoop::yarn::ContainerIdProto id;
    bool ended = false;
  };

  [[nodiscard]] static net::awaitable<void> listen(std::shared_ptr<HollowNode> self);
  [[nodiscard]] static net::awaitable<void> serve(std::shared_ptr<HollowNode> self, Socket socket);
  [[nodiscard]] static net::awaitable<void> track(std::shared_ptr<HollowNode> self, hrpc::Client& resource_manager,
                                                  core::Millis delay);
  [[nodiscard]] net::Async<> enlist(hrpc::Client& resource_manager);
  [[nodiscard]] net::Async<> beat(hrpc::Client& resource_manager);
  [[nodiscard]] hadoop::yarn::NodeStatusProto status() const;
  // The answer to a frame, empty where none is due; nothing: it is malformed.
  [[nodiscard]] std::optional<std::string> answer(std::string_view frame);
  [[nodiscard]] std::string start_containers(const std::string& body);
  [[nodiscard]] std::string stop_containers(const std::string& body);
  void start_container(const hadoop::yarn::StartContainerRequestProto& request,
                       const hadoop::yarn::ContainerIdProto& id);
  void end_container(const std::string& key);

  net::asio::any_io_executor executor_;
  Options options_;
  Counts& counts_;
  std::map<std::string, Container> containers_;  // by the bytes of the id
  int response_id_ = 0;
  std::string container_key_;
  std::string node_key_;
};

}  // namespace ydl::bench
