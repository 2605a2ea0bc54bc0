#include "master/yarn_process.hpp"

#include "agent/container_credentials.hpp"
#include "backend/yarn/remote_files.hpp"
#include "backend/yarn/yarn_backend.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "hconf/portable.hpp"
#include "hdfs/configured.hpp"
#include "master/api.hpp"
#include "master/job_access.hpp"
#include "master/job_image.hpp"
#include "master/job_page.hpp"
#include "master/journal_store.hpp"
#include "master/master_address.hpp"
#include "master/master_ticket.hpp"
#include "master/process_parts.hpp"
#include "master/takeover_watch.hpp"
#include "net/endpoint_file.hpp"
#include "net/resolver.hpp"
#include "net/spawn.hpp"
#include "net/wait_for.hpp"
#include "protocol/job_keys.hpp"
#include "yarn/client_rm.hpp"
#include "yarn/configured.hpp"
#include "yarn/proxy_identity.hpp"
#include "yarn/token_identifiers.hpp"
#include "yarn/token_life.hpp"

#include <filesystem>

#include <boost/asio/ip/udp.hpp>
#include <fmt/format.h>

namespace ydl::master {
namespace {

namespace asio = net::asio;
using core::fail;

constexpr core::Millis kResolvePatience{10'000};
constexpr core::Millis kJournalPatience = core::Seconds(10);  // at the job's end

// All that the job needs before it can run.
struct YarnStart {
  jobs::JobFolder folder{""};
  backend::YarnJob job;
  hconf::Config config;
  yarn::Credentials credentials;  // for the agents
  hrpc::Token token;              // the AMRM token
  std::shared_ptr<hdfs::FileSystem> fs;
  std::string address;
  std::string job_key;
  net::Identity identity;
  core::Result<std::optional<net::MutualIdentity>> for_proxy = std::nullopt;  // yarn/proxy_identity.hpp
  core::WallTime begun = core::wall_now();
  // For a master that can be replaced, and may itself replace another one.
  JournalStore::Opened journal{.store = nullptr, .content = {.epoch = 1, .began = core::wall_now(), .events = {}}};
};

core::Result<std::shared_ptr<hdfs::FileSystem>> open_hdfs(const asio::any_io_executor& executor,
                                                          const hconf::Config& config, const std::string& user,
                                                          const yarn::Credentials& credentials) {
  const auto tokens = yarn::tokens_of(credentials);
  auto options = hdfs::configured(config, {.user = user, .tokens = tokens});
  if (!options) return fail(options.error());
  return std::make_shared<hdfs::FileSystem>(executor, *std::move(options));
}

net::Async<std::string> numeric_address(std::string host) {
  const auto addresses = co_await net::resolve(host, kResolvePatience);
  if (!addresses) co_return fail(addresses.error());
  co_return addresses->front().to_string();
}

// ---- in a container --------------------------------------------------------------------------------------------

// Downloads the job's files from HDFS to a folder of this container.
net::Async<jobs::JobFolder> fetch_job(hdfs::FileSystem& fs, std::string remote) {
  const jobs::JobFolder folder(std::filesystem::current_path() / "jobs" / std::filesystem::path(remote).filename());
  if (auto made = core::make_directories(folder.logs(), 0700); !made) co_return fail(made.error());
  for (const auto& path : {folder.job_file(), folder.yarn_file()}) {
    const auto content = co_await backend::read_remote_file(fs, fmt::format("{}/{}", remote, path.filename().string()));
    if (!content) co_return fail(content.error());
    if (auto written = core::write_file_atomically(path, *content, 0600); !written) co_return fail(written.error());
  }
  co_return folder;
}

// A task on this host runs as the same user and can read the files of this container. With the secrets that the
// ResourceManager gave the master, the task could act as the ApplicationMaster or as its page. So they are removed.
void hide_from_tasks_of_this_host(const std::filesystem::path& credentials) {
  if (const auto hidden = agent::hide_from_tasks(credentials); !hidden) core::log("{}", hidden.error().message);
  std::error_code ignored;
  for (const auto* name : {"yarn_provided.keystore", "yarn_provided.truststore"})  // the NodeManager's copies
    std::filesystem::remove(credentials.parent_path() / name, ignored);
}

net::Async<YarnStart> start_in_container(asio::any_io_executor executor) {
  YarnStart start;
  const auto file = agent::credentials_file({});
  if (!file) co_return fail(file.error());
  const auto bytes = core::read_file(*file);
  if (!bytes) co_return fail(bytes.error());
  auto credentials = yarn::decode_credentials(*bytes);
  if (!credentials) co_return fail(credentials.error().within(file->string()));
  const auto secret = credentials->secrets.find(kMasterTicket);
  const auto* token = credentials->find_kind(yarn::kAmRmToken);
  if (secret == credentials->secrets.end() || token == nullptr) {
    co_return fail(core::Errc::corrupt,
                   fmt::format("{} does not contain the credentials of a ydl master", file->string()));
  }
  const auto ticket = decode_ticket(secret->second);
  if (!ticket) co_return fail(ticket.error().within("the master's ticket"));
  start.token = *token;
  start.for_proxy = yarn::proxy_identity(*credentials);
  hide_from_tasks_of_this_host(*file);
  start.config = hconf::from_map(ticket->hadoop, "the client's configuration");
  start.credentials = yarn::for_tasks(*std::move(credentials));
  start.job_key = ticket->job_key;
  start.identity = ticket->identity;

  auto fs = open_hdfs(executor, start.config, ticket->user, start.credentials);
  if (!fs) co_return fail(fs.error());
  start.fs = *std::move(fs);
  auto journal = co_await JournalStore::open(executor, start.fs, ticket->folder);
  if (!journal) co_return fail(journal.error());
  start.journal = *std::move(journal);
  auto folder = co_await fetch_job(*start.fs, ticket->folder);
  if (!folder) co_return fail(folder.error());
  start.folder = *std::move(folder);
  const auto text = core::read_file(start.folder.yarn_file());
  auto job = text ? backend::yarn_job_from_json(*text) : fail(text.error());
  if (!job) co_return fail(job.error().within(start.folder.yarn_file().string()));
  start.job = *std::move(job);
  auto address = co_await numeric_address(core::process_getenv("NM_HOST").value_or(core::host_name()));
  if (!address) co_return fail(address.error().within("this host's own name"));
  start.address = *std::move(address);
  co_return start;
}

// ---- beside the client -----------------------------------------------------------------------------------------

// The address of this machine on the route to the ResourceManager's host.
net::Async<std::string> own_address_towards(std::string host) {
  const auto there = co_await net::resolve(host, kResolvePatience);
  if (!there) co_return fail(there.error());
  asio::ip::udp::socket socket(co_await asio::this_coro::executor);
  boost::system::error_code error;
  const asio::ip::udp::endpoint endpoint(there->front(), 9);  // connecting a UDP socket sends no packet
  socket.open(endpoint.protocol(), error);
  if (!error) socket.connect(endpoint, error);
  if (error) co_return fail(core::Errc::unavailable, fmt::format("there is no route to {}: {}", host, error.message()));
  co_return socket.local_endpoint(error).address().to_string();
}

net::Async<YarnStart> start_beside_client(asio::any_io_executor executor, jobs::JobFolder folder) {
  YarnStart start;
  start.folder = std::move(folder);
  const auto text = core::read_file(start.folder.yarn_file());
  auto job = text ? backend::yarn_job_from_json(*text) : fail(text.error());
  if (!job) co_return fail(job.error().within(start.folder.yarn_file().string()));
  start.job = *std::move(job);
  start.job_key = protocol::JobKeys::make_job_key();
  start.identity = net::make_identity();
  start.config = hconf::from_map(start.job.hadoop, "the client's configuration");
  auto fs = open_hdfs(executor, start.config, start.job.user, {});
  if (!fs) co_return fail(fs.error());
  start.fs = *std::move(fs);

  const auto application = yarn::ApplicationId::parse(start.job.application);
  if (!application) co_return fail(application.error());
  const auto options = yarn::client_rm_options(start.config, {.user = start.job.user});
  if (!options) co_return fail(options.error());
  yarn::ClientRm rm(executor, *options);
  auto token = co_await rm.unmanaged_token(*application);
  if (!token) co_return fail(token.error());
  start.token = *std::move(token);
  rm.close();
  auto address = co_await own_address_towards(options->servers.front().host);
  if (!address) co_return fail(address.error());
  start.address = *std::move(address);
  co_return start;
}

// ---- both ------------------------------------------------------------------------------------------------------

// The resources of a task in YARN's units.
std::vector<backend::YarnRole> roles_of(const JobPlan& plan) {
  std::vector<backend::YarnRole> roles;
  for (const auto& role : plan.roles) {
    const auto& asked = role.asked;
    roles.push_back({role.name, container_size(role), asked.label.value_or(""), asked.hosts, asked.racks,
                     asked.placement == "pack" ? yarn::Arrangement::pack : yarn::Arrangement::spread});
  }
  return roles;
}

// The times of steps before the job's journal began. The clock of the cluster may differ from that of the client.
std::vector<MasterSettings::Step> steps_so_far(const jobs::JobFile& job, core::WallTime begun) {
  std::vector<MasterSettings::Step> steps{{job::RecordKind::job_created, job.created, "created"}};
  const auto submitted = core::parse_int<std::int64_t>(core::process_getenv("APP_SUBMIT_TIME_ENV").value_or(""));
  if (submitted) {
    steps.push_back({job::RecordKind::job_submitted, core::WallTime(core::Millis(*submitted)), "submitted"});
  }
  steps.push_back({job::RecordKind::job_master_up, begun, "master running"});
  return steps;
}

net::awaitable<void> warn_of_end_of_tokens(Master& master, core::WallTime end) {
  for (auto left = yarn::until_warning(core::wall_now(), end); left > core::Millis(0);
       left = yarn::until_warning(core::wall_now(), end)) {
    co_await net::pause(left);
  }
  if (!master.finished()) master.note(yarn::tokens_end_soon(end));
}

// Agents without a master treat the job as ended when its state is final and master.json is gone, so the state is
// written first.
net::awaitable<void> leave_records(backend::RecordMirror& mirror, std::shared_ptr<JournalStore> store,
                                   MasterAddress address) {
  if (store != nullptr) {
    const auto taken = co_await store->journal().is_taken();
    if (taken && *taken) co_return;  // the files now belong to another master
  }
  co_await mirror.finish();
  if (store != nullptr) co_await store->journal().close(kJournalPatience);
  co_await address.remove();
}

http::ServerOptions serving_options(const YarnStart& start, const PreparedJob& prepared, const protocol::JobKeys& keys,
                                    const std::shared_ptr<JobAccess>& access) {
  http::ServerOptions serving;
  serving.address = start.address.find(':') == std::string::npos ? "0.0.0.0" : "::";
  serving.secret = keys.owner();
  serving.key_of = [keys](std::string_view agent) { return keys.agent(agent); };
  serving.guest_of = [access](std::string_view key) { return access->guest(key); };
  serving.identity = start.identity;
  serving.greeting = fmt::format(
      "This is the master of the ydl job {0}.\n`ydl status {0}` shows the job, `ydl follow {0}` "
      "follows it, `ydl kill {0}` stops it.\n",
      start.folder.id().str());
  if (prepared.job.port_range) std::tie(serving.port, serving.last_port) = *prepared.job.port_range;
  return serving;
}

backend::YarnOptions backend_options(const YarnStart& start, const PreparedJob& prepared, const protocol::JobKeys& keys,
                                     const net::Endpoint& endpoint, const std::shared_ptr<JobAccess>& access) {
  backend::YarnOptions options;
  options.roles = roles_of(prepared.plan);
  options.image = image_for_node_manager(prepared.plan.spec);
  options.acl = prepared.plan.spec.acl;
  options.address = start.address;
  options.port = endpoint.port;
  options.config = start.config;
  options.token = start.token;
  options.fs = start.fs;
  options.credentials_of = [keys, shared = start.credentials,
                            secret = agent::AgentSecret{endpoint, start.job.user, start.job.hadoop,
                                                        start.journal.store ? start.job.folder : std::string()}](
                               const core::AgentId& agent) {
    auto own = secret;
    own.master.secret = keys.agent(agent.str());
    auto credentials = shared;
    credentials.secrets[std::string(agent::kAgentSecret)] = agent::encode_agent_secret(own);
    return credentials;
  };
  options.on_registered = [access](const yarn::Registration& registration) { access->registered(registration); };
  return options;
}

int run(asio::io_context& context, YarnStart start, PreparedJob prepared, Attachment attachment) {
  const auto executor = context.get_executor();
  const auto store = start.journal.store;
  const int epoch = start.journal.content.epoch;
  const bool takes_over = epoch > 1;
  protocol::Hub hub(executor, {epoch});
  if (takes_over) hub.begin_taking_over();
  const protocol::JobKeys keys(start.job_key);
  const auto application = yarn::ApplicationId::parse(start.job.application).value_or(yarn::ApplicationId{});
  const auto access = std::make_shared<JobAccess>(access_facts(start.config, application, start.job.user));
  JobPage page(executor, application, ProxyPage::choose(start.config, application, std::move(start.for_proxy)), access);
  auto serving = serving_options(start, prepared, keys, access);
  serving.in_clear = page.in_clear();
  http::Server server(executor, serving);
  const auto fail_start = [](const core::Error& error) {
    core::log("{}", error.message);
    report_start("error " + error.message);
    return 1;
  };
  if (auto fits = check_descriptors_of_master(prepared.plan); !fits) return fail_start(fits.error());
  if (auto listening = server.listen(); !listening) return fail_start(listening.error());
  page.listen({serving.address, serving.port, serving.last_port});
  const auto fingerprint = net::fingerprint_of(start.identity);
  if (!fingerprint) return fail_start(fingerprint.error());
  const net::Endpoint endpoint{start.address, server.port(), serving.secret, *fingerprint, {}, epoch};
  if (auto written = net::write_endpoint(start.folder.master_file(), endpoint); !written)
    return fail_start(written.error());

  const MasterAddress address(start.fs, start.job.folder, epoch);
  backend::RecordMirror::IsTaken is_taken;
  if (store != nullptr) is_taken = [store] { return store->journal().is_taken(); };
  backend::RecordMirror mirror(executor, start.fs, start.folder.root(), start.job.folder, is_taken);
  auto options = backend_options(start, prepared, keys, endpoint, access);
  options.tracking_url = page.tracking_url(endpoint);
  if (attachment == Attachment::attached) options.outlives_master = core::Seconds(5);
  options.blind = prepared.plan.spec.blind_timeout;
  options.can_be_replaced = store != nullptr;
  options.replaces_another = takes_over;
  if (options.can_be_replaced) options.outlives_master = prepared.plan.spec.orphan_timeout;
  options.before_finish = [&mirror, store, address] { return leave_records(mirror, store, address); };
  const Master* job = nullptr;
  options.end_is_kept = [&job] { return job == nullptr || job->end_is_written(); };
  MasterSettings settings;
  settings.address = start.address;
  settings.listen = serving.address;
  settings.agent_addresses = [&hub] { return std::vector(hub.addresses().begin(), hub.addresses().end()); };
  settings.logs = start.job.folder_url + "/logs";
  settings.steps = steps_so_far(prepared.job, start.begun);
  settings.store = store.get();
  settings.began = start.journal.content.began;
  settings.unusable = start.journal.unusable;
  settings.earlier = std::move(start.journal.content.events);
  settings.on_adopted = [&hub] { hub.end_taking_over(); };
  const auto blind = options.blind;
  options.job = std::move(start.job);
  const backend::YarnBackend* made = nullptr;
  settings.make_backend = [&](backend::Sink sink) {
    auto backend = std::make_unique<backend::YarnBackend>(executor, hub, std::move(sink), std::move(options));
    made = backend.get();
    return backend;
  };
  Master master(executor, start.folder, std::move(prepared.job), std::move(prepared.plan), settings);
  settings.earlier = {};
  job = &master;
  if (store != nullptr) {
    store->serve(master);
    net::spawn(executor, "looking for another master",
               watch_for_another(master, store->shared_journal(), *made, hub, blind));
  }
  server.route(make_api(master, hub));
  page.open(master);
  net::spawn(executor, "publishing the master's address",
             takes_over ? address.keep_published(master) : address.publish(master));
  net::spawn(executor, "copying records to HDFS", mirror.run([&master] { master.write_view(); }));
  if (const auto end = yarn::end_of_tokens(start.credentials))
    net::spawn(executor, "watching the life of tokens", warn_of_end_of_tokens(master, *end));
  report_start("ready");
  return run_to_the_end(context, master, server, attachment);
}

int run_when_started(asio::io_context& context, net::Async<YarnStart> starting, Attachment attachment) {
  auto start = net::wait_for(context, std::move(starting));
  auto prepared = start ? prepare_job(start->folder, find_on_node) : fail(start.error());
  if (!prepared) {
    core::log("the master cannot start: {}", prepared.error().message);
    report_start("error " + prepared.error().message);
    return 1;
  }
  return run(context, *std::move(start), *std::move(prepared), attachment);
}

int run_beside_client(const ProcessStart& start) {
  begin_master_process();
  asio::io_context context(1);
  return run_when_started(context, start_beside_client(context.get_executor(), start.folder), start.attachment);
}

int run_in_container(const ProcessStart& /*start*/) {
  begin_master_process();
  asio::io_context context(1);
  return run_when_started(context, start_in_container(context.get_executor()), Attachment::detached);
}

}  // namespace

const ProcessKind& yarn_container_master() {
  static constexpr ProcessKind kKind{"yarn-container", run_in_container};
  return kKind;
}

const ProcessKind& yarn_unmanaged_master() {
  static constexpr ProcessKind kKind{"yarn-unmanaged", run_beside_client};
  return kKind;
}

}  // namespace ydl::master
