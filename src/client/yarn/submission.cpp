#include "client/yarn/submission.hpp"

#include "backend/packing/hash_memory.hpp"
#include "backend/yarn/remote_files.hpp"
#include "backend/yarn/staging.hpp"
#include "client/yarn/foreign_job.hpp"
#include "client/yarn/master_attempts.hpp"
#include "core/strings.hpp"
#include "hconf/portable.hpp"
#include "hrpc/errors.hpp"
#include "master/master_ticket.hpp"
#include "master/yarn_process.hpp"
#include "net/child_process.hpp"
#include "protocol/job_keys.hpp"
#include "yarn/diagnostics.hpp"
#include "yarn/needs_check.hpp"
#include "yarn/token_identifiers.hpp"
#include "yarn/token_life.hpp"

#include <fmt/format.h>

namespace ydl::client {
namespace {

using backend::MasterKind;
using backend::YarnJob;
using core::fail;

std::vector<yarn::Need> needs_of(const master::JobPlan& plan, const SubmissionOptions& options) {
  std::vector<yarn::Need> needs;
  needs.push_back({.role = "am", .resource = options.am_size, .label = options.am_label});
  if (options.kind == MasterKind::unmanaged) needs.front().count = 0;
  for (const auto& role : plan.roles) {
    needs.push_back({.role = role.name,
                     .count = role.least,
                     .resource = master::container_size(role),
                     .label = role.asked.label.value_or(""),
                     .hosts = role.asked.hosts,
                     .racks = role.asked.racks});
  }
  return needs;
}

// A note about how long the job can use HDFS.
void say_end_of_tokens(const ClusterClient& cluster, const yarn::Credentials& credentials, core::Millis limit,
                       const Say& say) {
  const auto end = yarn::end_of_tokens(credentials);
  if (!end) return;
  if (!cluster.tokens.tokens.empty()) {
    say(
        fmt::format("note: there is no Kerberos ticket, so the job uses the tokens in HADOOP_TOKEN_FILE_LOCATION; they "
                    "are valid until {} at the latest, and remain valid after the job has ended",
                    core::format_utc(*end)));
  }
  if (const auto passed = yarn::limit_passes_tokens(core::wall_now(), limit, *end); !passed.empty())
    say("note: " + passed);
}

yarn::Submission submission_of(const YarnJob& job, const std::string& name, const std::string& id,
                               const SubmissionOptions& options, yarn::Credentials credentials) {
  yarn::Submission submission;
  submission.name = name;
  submission.queue = job.queue;
  submission.tags = {"ydl", id};
  submission.priority = options.priority;
  submission.unmanaged = job.kind == MasterKind::unmanaged;
  set_master_attempts(submission, job.kind);
  submission.master.credentials = std::move(credentials);
  submission.master.viewers = options.acl.view;
  submission.master.modifiers = options.acl.modify;
  submission.master.renewal_configuration = options.renewal_conf;
  if (submission.unmanaged) return submission;
  submission.master_resource = options.am_size;
  submission.master_label = options.am_label;
  submission.master.command = {fmt::format("./{}", backend::kStagedProgram), "__master", "--master",
                               std::string(master::yarn_container_master().name)};
  // The master's container needs only the program; the containers of tasks get the other files.
  submission.master.files = {
      {std::string(backend::kStagedProgram), job.staged.files.at(std::string(backend::kStagedProgram))}};
  const auto identity = net::make_identity();
  if (const auto fingerprint = net::fingerprint_of(identity)) submission.tags.push_back(fingerprint_tag(*fingerprint));
  submission.master.credentials.secrets[std::string(master::kMasterTicket)] =
      master::encode_ticket({job.folder, job.user, job.hadoop, protocol::JobKeys::make_job_key(), identity});
  return submission;
}

net::Async<> write_records(ClusterClient& cluster, const jobs::JobFolder& folder, const YarnJob& job) {
  const auto job_file = core::read_file(folder.job_file());
  if (!job_file) co_return fail(job_file.error());
  const auto yarn_file = to_json(job);
  if (auto written = core::write_file_atomically(folder.yarn_file(), yarn_file, 0600); !written) co_return written;
  auto done = co_await backend::write_remote_file(*cluster.fs, job.folder + "/job.json", *job_file);
  if (done) done = co_await backend::write_remote_file(*cluster.fs, job.folder + "/yarn.json", yarn_file);
  co_return done;
}

net::Async<> upload(ClusterClient& cluster, const spec::JobSpec& spec, const SubmissionOptions& options, YarnJob& yarn,
                    const LaunchTarget::StageHooks& hooks) {
  backend::StagingOptions staging;
  staging.job_folder = yarn.folder;
  staging.application = yarn.application;
  staging.root = cluster.root;
  staging.site_root = options.settings.site_cache.value_or("");
  staging.site_owner = options.settings.site_cache_owner.value_or("");
  staging.url_prefix = cluster.url_prefix;
  staging.executable = net::kOwnExecutable;
  staging.user = cluster.user;
  staging.python_env = options.python_env;
  staging.progress = hooks.show_progress;
  staging.say = hooks.say;
  staging.stop = hooks.stop;
  if (const auto cache = backend::cache_directory()) staging.hash_file = *cache / "hashes";
  staging.nodes = static_cast<int>(yarn.nodes.size());
  if (const auto& env = options.python_env;
      env && env->archive.empty() && !env->key.empty() && !backend::find_packed(env->cache, env->key)) {
    hooks.say(fmt::format("packing the Python environment {}", env->source));
  }
  auto staged = co_await backend::stage_job(*cluster.fs, spec, std::move(staging));
  if (!staged) co_return fail(staged.error());
  yarn.staged = *std::move(staged);
  for (const auto& note : yarn.staged.notes) hooks.say("note: " + note);
  if (yarn.staged.bytes_uploaded > 0)
    hooks.say(fmt::format("uploaded {} to {}", core::format_bytes(yarn.staged.bytes_uploaded), cluster.url_prefix));
  co_return core::Result<>{};
}

}  // namespace

SubmissionOptions submission_options(const spec::JobSpec& job) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  SubmissionOptions options;
  options.queue = job.queue.value_or(options.queue);
  if (job.am == "unmanaged") options.kind = MasterKind::unmanaged;
  const auto& asked = job.am_resources;
  if (asked.memory) options.am_size.memory_mib = static_cast<std::int64_t>((*asked.memory + kMiB - 1) / kMiB);
  if (asked.vcores) options.am_size.vcores = *asked.vcores;
  options.am_label = asked.label.value_or("");
  options.priority = job.priority;
  options.acl = job.acl;
  return options;
}

net::Async<ClusterFacts> check_cluster(ClusterClient& cluster, const master::JobPlan& plan,
                                       const SubmissionOptions& options) {
  if (options.kind == MasterKind::unmanaged && cluster.is_secure) {
    co_return fail(core::Errc::usage,
                   "--am unmanaged: with Kerberos the ResourceManager gives no token to a master outside its "
                   "containers; leave it out");
  }
  if (!cluster.tokens.tokens.empty() && cluster.tokens.find_kind(yarn::kRmDelegationToken) == nullptr) {
    co_return fail(hrpc::Errc::unauthenticated,
                   fmt::format("HADOOP_TOKEN_FILE_LOCATION has no {}, and there is no Kerberos ticket: the "
                               "ResourceManager accepts the job with one of them",
                               yarn::kRmDelegationToken));
  }
  const auto application = co_await cluster.rm->new_application();
  if (!application) co_return fail(application.error());
  const auto root = co_await cluster.rm->queue("root");
  if (!root) co_return fail(root.error());
  auto nodes = co_await cluster.rm->nodes({yarn::NodeState::running});
  if (!nodes) co_return fail(nodes.error());
  const auto labels = co_await cluster.rm->node_labels();
  if (!labels) co_return fail(labels.error());
  const auto types = co_await cluster.rm->resource_types();
  if (!types) co_return fail(types.error());
  ClusterFacts facts;
  facts.application = application->id;
  facts.queue = options.queue;
  facts.scheduler = yarn::is_of_fair_scheduler(*root) ? "FairScheduler" : root->scheduler;
  auto needs = needs_of(plan, options);
  if (options.kind == MasterKind::unmanaged) needs.erase(needs.begin());
  const auto notes = yarn::check_needs(needs, {.maximum = application->maximum,
                                               .root = *root,
                                               .queue = facts.queue,
                                               .nodes = *nodes,
                                               .labels = *labels,
                                               .types = *types});
  if (!notes) co_return fail(notes.error());
  facts.notes = *notes;
  auto limit = note_on_master_limit(cluster.config, options.kind);
  if (!limit) co_return fail(limit.error());
  if (*limit) facts.notes.push_back(**std::move(limit));
  facts.nodes = *std::move(nodes);
  co_return facts;
}

YarnJob make_yarn_job(const ClusterClient& cluster, const jobs::JobFile& file, const SubmissionOptions& options,
                      ClusterFacts facts) {
  YarnJob yarn;
  yarn.application = facts.application.str();
  yarn.kind = options.kind;
  yarn.user = cluster.user;
  yarn.queue = std::move(facts.queue);
  yarn.scheduler = std::move(facts.scheduler);
  yarn.folder = cluster.job_folder(file.id.str());
  yarn.folder_url = cluster.url_prefix + yarn.folder;
  yarn.results = file.results.string();
  if (yarn.results.starts_with(cluster.url_prefix + "/")) yarn.results.erase(0, cluster.url_prefix.size());
  yarn.hadoop = hconf::to_map(cluster.config);
  yarn.nodes = std::move(facts.nodes);
  return yarn;
}

net::Async<> stage_files(ClusterClient& cluster, const PlannedJob& job, const SubmissionOptions& options, YarnJob& yarn,
                         LaunchTarget::StageHooks hooks) {
  if (auto uploaded = co_await upload(cluster, job.plan.spec, options, yarn, hooks); !uploaded) co_return uploaded;
  co_return co_await write_records(cluster, job.folder, yarn);
}

net::Async<> submit_application(ClusterClient& cluster, const PlannedJob& job, const SubmissionOptions& options,
                                const YarnJob& yarn, const Say& say, const std::function<core::Result<>()>& may_send) {
  auto credentials = co_await delegation_tokens(cluster, options.file_systems);
  if (!credentials) co_return fail(credentials.error());
  say_end_of_tokens(cluster, *credentials, job.plan.spec.run_timeout, say);
  auto submission = submission_of(yarn, job.plan.spec.name, job.folder.id().str(), options, *std::move(credentials));
  const auto application = yarn::ApplicationId::parse(yarn.application);
  if (!application) co_return fail(application.error());
  submission.id = *application;
  // The job must not cancel the tokens of the user's token file.
  submission.cancel_tokens_when_complete = cluster.tokens.tokens.empty();
  if (auto allowed = may_send(); !allowed) co_return allowed;
  const auto report = co_await cluster.rm->submit(std::move(submission));
  if (!report) co_return fail(report.error());
  if (yarn::is_over(report->state))
    co_return fail(core::Errc::refused, fmt::format("the ResourceManager refused the job: {}",
                                                    yarn::shorten_diagnostics(report->diagnostics)));
  if (options.priority && report->priority != *options.priority) {
    say(
        fmt::format("note: the job has priority {} instead of {}: the cluster allows no higher one "
                    "(yarn.cluster.max-application-priority), or queue {} has its own rule",
                    report->priority, *options.priority, yarn.queue));
  }
  co_return core::Result<>{};
}

}  // namespace ydl::client
