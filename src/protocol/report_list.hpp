#pragma once

#include "protocol/epoch.hpp"
#include "protocol/numbered_queue.hpp"
#include "protocol/reports.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ydl::protocol {

// The body of an agent's reports:
//
//   {"epoch":1,"first":7,"reports":[{"type":"started",...},...]}
struct ReportList {
  std::string body;
  Sequence last = 0;  // the number of its last report; first - 1 for a heartbeat, which contains none
};

// Encodes as many of the reports after number `sent` as fit into about `limit` bytes, but at least one if there is any.
[[nodiscard]] ReportList encode_reports(Epoch epoch, const Outbox<Report>& reports, std::size_t limit,
                                        Sequence sent = 0);

// Called with the number of each report and the report, or the error if it cannot be decoded.
using ReportReader = std::function<void(Sequence, core::Result<Report>)>;

// Passes the reports of a body to `take` one by one. A report that cannot be decoded does not stop the others.
// Errors: corrupt, if the body is not such a list; refused, if its numbers belong to another epoch.
[[nodiscard]] core::Result<void> read_reports(std::string_view body, Epoch epoch, const ReportReader& take);

}  // namespace ydl::protocol
