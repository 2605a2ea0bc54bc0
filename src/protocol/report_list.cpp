#include "protocol/report_list.hpp"

#include "core/json.hpp"
#include "core/utf8.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::protocol {

namespace json = boost::json;

ReportList encode_reports(Epoch epoch, const Outbox<Report>& reports, std::size_t limit, Sequence sent) {
  const auto first = std::max(reports.first(), sent + 1);
  ReportList list{fmt::format(R"({{"epoch":{},"first":{},"reports":[)", epoch.number, first), first - 1};
  auto seq = reports.first() - 1;
  for (const auto& report : reports.items()) {
    if (++seq < first) continue;
    if (list.body.size() > limit) break;
    list.body.append(seq > first ? "," : "").append(json::serialize(to_json(report)));
    list.last = seq;
  }
  list.body = core::replace_invalid_utf8(std::move(list.body) + "]}");
  return list;
}

core::Result<void> read_reports(std::string_view body, Epoch epoch, const ReportReader& take) {
  const auto object = core::parse_json_object(body);
  if (!object) return core::fail(object.error());
  const auto listed = epoch_of(*object);
  const auto first = core::json_int(*object, "first");
  const auto list = core::json_array(*object, "reports");
  if (!listed) return core::fail(listed.error());
  if (!first) return core::fail(first.error());
  if (!list) return core::fail(list.error());
  if (*first < 1) return core::fail(core::Errc::corrupt, "'first' is not the number of a report");
  if (*listed != epoch) {
    return core::fail(core::Errc::refused,
                      fmt::format("the reports are numbered in epoch {}, and this master has epoch {}", listed->number,
                                  epoch.number));
  }
  auto seq = static_cast<Sequence>(*first);
  for (const auto& item : **list) {
    if (item.is_object())
      take(seq, report_from_json(item.get_object()));
    else
      take(seq, core::fail(core::Errc::corrupt, "'reports' contains a value that is not an object"));
    ++seq;
  }
  return {};
}

}  // namespace ydl::protocol
