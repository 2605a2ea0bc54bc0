// What a master does first that takes a job over: how long it takes to read the journal of a large job and to become
// what the master before it was, and the memory it needs for that.
//
//   replay_bench TASKS EVENTS
//
// The journal is that of a job whose tasks start, save, and end; one task in twenty is killed and starts again. A
// process of its own writes it. Reading HDFS is not in it: the bytes come from a file, in pieces of 64 KiB as packets
// have. Prints one JSON object. Times are in seconds, memory is in KiB.
#include "backend/fake/fake.hpp"
#include "core/strings.hpp"
#include "job/journal_codec.hpp"
#include "job/machine.hpp"
#include "master/master.hpp"
#include "master/plan.hpp"

#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::bench {
namespace {

constexpr std::size_t kPiece = 64 * 1024;
constexpr core::WallTime kBegan{core::Millis(1763481600000)};
constexpr int kOneIn = 20;  // tasks, is killed once

spec::JobSpec spec_of(int tasks) {
  spec::JobSpec spec;
  spec.name = "replay";
  spec.command = {"/bin/true"};
  spec.framework = "none";
  spec.retries = tasks;
  spec.roles.resize(1);
  spec.roles[0].name = "worker";
  spec.roles[0].count = tasks;
  return spec;
}

// Tells a machine a long story and writes it down.
class Story {
 public:
  Story(const job::Plan& plan, const std::filesystem::path& file, int tasks, int events)
      : machine_(plan), out_(file), tasks_(tasks), events_left_(events) {
    out_ << job::encode_header({.number = 1, .began = kBegan}) << '\n';
  }

  void write() {
    happens(job::Begin{});
    for (int i = 0; i < tasks_; ++i) place(attempt(i, 1));
    for (int i = 0; i < tasks_; ++i) happens(job::Started{attempt(i, 1), 4000 + i});
    for (int i = 0; i < tasks_; i += kOneIn) start_again(i);
    // Each task's end needs two more events; saves fill the rest.
    for (int i = 0; events_left_ > 2 * tasks_; i = (i + 1) % tasks_) happens(job::Saved{latest(i)});
    for (int i = 0; i < tasks_; ++i) end(latest(i));
  }

 private:
  static core::AttemptId attempt(int task, int number) { return {{"worker", task}, number}; }
  static core::AttemptId latest(int task) { return attempt(task, task % kOneIn == 0 ? 2 : 1); }

  void place(const core::AttemptId& attempt) {
    const auto node = fmt::format("node{}.rack{}.example.org", attempt.task.index % 1000, attempt.task.index % 25);
    const auto container = fmt::format("container_1763481600000_0001_01_{:06}", attempt.task.index + 2);
    happens(job::Granted{attempt, node});
    happens(job::Reached{attempt});
    happens(job::Placed{attempt, {"10.0.12.34", node, {34567}, container}});
  }
  void start_again(int task) {
    job::ExitStatus killed;
    killed.signal = 9;
    killed.last_line = "Epoch[3] Batch [20-40] Speed: 1234.56 samples/sec accuracy=0.912345";
    happens(job::Exited{attempt(task, 1), killed});
    while (machine_.attempt_of({"worker", task}) == 1 || waits_) happens(job::Tick{}, core::Seconds(61));
    place(attempt(task, 2));
    happens(job::Started{attempt(task, 2), 4000 + task});
  }
  void end(const core::AttemptId& attempt) {
    happens(job::Saving{attempt});
    job::ExitStatus ended;
    ended.last_line = "accuracy: 0.9712";
    happens(job::Exited{attempt, ended});
  }

  void happens(const job::Event& event, core::Millis after = core::Millis(1)) {
    at_ += after;
    --events_left_;
    out_ << job::encode_event({at_, event}) << '\n';
    for (const auto& action : machine_.handle(event, core::Instant(at_))) {
      if (const auto* record = std::get_if<job::Record>(&action))
        waits_ = waits_ || record->kind == job::RecordKind::task_retry;
      if (std::holds_alternative<job::Ask>(action)) waits_ = false;
    }
  }

  job::Machine machine_;
  std::ofstream out_;
  int tasks_;
  int events_left_;
  bool waits_ = false;  // a retry for the end of its back-off
  core::Millis at_{0};
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

std::vector<job::TimedEvent> read(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string piece(kPiece, '\0');
  job::JournalFileReader reader(1);
  std::vector<job::TimedEvent> events;
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0) {
    const auto got = static_cast<std::size_t>(in.gcount());
    auto fed = reader.feed(std::string_view(piece).substr(0, got),
                           [&events](job::TimedEvent event) { events.push_back(std::move(event)); });
    if (!fed) throw std::runtime_error(fed.error().message);
  }
  return events;
}

// The highest memory this process has had, and what it has now.
std::int64_t peak_kibibytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

boost::json::object measure(const jobs::JobFolder& folder, const spec::JobSpec& spec,
                            const std::filesystem::path& file) {
  const auto plan = master::make_plan(spec);
  jobs::JobFile job;
  job.id = folder.id();
  job.results = folder.default_results();
  job.spec = spec;
  job.created = kBegan;
  boost::json::object result{{"file_bytes", std::filesystem::file_size(file)}, {"before_kib", peak_kibibytes()}};

  net::asio::io_context context(1);
  const Stopwatch both;
  master::MasterSettings settings;
  settings.make_backend = [&context](backend::Sink sink) {
    return std::make_unique<backend::FakeBackend>(context.get_executor(), std::move(sink),
                                                  backend::FakeBackend::Script{}, backend::FakeTask{});
  };
  settings.began = kBegan;
  settings.earlier = read(file);
  result["read_s"] = both.seconds();
  result["read_kib"] = peak_kibibytes();
  result["events"] = settings.earlier.size();
  master::Master master(context.get_executor(), folder, job, *plan, settings);
  result["both_s"] = both.seconds();
  result["peak_kib"] = peak_kibibytes();
  result["state"] = core::name(master.machine().state());
  result["records"] = master.journal().last();

  const Stopwatch machine_alone;
  job::Machine machine(plan->job);
  for (const auto& [at, event] : settings.earlier) (void)machine.handle(event, core::Instant(at));
  result["machine_s"] = machine_alone.seconds();
  return result;
}

int run(int tasks, int events) {
  const jobs::JobFolder folder(std::filesystem::temp_directory_path() / fmt::format("replay-{}", core::random_hex(4)));
  std::filesystem::create_directories(folder.logs());
  const auto file = folder.root() / "journal";
  const auto spec = spec_of(tasks);
  const auto plan = master::make_plan(spec);
  if (!plan) {
    fmt::print(stderr, "{}\n", plan.error().message);
    return 1;
  }
  // Its memory is not that of the process that is measured.
  const pid_t writer = ::fork();
  if (writer == 0) {
    Story(plan->job, file, tasks, events).write();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(writer, &status, 0);
  if (status != 0) return 1;
  auto result = measure(folder, spec, file);
  result["tasks"] = tasks;
  fmt::print("{}\n", boost::json::serialize(result));
  std::filesystem::remove_all(folder.root());
  return 0;
}

}  // namespace
}  // namespace ydl::bench

int main(int argc, char** argv) {
  const auto number = [&](int i) { return argc == 3 ? ydl::core::parse_int<int>(argv[i]) : std::nullopt; };
  const auto tasks = number(1);
  const auto events = number(2);
  if (!tasks || !events || *tasks < 1 || *events < 8 * *tasks) {
    fmt::print(stderr, "usage: replay_bench TASKS EVENTS (at least 8 for each task)\n");
    return 2;
  }
  return ydl::bench::run(*tasks, *events);
}
