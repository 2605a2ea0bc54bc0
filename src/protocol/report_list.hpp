#pragma once

#include "protocol/epoch.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ydl::protocol {

// The body with which an agent reports:
//
//   {"epoch":1,"first":7,"reports":[{"type":"started",...},...]}
struct ReportList {
  std::string body;
  Sequence last = 0;  // the number of the last report in it; first - 1 for a heartbeat, which has none
};

// As many of the reports after number `sent` as fit into about `limit` bytes, and at least one if there is any.
[[nodiscard]] ReportList encode_reports(Epoch epoch, const Outbox<Report>& reports, std::size_t limit,
                                        Sequence sent = 0);

// Takes a report with its number, or why it cannot be read.
using ReportReader = std::function<void(Sequence, core::Result<Report>)>;

// Passes on the reports of such a body one after the other. A report that cannot be read is passed on as its error, and
// the others follow. Errors: corrupt, if the body is not such a list; refused, if it is numbered in another epoch.
[[nodiscard]] core::Result<void> read_reports(std::string_view body, Epoch epoch, const ReportReader& take);

}  // namespace ydl::protocol
