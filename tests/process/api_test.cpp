// The HTTP API of a master over the fake backend, as clients and agents call it.
#include "master/api.hpp"

#include "client/job_client.hpp"
#include "core/json.hpp"
#include "core/version.hpp"
#include "http/server.hpp"
#include "master_fixture.hpp"
#include "net/http_client.hpp"
#include "net/spawn.hpp"
#include "support/imposter.hpp"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ydl::master {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr core::Millis kLong = test::kPatience;

class ApiTest : public MasterTest {
 protected:
  void serve(const spec::JobSpec& spec, Script script = {}, backend::FakeTask otherwise = {}) {
    make(spec, std::move(script), std::move(otherwise));
    http::ServerOptions options;
    options.secret = "s3cret";
    options.guest_of = [](std::string_view key) -> std::optional<http::Guest> {
      if (key == "of bob") return http::Guest{"bob", false};
      if (key == "of carla") return http::Guest{"carla", true};
      return std::nullopt;
    };
    server_ = std::make_unique<http::Server>(loop_.executor(), options, make_api(*master_, hub_));
    const auto listening = server_->listen();
    ASSERT_TRUE(listening) << listening.error().message;
  }
  void serve_running_job() {
    backend::FakeTask task;
    task.never_ends = true;
    serve(job(2), {}, task);
    begin_and_run();
  }
  void TearDown() override {
    server_.reset();
    MasterTest::TearDown();
  }

  net::HttpClient client(std::string secret = "s3cret") {
    return {loop_.executor(), {"127.0.0.1", server_->port(), std::move(secret)}};
  }
  net::HttpResponse get(const std::string& target) {
    auto asking = client();
    auto response = loop_.run(asking.get(target, kLong));
    if (!response) ADD_FAILURE() << target << ": " << response.error().message;
    return response.value_or(net::HttpResponse{});
  }
  net::HttpResponse post(const std::string& target, std::string body) {
    auto asking = client();
    auto response = loop_.run(asking.post(target, std::move(body), kLong));
    if (!response) ADD_FAILURE() << target << ": " << response.error().message;
    return response.value_or(net::HttpResponse{});
  }
  std::vector<ui::EventView> events_after(std::uint64_t seq, core::Millis wait = core::Millis(0)) {
    const auto response = get(fmt::format("/v1/events?after={}&wait={}", seq, wait.count()));
    auto views = client::events_from_json(response.body);
    if (!views) ADD_FAILURE() << response.body;
    return views.value_or(std::vector<ui::EventView>{});
  }

  protocol::Hub hub_{loop_.executor()};
  std::unique_ptr<http::Server> server_;
};

TEST_F(ApiTest, the_job_is_what_the_master_shows) {
  serve_running_job();
  const auto response = get("/v1/job");
  EXPECT_EQ(response.status, 200U);
  const auto seen = client::job_view_from_json(response.body);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->state, job::JobState::running);
  EXPECT_EQ(seen->tasks.size(), 2U);
}

// The number of the report is used up: if the call alone failed, what it reported would be lost.
TEST_F(ApiTest, an_exception_while_a_report_is_handled_ends_the_loop_with_a_sentence) {
  serve_running_job();
  const core::AgentId agent{"container_1"};
  hub_.expect(agent,
              {[](const protocol::Hello&) {}, [](const protocol::Report&) { throw std::runtime_error("no memory"); }});
  protocol::Prepare prepare;
  prepare.attempt = {{"worker", 0}, 1};
  hub_.send(agent, prepare);
  const boost::json::object body{
      {"epoch", 1},
      {"first", 1},
      {"reports", boost::json::array{protocol::to_json(protocol::Report(protocol::Note{prepare.attempt, "x"}))}}};
  loop_.spawn([](net::HttpClient agent_of_it, std::string text) -> net::awaitable<void> {
    (void)co_await agent_of_it.post("/v1/agents/container_1/exchange", text, kLong);
  }(client(), boost::json::serialize(body)));
  try {
    (void)loop_.until([] { return false; });
    FAIL() << "the exception is gone";
  } catch (const net::BackgroundFailure& failure) {
    EXPECT_STREQ(failure.what(), "handling an agent's report failed: no memory");
  }
}

TEST_F(ApiTest, a_wrong_secret_is_401_everywhere) {
  serve_running_job();
  for (const auto* target : {"/v1/job", "/v1/events", "/v1/tasks/worker:0/logs", "/v1/agents/local/exchange"}) {
    auto asking = client("wrong");
    EXPECT_EQ(loop_.run(asking.get(target, kLong))->status, 401U) << target;
  }
  auto asking = client("wrong");
  EXPECT_EQ(loop_.run(asking.post("/v1/job/stop", "{}", kLong))->status, 401U);
  EXPECT_EQ(view().state, job::JobState::running);
}

TEST_F(ApiTest, events_come_from_where_the_client_left_off) {
  serve(job(1));
  run();
  const auto all = events_after(0);
  ASSERT_GT(all.size(), 4U);
  EXPECT_EQ(all.back().kind, job::RecordKind::job_succeeded);
  const auto rest = events_after(all.size() - 2);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].seq, all.size() - 1);
  EXPECT_TRUE(events_after(all.size()).empty());
  EXPECT_TRUE(events_after(999'999).empty());
}

TEST_F(ApiTest, one_answer_has_at_most_four_mebibytes_of_events_and_the_next_has_the_rest) {
  serve(job(1));
  run();
  const auto before = events_after(0).size();
  job::Record note;
  note.text = std::string(std::size_t{1} << 20U, 'x');
  for (int i = 0; i < 6; ++i) master_->journal().add(note, core::wall_now());
  const auto first = events_after(before);
  EXPECT_EQ(first.size(), 3U);
  EXPECT_EQ(events_after(before + first.size()).size(), 3U);
  note.text = std::string(std::size_t{5} << 20U, 'x');
  master_->journal().add(note, core::wall_now());
  EXPECT_EQ(events_after(before + 6).size(), 1U) << "one that is longer is told all the same";
}

TEST_F(ApiTest, a_caller_with_all_events_waits_for_the_next) {
  serve_running_job();
  const auto known = events_after(0).size();
  auto asking = client();
  std::string body;
  net::asio::co_spawn(loop_.executor(), asking.get(fmt::format("/v1/events?after={}&wait=20000", known), kLong),
                      [&](const std::exception_ptr&, const core::Result<net::HttpResponse>& response) {
                        body = response ? response->body : response.error().message;
                      });
  ASSERT_TRUE(loop_.until([&] { return get("/v1/job").status == 200; }));
  EXPECT_EQ(body, "") << "nothing happened yet";
  master_->request_stop("ann", std::nullopt);
  ASSERT_TRUE(loop_.until([&] { return !body.empty(); }));
  const auto news = client::events_from_json(body);
  ASSERT_TRUE(news) << body;
  EXPECT_EQ(news->front().kind, job::RecordKind::job_stopping);
  EXPECT_EQ(news->front().seq, known + 1);
  finish();
}

TEST_F(ApiTest, waiting_ends_without_news) {
  serve_running_job();
  EXPECT_TRUE(events_after(events_after(0).size(), core::Millis(5)).empty());
}

TEST_F(ApiTest, no_caller_waits_for_events_of_a_job_that_has_ended) {
  serve(job(1));
  run();
  EXPECT_TRUE(events_after(events_after(0).size(), core::Seconds(30)).empty());
}

TEST_F(ApiTest, odd_numbers_are_taken_as_none) {
  serve_running_job();
  for (const auto* target : {"/v1/events?after=-1", "/v1/events?after=x", "/v1/events?after=", "/v1/events?wait=-5"}) {
    const auto response = get(target);
    EXPECT_EQ(response.status, 200U) << target;
    EXPECT_EQ(client::events_from_json(response.body)->front().seq, 1U) << target;
  }
}

TEST_F(ApiTest, events_stream_to_the_end_of_the_job) {
  serve_running_job();
  std::string stream;
  loop_.spawn([](std::uint16_t port, std::string& out) -> net::awaitable<void> {
    out = co_await test::exchange(
        port, "GET /v1/events?after=1 HTTP/1.1\r\nAuthorization: Bearer s3cret\r\nAccept: text/event-stream\r\n\r\n");
  }(server_->port(), stream));
  ASSERT_TRUE(loop_.until([&] { return get("/v1/job").status == 200; }));
  EXPECT_EQ(stream, "") << "it goes on";
  master_->request_stop("ann", std::nullopt);
  finish();
  ASSERT_TRUE(loop_.until([&] { return !stream.empty(); }));
  EXPECT_THAT(stream, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream"));
  EXPECT_THAT(stream, HasSubstr("\r\n\r\nid: 2\ndata: {\"seq\":2,"));
  EXPECT_THAT(stream, HasSubstr("\"kind\":\"job_stopped\""));
  EXPECT_THAT(stream, EndsWith("}\n\n"));
}

TEST_F(ApiTest, a_log_comes_in_pieces) {
  serve_running_job();
  const auto logs = folder_.task_logs({{"worker", 1}, 1});
  ASSERT_TRUE(core::make_directories(logs));
  const std::string bytes("line 1\n\xff\0line 2\n", 15);
  ASSERT_TRUE(core::write_file_atomically(logs / "stdout", bytes));
  ASSERT_TRUE(core::write_file_atomically(logs / "stderr", "err"));
  EXPECT_EQ(get("/v1/tasks/worker:1/logs").body, bytes);
  EXPECT_EQ(get("/v1/tasks/worker%3A1/logs?stream=stderr").body, "err");
  EXPECT_EQ(get("/v1/tasks/worker:1/logs?offset=5&limit=2").body, bytes.substr(5, 2));
  EXPECT_EQ(get("/v1/tasks/worker:1/logs?offset=1000").body, "");
  EXPECT_EQ(get("/v1/tasks/worker:1/logs?offset=9223372036854775807").body, "");
  EXPECT_EQ(get("/v1/tasks/worker:1/logs?limit=0").body, "");
  EXPECT_EQ(get("/v1/tasks/worker:1/logs?attempt=99").body, bytes) << "there is no later attempt than the latest";
  EXPECT_EQ(get("/v1/tasks/worker:0/logs").body, "") << "nothing written yet";
}

TEST_F(ApiTest, logs_of_what_is_not_there_are_refused) {
  serve_running_job();
  EXPECT_EQ(get("/v1/tasks/worker:2/logs").status, 404U);
  EXPECT_EQ(get("/v1/tasks/boss:0/logs").status, 404U);
  EXPECT_EQ(get("/v1/tasks/nonsense/logs").status, 400U);
  EXPECT_EQ(get("/v1/tasks/worker:0/logs?stream=../../job.json").status, 400U);
  EXPECT_EQ(get("/v1/tasks/..%2F..%2Fetc:0/logs").status, 404U);
}

TEST_F(ApiTest, a_stop_ends_the_job) {
  serve_running_job();
  EXPECT_EQ(post("/v1/job/stop", R"({"by":"ann at edge1","grace_ms":0})").status, 200U);
  const auto outcome = finish();
  EXPECT_EQ(outcome.state, job::JobState::stopped);
  EXPECT_EQ(outcome.reason, "stopped by ann at edge1");
}

TEST_F(ApiTest, guests_see_the_job_and_a_stop_has_the_name_of_the_guest) {
  serve_running_job();
  auto bob = client("of bob");
  for (const auto* target : {"/v1/job", "/v1/events", "/v1/tasks/worker:0/logs"})
    EXPECT_EQ(loop_.run(bob.get(target, kLong))->status, 200U) << target;
  EXPECT_EQ(loop_.run(bob.post("/v1/job/stop", "{}", kLong))->status, 403U);
  EXPECT_EQ(loop_.run(bob.post("/v1/agents/a/hello", "{}", kLong))->status, 403U);
  auto carla = client("of carla");
  EXPECT_EQ(loop_.run(carla.post("/v1/job/stop", R"({"by":"ann","grace_ms":0})", kLong))->status, 200U);
  EXPECT_EQ(finish().reason, "stopped by carla");
}

TEST_F(ApiTest, answers_to_guests_are_small_and_the_rest_comes_when_they_ask_again) {
  serve_running_job();
  constexpr std::size_t kMost = std::size_t{256} << 10U;
  const std::string bytes(kMost + 1000, 'x');
  const auto logs = folder_.task_logs({{"worker", 1}, 1});
  ASSERT_TRUE(core::make_directories(logs));
  ASSERT_TRUE(core::write_file_atomically(logs / "stdout", bytes));
  auto bob = client("of bob");
  EXPECT_EQ(loop_.run(bob.get("/v1/tasks/worker:1/logs?limit=10000000", kLong))->body.size(), kMost);
  EXPECT_EQ(loop_.run(bob.get(fmt::format("/v1/tasks/worker:1/logs?offset={}", kMost), kLong))->body.size(), 1000U);
  EXPECT_EQ(get("/v1/tasks/worker:1/logs").body.size(), bytes.size()) << "the owner";

  const auto before = master_->journal().last();
  job::Record note;
  note.text = std::string(60'000, 'y');
  for (int i = 0; i < 6; ++i) master_->journal().add(note, core::wall_now());
  const auto count_after = [&](std::uint64_t seq) {
    const auto answer = loop_.run(bob.get(fmt::format("/v1/events?after={}", seq), kLong));
    return client::events_from_json(answer->body)->size();
  };
  EXPECT_EQ(count_after(before), 4U);
  EXPECT_EQ(count_after(before + 4), 2U);
}

TEST_F(ApiTest, a_stop_needs_no_body_but_not_a_broken_one) {
  serve_running_job();
  EXPECT_EQ(post("/v1/job/stop", "{").status, 400U);
  EXPECT_EQ(view().state, job::JobState::running);
  EXPECT_EQ(post("/v1/job/stop", "").status, 200U);
  EXPECT_EQ(finish().reason, "stopped by the API");
}

TEST_F(ApiTest, a_grace_beyond_all_measure_does_no_harm) {
  serve_running_job();
  EXPECT_EQ(post("/v1/job/stop", R"({"grace_ms":9223372036854775807})").status, 200U);
  EXPECT_EQ(finish().state, job::JobState::stopped);
}

TEST_F(ApiTest, the_clients_own_client_understands_it) {
  serve_running_job();
  client::JobClient asking(loop_.executor(), {"127.0.0.1", server_->port(), "s3cret"});
  EXPECT_EQ(loop_.run(asking.job())->tasks.size(), 2U);
  EXPECT_FALSE(loop_.run(asking.events(0, core::Millis(0)))->empty());
  EXPECT_TRUE(loop_.run(asking.stop("ann", core::Millis(0))));
  finish();
  client::JobClient stranger(loop_.executor(), {"127.0.0.1", server_->port(), "wrong"});
  EXPECT_THAT(loop_.run(stranger.job()).error().message, StartsWith("the master answered 401: this call needs"));
}

// ---- agents ----------------------------------------------------------------------------------------------------

std::string hello(int protocol, std::string_view version) {
  return boost::json::serialize(
      boost::json::object{{"protocol", protocol}, {"version", version}, {"node", "n1"}, {"pid", 7}});
}

constexpr const char* kNoReports = R"({"epoch":1,"first":1,"reports":[]})";

class AgentApiTest : public ApiTest {
 protected:
  void SetUp() override {
    serve_running_job();
    hub_.expect({"local"}, {[this](const protocol::Hello&) { ++hellos_; },
                            [this](const protocol::Report& report) { reports_.push_back(report); }});
  }
  // Its first command. An agent may report about no other attempt.
  void prepare_worker() {
    protocol::Prepare prepare;
    prepare.attempt = {{"worker", 0}, 1};
    hub_.send({"local"}, std::move(prepare));
  }
  int hellos_ = 0;
  std::vector<protocol::Report> reports_;
};

TEST_F(AgentApiTest, an_agent_of_another_version_is_refused_with_both) {
  EXPECT_EQ(post("/v1/agents/local/hello", hello(protocol::kProtocolVersion, core::kVersion)).status, 200U);
  EXPECT_EQ(hellos_, 1);
  for (const auto& body :
       {hello(protocol::kProtocolVersion + 1, core::kVersion), hello(protocol::kProtocolVersion, "0.0")}) {
    const auto refused = post("/v1/agents/local/hello", body);
    EXPECT_EQ(refused.status, 409U);
    EXPECT_THAT(refused.body, HasSubstr("this master is ydl"));
  }
  EXPECT_EQ(hellos_, 1);
}

TEST_F(AgentApiTest, an_unexpected_agent_is_not_found) {
  EXPECT_EQ(post("/v1/agents/other/hello", hello(protocol::kProtocolVersion, core::kVersion)).status, 404U);
  EXPECT_EQ(post("/v1/agents/other/exchange", kNoReports).status, 404U);
}

TEST_F(AgentApiTest, commands_are_kept_until_they_are_confirmed) {
  hub_.send({"local"}, protocol::Release{{{"worker", 0}, 1}});
  hub_.send({"local"}, protocol::Release{{{"worker", 1}, 1}});
  const auto first = post("/v1/agents/local/exchange?after=0", kNoReports);
  EXPECT_THAT(first.body, HasSubstr("\"seq\":1"));
  EXPECT_THAT(first.body, HasSubstr("\"seq\":2"));
  EXPECT_EQ(post("/v1/agents/local/exchange?after=0", kNoReports).body, first.body)
      << "an answer that was lost is given again";
  const auto second = post("/v1/agents/local/exchange?after=1", kNoReports);
  EXPECT_EQ(second.body.find("\"seq\":1"), std::string::npos);
  EXPECT_EQ(post("/v1/agents/local/exchange?after=2", kNoReports).body, R"({"epoch":1,"commands":[],"common_env":{}})");
}

TEST_F(AgentApiTest, a_report_sent_twice_counts_once) {
  prepare_worker();
  const auto* body =
      R"({"epoch":1,"first":1,"reports":[{"type":"started","attempt":{"task":"worker:0","number":1},"pid":7}]})";
  EXPECT_EQ(post("/v1/agents/local/exchange", body).status, 200U);
  EXPECT_EQ(post("/v1/agents/local/exchange", body).status, 200U);
  EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(AgentApiTest, what_is_not_a_list_of_reports_is_refused) {
  for (const auto* body : {"", "[]", "{}", R"({"epoch":1,"first":"x","reports":[]})", R"({"first":1,"reports":[]})"}) {
    EXPECT_EQ(post("/v1/agents/local/exchange", body).status, 400U) << body;
  }
  EXPECT_TRUE(reports_.empty());
}

TEST_F(AgentApiTest, a_report_that_cannot_be_read_does_not_hold_up_the_others) {
  prepare_worker();
  const auto* body = R"({"epoch":1,"first":1,"reports":[7,{"type":"dance","attempt":{"task":"worker:0","number":1}},)"
                     R"({"type":"started","attempt":{"task":"worker:0","number":1},"pid":7}]})";
  EXPECT_EQ(post("/v1/agents/local/exchange", body).status, 200U);
  EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(AgentApiTest, a_call_that_waits_for_a_command_is_answered_when_the_agents_next_call_comes) {
  prepare_worker();
  auto agent = client();
  ASSERT_TRUE(loop_.run(agent.send("/v1/agents/local/exchange?after=1&wait=30000", kNoReports, kLong)));
  const auto* report =
      R"({"epoch":1,"first":1,"reports":[{"type":"started","attempt":{"task":"worker:0","number":1},"pid":7}]})";
  ASSERT_TRUE(loop_.run(agent.send("/v1/agents/local/exchange?after=1&wait=30000", report, kLong)));
  EXPECT_EQ(loop_.run(agent.receive(kLong)).value().body, R"({"epoch":1,"commands":[],"common_env":{}})");
  ASSERT_TRUE(loop_.until([&] { return reports_.size() == 1; }))
      << "a report waits behind a command that does not come";
  hub_.send({"local"}, protocol::Release{{{"worker", 0}, 1}});
  EXPECT_THAT(loop_.run(agent.receive(kLong)).value().body, HasSubstr("release"));
}

// ---- logs that are where the tasks run ------------------------------------------------------------------------------

class RemoteLogTest : public AgentApiTest {
 protected:
  void SetUp() override {
    logs_elsewhere_ = "hdfs://ns/user/ann/.ydl/jobs/story-1/logs";
    AgentApiTest::SetUp();
    protocol::Prepare prepare;
    prepare.attempt = {{"worker", 1}, 1};
    hub_.send({"local"}, prepare);
  }
  // What the agent is asked, once it is asked something.
  std::string question() {
    std::string commands;
    EXPECT_TRUE(loop_.until([&] {
      commands = post("/v1/agents/local/exchange?after=1&wait=0", kNoReports).body;
      return commands.find("read_log") != std::string::npos;
    })) << commands;
    return commands;
  }
  void ask(std::string target) {
    loop_.spawn([](net::HttpClient client, std::string what, net::HttpResponse& out) -> net::awaitable<void> {
      if (auto response = co_await client.get(what, kLong)) out = *std::move(response);
    }(client(), std::move(target), answer_));
  }
  net::HttpResponse answer_;
};

TEST_F(RemoteLogTest, the_agent_of_the_task_reads_its_log) {
  ask("/v1/tasks/worker:1/logs?stream=stderr&offset=5&limit=7");
  const auto asked = question();
  EXPECT_THAT(asked, HasSubstr("\"stream\":\"stderr\""));
  EXPECT_THAT(asked, HasSubstr("\"offset\":5"));
  EXPECT_THAT(asked, HasSubstr("\"limit\":7"));
  const protocol::Report piece = protocol::LogPiece{{{"worker", 1}, 1}, 1, 5, 99, {std::string("a\xff\0b", 4)}, ""};
  const boost::json::object body{{"epoch", 1}, {"first", 1}, {"reports", boost::json::array{protocol::to_json(piece)}}};
  EXPECT_EQ(post("/v1/agents/local/exchange?after=2&wait=0", boost::json::serialize(body)).status, 200U);
  ASSERT_TRUE(loop_.until([&] { return answer_.status != 0; }));
  EXPECT_EQ(answer_.status, 200U);
  EXPECT_EQ(answer_.body, std::string("a\xff\0b", 4));
}

TEST_F(RemoteLogTest, a_log_whose_agent_is_gone_is_not_found_with_where_it_is) {
  hub_.forget({"local"});
  for (const auto* task : {"worker:0", "worker:1"}) {
    const auto response = get(fmt::format("/v1/tasks/{}/logs", task));
    EXPECT_EQ(response.status, 404U) << task;
    EXPECT_THAT(response.body, HasSubstr("the logs of the job are in hdfs://ns/user/ann/.ydl/jobs/story-1/logs"));
  }
}

TEST_F(RemoteLogTest, an_agent_that_goes_while_it_is_asked_is_said_at_once) {
  ask("/v1/tasks/worker:1/logs");
  (void)question();
  hub_.forget({"local"});
  ASSERT_TRUE(loop_.until([&] { return answer_.status != 0; }));
  EXPECT_EQ(answer_.status, 404U);
}

}  // namespace
}  // namespace ydl::master
