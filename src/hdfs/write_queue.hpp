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

// The packets of one block on their way: waiting to be sent, or sent and not acknowledged by every DataNode. Pure.
//
//   push() ──> waiting ── take() ──> in flight ── on_ack() ──> gone
//                 ▲                      │
//                 └────── rewind() ──────┘   the pipeline broke: all of it again
//
// The packet that ends the block goes out alone, when all before it is acknowledged: if the pipeline breaks then, the
// DataNodes have every byte and only the end has to be recovered.
class WriteQueue {
 public:
  using Shared = std::shared_ptr<const Packet>;

  static constexpr std::size_t kLimit = 80;  // packets waiting or in flight

  // `start`: the bytes the block has already.
  explicit WriteQueue(std::uint64_t start) : acked_bytes_(start), sent_bytes_(start) {}

  [[nodiscard]] bool has_room() const { return waiting_.size() + in_flight_.size() < kLimit; }
  void push(Packet packet);

  // What may go out now, at most so many; it is in flight then. The packets live as long as somebody sends them, even
  // when a DataNode acknowledges one that it cannot have.
  [[nodiscard]] std::vector<Shared> take(std::size_t at_most);

  // Errors: protocol (an acknowledgement of something else than the oldest packet in flight).
  [[nodiscard]] core::Result<> on_ack(std::int64_t seqno);

  void rewind();

  // Everything pushed is acknowledged.
  [[nodiscard]] bool idle() const { return waiting_.empty() && in_flight_.empty(); }
  // The end of the block is on its way, and nothing else.
  [[nodiscard]] bool ending() const { return ending_; }
  // The end of the block is acknowledged, or was recovered.
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

// Which DataNode of the pipeline an acknowledgement complains about.
struct AckVerdict {
  enum class Kind { good, bad_node, restarting };
  Kind kind = Kind::good;
  std::size_t node = 0;
};
// Errors: protocol (more answers than DataNodes, or none).
[[nodiscard]] core::Result<AckVerdict> judge(const hadoop::hdfs::PipelineAckProto& ack, std::size_t nodes);

}  // namespace ydl::hdfs
