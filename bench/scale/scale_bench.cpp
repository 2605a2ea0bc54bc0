// One master with many tasks, in this process: how long until all run and all have ended, processor time and memory.
//
//   scale_bench fake TASKS [FRAMEWORK]     tasks of the fake backend: the master alone
//   scale_bench agents TASKS [FRAMEWORK]   an agent for each task in a second process, over the real HTTP server
//   scale_bench clear TASKS [FRAMEWORK]    the same without TLS, to compare
//
// Prints one JSON object. Times are in seconds, memory is in KiB.
#include "backend/fake/fake.hpp"
#include "core/descriptors.hpp"
#include "core/strings.hpp"
#include "http/server.hpp"
#include "master/api.hpp"
#include "master/master.hpp"
#include "master/plan.hpp"
#include "net/spawn.hpp"
#include "protocol/hub.hpp"
#include "scale/hollow_agent.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::bench {
namespace {

namespace asio = net::asio;

constexpr const char* kSecret = "s3cret";
constexpr core::Millis kSettle = core::Seconds(2);  // after the start, before the processor time at rest is measured
constexpr core::Millis kRest = core::Seconds(10);

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double processor_time() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A number of /proc/self/status: VmRSS or VmHWM.
std::int64_t kibibytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stoll(line.substr(field.size() + 1));
  }
  return 0;
}

// A backend as on YARN: an agent for each task, which is there from the beginning.
class OneAgentEach final : public backend::Backend {
 public:
  OneAgentEach(protocol::Hub& hub, backend::Sink sink) : hub_(hub), sink_(std::move(sink)) {}

  net::Async<> open() override { co_return core::Result<>{}; }
  void place(backend::TaskRequest request) override {
    const auto agent = id(request.attempt);
    protocol::Prepare prepare;
    prepare.attempt = request.attempt;
    prepare.ports = request.ports;
    hub_.expect(agent,
                {[this, agent, prepare](const protocol::Hello&) { hub_.send(agent, prepare); },
                 [this](const protocol::Report& report) { std::visit([this](const auto& r) { on(r); }, report); }});
  }
  void launch(protocol::Launch request) override {
    const auto agent = id(request.attempt);
    hub_.send(agent, std::move(request));
  }
  void pass(protocol::Notice /*notice*/) override {}
  void stop(protocol::Stop request) override {
    const auto agent = id(request.attempt);
    hub_.send(agent, std::move(request));
  }
  void release(const core::AttemptId& attempt) override { hub_.send(id(attempt), protocol::Release{attempt}); }
  net::awaitable<void> close(const job::Outcome&) override { co_return; }

 private:
  static core::AgentId id(const core::AttemptId& attempt) { return {attempt.task.file_name()}; }
  void on(const protocol::Prepared& r) {
    sink_.event(job::Placed{r.attempt, {"node1234.rack12.example.org", "node", r.ports}});
  }
  void on(const protocol::TaskStarted& r) { sink_.event(job::Started{r.attempt, r.pid}); }
  void on(const protocol::TaskExited& r) { sink_.event(job::Exited{r.attempt, r.status}); }
  void on(const protocol::TaskOutput& r) { sink_.output(r); }
  template <class Other>
  void on(const Other&) {}

  protocol::Hub& hub_;
  backend::Sink sink_;
};

// The second process: waits for the master's port and runs the agents until it is killed.
int run_agents(int count, int port_pipe, const std::string& fingerprint) {
  std::uint16_t port = 0;
  if (::read(port_pipe, &port, sizeof port) != sizeof port) return 1;
  asio::io_context context(1);
  for (int i = 0; i < count; ++i) {
    HollowAgent::Options options{{"127.0.0.1", port, kSecret, fingerprint}, {core::TaskId{"worker", i}.file_name()}};
    std::make_shared<HollowAgent>(context.get_executor(), std::move(options), [] {})->start();
  }
  context.run();
  return 0;
}

class Bench {
 public:
  Bench(int tasks, std::string framework) : tasks_(tasks) {
    spec_.name = "scale";
    spec_.command = {"/bin/true"};
    spec_.framework = std::move(framework);
    spec_.roles.resize(1);
    spec_.roles[0].name = "worker";
    spec_.roles[0].count = tasks;
    std::filesystem::create_directories(folder_.logs());
    result_["tasks"] = tasks;
    result_["framework"] = spec_.framework;
  }
  ~Bench() { std::filesystem::remove_all(folder_.root()); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  int run_fake() {
    result_["backend"] = "fake";
    return run([this](backend::Sink sink) {
      backend::FakeTask task;
      task.never_ends = true;
      task.says = "Epoch[3] Batch [20-40] Speed: 1234.56 samples/sec accuracy=0.912345";
      return std::make_unique<backend::FakeBackend>(context_.get_executor(), std::move(sink),
                                                    backend::FakeBackend::Script{}, std::move(task));
    });
  }

  int run_with_agents(bool with_tls) {
    result_["backend"] = with_tls ? "agents" : "clear";
    if (with_tls) identity_ = net::make_identity();
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) return 1;
    const pid_t agents = ::fork();
    if (agents == 0) ::_exit(run_agents(tasks_, pipe[0], with_tls ? net::fingerprint_of(*identity_).value() : ""));
    port_pipe_ = pipe[1];
    const int code = run([this](backend::Sink sink) { return std::make_unique<OneAgentEach>(hub_, std::move(sink)); });
    ::kill(agents, SIGKILL);
    ::waitpid(agents, nullptr, 0);
    return code;
  }

 private:
  int run(const std::function<std::unique_ptr<backend::Backend>(backend::Sink)>& make_backend) {
    auto plan = master::make_plan(spec_);
    if (!plan) {
      fmt::print(stderr, "{}\n", plan.error().message);
      return 1;
    }
    begun_ = core::steady_now();
    processor_before_ = processor_time();
    memory_before_ = kibibytes("VmRSS");
    jobs::JobFile job;
    job.id = folder_.id();
    job.results = folder_.default_results();
    job.spec = spec_;
    job.created = core::wall_now();
    master::Master master(context_.get_executor(), folder_, job, *std::move(plan),
                          master::MasterSettings{.make_backend = make_backend});
    http::ServerOptions options;
    options.secret = kSecret;
    options.identity = identity_;
    http::Server server(context_.get_executor(), options, master::make_api(master, hub_));
    if (port_pipe_ >= 0) {
      if (auto listening = server.listen(); !listening) return 1;
      const auto port = server.port();
      if (::write(port_pipe_, &port, sizeof port) != sizeof port) return 1;
    }
    net::spawn(context_.get_executor(), "the measurement", measure(master, server));
    net::spawn(context_.get_executor(), "the job", run_job(master));
    context_.run();
    std::error_code ignored;
    result_["events"] = static_cast<std::int64_t>(master.journal().last());
    result_["event_bytes"] = static_cast<std::int64_t>(std::filesystem::file_size(folder_.events_file(), ignored));
    fmt::print("{}\n", boost::json::serialize(result_));
    return 0;
  }

  net::awaitable<void> run_job(master::Master& master) {
    (void)co_await master.run();
    result_["ended_s"] = since_begin();
    result_["peak_kib"] = kibibytes("VmHWM");
    context_.stop();
  }

  net::awaitable<void> measure(master::Master& master, http::Server& server) {
    while (master.machine().state() != job::JobState::running) co_await net::pause(core::Millis(5));
    result_["running_s"] = since_begin();
    result_["processor_s"] = processor_time() - processor_before_;
    result_["memory_kib"] = kibibytes("VmRSS") - memory_before_;
    result_["peak_running_kib"] = kibibytes("VmHWM");
    const auto before_view = processor_time();
    result_["view_bytes"] = static_cast<std::int64_t>(master.job_view().size());
    result_["view_s"] = processor_time() - before_view;
    if (port_pipe_ >= 0) {
      co_await net::pause(kSettle);
      result_["connections"] = static_cast<std::int64_t>(server.connections());
      const auto before = processor_time();
      co_await net::pause(kRest);
      result_["at_rest"] = (processor_time() - before) / std::chrono::duration<double>(kRest).count();
    }
    master.request_stop("the benchmark", core::Millis(0));
  }

  [[nodiscard]] double since_begin() const {
    return std::chrono::duration<double>(core::steady_now() - begun_).count();
  }

  int tasks_;
  spec::JobSpec spec_;
  jobs::JobFolder folder_{std::filesystem::temp_directory_path() / fmt::format("scale-{}", core::random_hex(4))};
  asio::io_context context_{1};
  protocol::Hub hub_{context_.get_executor()};
  std::optional<net::Identity> identity_;  // with TLS
  int port_pipe_ = -1;
  core::Instant begun_{};
  double processor_before_ = 0;
  std::int64_t memory_before_ = 0;
  boost::json::object result_;
};

}  // namespace
}  // namespace ydl::bench

int main(int argc, char** argv) {
  using namespace ydl;
  const std::string what = argc > 2 ? argv[1] : "";
  const auto tasks = argc > 2 ? core::parse_int<int>(argv[2]) : std::nullopt;
  if (!tasks || *tasks < 1 || (what != "fake" && what != "agents" && what != "clear")) {
    fmt::print(stderr, "usage: scale_bench fake|agents|clear TASKS [FRAMEWORK]\n");
    return 2;
  }
  core::raise_descriptor_limit();
  ::signal(SIGPIPE, SIG_IGN);  // as in every process of ydl
  bench::Bench bench(*tasks, argc > 3 ? argv[3] : "none");
  return what == "fake" ? bench.run_fake() : bench.run_with_agents(what == "agents");
}
