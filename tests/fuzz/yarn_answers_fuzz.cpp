// Answers of a ResourceManager or a NodeManager: they are decoded, and the allocator handles any content of heartbeats.
#include "yarn/allocator_fsm.hpp"
#include "yarn/convert.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using namespace ydl;
using namespace ydl::yarn;

template <class Proto>
void convert(std::string_view bytes) {
  Proto proto;
  if (proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) (void)from_proto(proto);
}

// The same answer to several heartbeats, so that containers are repeated and nodes change back and forth.
void allocate(std::string_view bytes) {
  hadoop::yarn::AllocateResponseProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const auto response = from_proto(proto);
  AllocatorFsm allocator({}, {});
  RoleAsk role;
  const auto key = role.key;
  auto now = core::Instant{} + core::Seconds(1000);
  allocator.add_role(std::move(role));
  (void)allocator.registered({}, now);
  allocator.want(key, 3, now);
  for (int i = 0; i < 3 && allocator.state() == AllocatorFsm::State::idle; ++i) {
    now = std::max(now, allocator.next_heartbeat(now));
    (void)to_proto(allocator.next_request(now)).ByteSizeLong();
    const auto update = allocator.on_response(response, now);
    for (const auto& container : update.granted) allocator.release(container.id);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 7) {
    case 0:
      allocate(bytes);
      break;
    case 1:
      convert<hadoop::yarn::RegisterApplicationMasterResponseProto>(bytes);
      break;
    case 2:
      convert<hadoop::yarn::ApplicationReportProto>(bytes);
      break;
    case 3:
      convert<hadoop::yarn::NodeReportProto>(bytes);
      break;
    case 4:
      convert<hadoop::yarn::QueueInfoProto>(bytes);
      break;
    case 5:
      convert<hadoop::yarn::ContainerStatusProto>(bytes);
      break;
    default:
      convert<hadoop::yarn::ContainerProto>(bytes);
      break;
  }
  return 0;
}
