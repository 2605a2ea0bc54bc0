// Many NodeManagers without processes on this machine, for a real ResourceManager:
//
//   hollow_nodes NODES MEMORY_MIB VCORES TASK_LIFE_MS TRACKER_HOST TRACKER_PORT
//
// Node i listens on 127.7.x.y. Prints "ready" when all are registered, and a JSON object for each line that it reads;
// ends with its standard input.
#include "core/descriptors.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "net/spawn.hpp"
#include "scale/hollow_node.hpp"

#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::bench {
namespace {

constexpr std::uint16_t kPort = 18'041;
constexpr int kNodesPerNetwork = 200;
constexpr std::size_t kConnections = 8;  // to the ResourceManager, shared by the nodes

struct Arguments {
  int nodes = 0;
  int memory_mib = 0;
  int vcores = 0;
  int task_life_ms = 0;
  hconf::HostPort tracker;
};

std::string report_of(const Counts& counts) {
  const auto took = counts.last_start - counts.first_start;
  return boost::json::serialize(boost::json::object{{"registered", counts.registered},
                                                    {"started", counts.started},
                                                    {"ended", counts.ended},
                                                    {"start_s", std::chrono::duration<double>(took).count()}});
}

net::awaitable<void> report(net::asio::io_context& context, const Counts& counts, int nodes) {
  while (counts.registered < nodes) co_await net::pause(core::Millis(50));
  fmt::print("ready\n");
  std::fflush(stdout);
  net::asio::posix::stream_descriptor input(context, ::dup(STDIN_FILENO));
  for (;;) {
    char byte = 0;
    const auto [error, n] = co_await input.async_read_some(net::asio::buffer(&byte, 1), net::tuple);
    if (error) break;
    if (byte != '\n') continue;
    fmt::print("{}\n", report_of(counts));
    std::fflush(stdout);
  }
  context.stop();
}

int run(const Arguments& arguments) {
  net::asio::io_context context(1);
  Counts counts;
  hrpc::ClientOptions options;
  options.servers = {arguments.tracker};
  options.identity.user = core::user_name();
  std::vector<std::unique_ptr<hrpc::Client>> clients;
  for (std::size_t i = 0; i < kConnections; ++i)
    clients.push_back(std::make_unique<hrpc::Client>(context.get_executor(), options));
  for (int i = 0; i < arguments.nodes; ++i) {
    HollowNode::Options node{fmt::format("127.7.{}.{}", i / kNodesPerNetwork, i % kNodesPerNetwork + 1), kPort,
                             arguments.memory_mib, arguments.vcores, core::Millis(arguments.task_life_ms)};
    std::make_shared<HollowNode>(context.get_executor(), std::move(node), counts)
        ->start(*clients[static_cast<std::size_t>(i) % kConnections], core::Millis(i * 1000 / arguments.nodes));
  }
  net::spawn(context.get_executor(), "the report", report(context, counts, arguments.nodes));
  context.run();
  return 0;
}

}  // namespace
}  // namespace ydl::bench

int main(int argc, char** argv) {
  using namespace ydl;
  std::vector<int> numbers;
  for (int i = 1; i < argc; ++i) numbers.push_back(core::parse_int<int>(argv[i]).value_or(-1));
  if (numbers.size() != 6 || numbers[0] < 1 || numbers[1] < 1 || numbers[2] < 1 || numbers[3] < 0 || numbers[5] < 1) {
    fmt::print(stderr, "usage: hollow_nodes NODES MEMORY_MIB VCORES TASK_LIFE_MS TRACKER_HOST TRACKER_PORT\n");
    return 2;
  }
  core::raise_descriptor_limit();
  return bench::run(
      {numbers[0], numbers[1], numbers[2], numbers[3], {argv[5], static_cast<std::uint16_t>(numbers[5])}});
}
