#pragma once

#include "core/result.hpp"
#include "hdfs/packet.hpp"
#include "hdfs/proto/data_transfer.pb.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace ydl::hdfs {

// The packets of one block that are waiting to be sent, or were sent and are not yet acknowledged by every DataNode.
// Pure.
//
//   push() ──> waiting ── take() ──> in flight ── on_ack() ──> gone
//                 ▲                      │
//                 └────── rewind() ──────┘   the pipeline broke: all of it again
//
// The packet that ends the block is sent alone, after all earlier packets were acknowledged. If the pipeline breaks
// then, the DataNodes have all bytes, and only the end must be recovered.
class WriteQueue {
 public:
  using Shared = std::shared_ptr<const Packet>;

  static constexpr std::size_t kLimit = 80;  // packets waiting or in flight

  // `start`: the number of bytes that the block already has.
  explicit WriteQueue(std::uint64_t start) : acked_bytes_(start), sent_bytes_(start) {}

  [[nodiscard]] bool has_room() const { return waiting_.size() + in_flight_.size() < kLimit; }
  void push(Packet packet);

  // Moves up to `most` packets to the in-flight list and returns them for sending. They are shared, so that they live
  // during the write even if a faulty DataNode acknowledges them too early.
  [[nodiscard]] std::vector<Shared> take(std::size_t at_most);

  // Errors: protocol (the acknowledgement is not for the oldest packet in flight).
  [[nodiscard]] core::Result<> on_ack(std::int64_t seqno);

  void rewind();

  // Whether all packets are acknowledged.
  [[nodiscard]] bool idle() const { return waiting_.empty() && in_flight_.empty(); }
  // Whether only the packet that ends the block is in flight.
  [[nodiscard]] bool ending() const { return ending_; }
  // Whether the end of the block was acknowledged or recovered.
  [[nodiscard]] bool finished() const { return finished_; }
  void set_finished();

  [[nodiscard]] std::uint64_t acked_bytes() const { return acked_bytes_; }
  [[nodiscard]] std::uint64_t sent_bytes() const { return sent_bytes_; }
  [[nodiscard]] std::int64_t last_acked_seqno() const { return last_acked_seqno_; }

 private:
  std::deque<Shared> waiting_;
  std::deque<Shared> in_flight_;
  std::uint64_t acked_bytes_;
  std::uint64_t sent_bytes_;
  std::int64_t last_acked_seqno_ = -1;
  bool ending_ = false;
  bool finished_ = false;
};

// The result of an acknowledgement: success, or the DataNode that failed.
struct AckVerdict {
  enum class Kind { good, bad_node, restarting };
  Kind kind = Kind::good;
  std::size_t node = 0;
};
// Errors: protocol (more answers than DataNodes, or no answer).
[[nodiscard]] core::Result<AckVerdict> judge(const hadoop::hdfs::PipelineAckProto& ack, std::size_t nodes);

}  // namespace ydl::hdfs
