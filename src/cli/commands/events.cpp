#include "cli/args/commands.hpp"
#include "cli/commands/common.hpp"
#include "cli/commands/foreign.hpp"
#include "client/views.hpp"
#include "client/yarn/master_loss.hpp"
#include "client/yarn/remote_job.hpp"
#include "core/strings.hpp"
#include "net/asio.hpp"
#include "net/spawn.hpp"
#include "ui/json.hpp"
#include "ui/plain.hpp"
#include "ui/screen.hpp"
#include "ui/timeline.hpp"

#include <fmt/format.h>

namespace ydl::cli {
namespace {

constexpr core::Millis kPollPeriod{150};
constexpr core::Millis kRemotePollPeriod{1000};
constexpr int kTimelineWidth = 100;  // where the width of the screen is not known

class Printer {
 public:
  Printer(const CommonOptions& options, std::string job) : json_(wants_json(options)), job_(std::move(job)) {}

  void show_new(const client::StoredEvents& stored) {
    for (const auto& event : stored.events) {
      if (event.seq <= shown_) continue;
      shown_ = event.seq;
      print(json_ ? ui::json_event_line(event, job_) : ui::dated_event_line(event, job_, ui::local_utc_offset) + "\n");
    }
  }

 private:
  bool json_;
  std::string job_;
  std::uint64_t shown_ = 0;  // the last event's number
};

net::awaitable<void> follow(const jobs::JobFolder& folder, Printer& printer) {
  auto remote = client::RemoteJob::of(co_await net::asio::this_coro::executor, folder);
  const bool is_managed = remote && *remote && (*remote)->job().kind == backend::MasterKind::managed;
  client::MasterWatch watch;
  while (is_managed || jobs::master_lives(folder)) {
    if (is_managed) {
      if (auto fetched = co_await (*remote)->fetch_records(); !fetched) complain(fetched.error());
      const auto report = co_await (*remote)->report();
      if (report && yarn::is_over(report->state)) break;
      if (const auto news = report ? watch.saw(*report) : std::nullopt) note(*news);
    }
    if (const auto stored = client::read_events(folder)) printer.show_new(*stored);
    co_await net::pause(is_managed ? kRemotePollPeriod : kPollPeriod);
  }
  if (remote && *remote) (*remote)->close();
}

}  // namespace

int execute(const Events& command) {
  if (const auto code = show_foreign(command)) return *code;
  const auto folder = folder_of(command.job);
  if (!folder) return complain(folder.error());
  Printer printer(command.common, folder->id().str());
  if (command.follow && !command.timeline) {
    net::asio::io_context context(1);
    net::spawn(context.get_executor(), "following the events", follow(*folder, printer));
    context.run();
  }
  int code = 0;
  if (auto fresh = client::refresh(*folder, std::nullopt); !fresh) code = complain(fresh.error());
  const auto stored = client::read_events(*folder);
  if (!stored) return complain(stored.error());
  if (command.timeline) {
    const int width = table_width();
    print(wants_json(command.common) ? ui::json_timeline(stored->events, folder->id().str())
                                     : ui::render_timeline(stored->events, core::wall_now(),
                                                           width == 0 ? kTimelineWidth : width, output_style()));
  } else {
    printer.show_new(*stored);
  }
  if (stored->broken > 0) {
    const bool one = stored->broken == 1;
    return complain({make_error_code(core::Errc::corrupt),
                     fmt::format("{} of {} {} broken and {} left out", core::plural(stored->broken, "line"),
                                 folder->events_file().string(), one ? "is" : "are", one ? "was" : "were")});
  }
  return code;
}

}  // namespace ydl::cli
