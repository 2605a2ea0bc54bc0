#include "client/yarn/yarn_launch.hpp"

#include "client/env/default_env.hpp"
#include "client/env/python_env.hpp"
#include "client/local/master_start.hpp"
#include "client/restore_source.hpp"
#include "client/settings.hpp"
#include "client/task_paths.hpp"
#include "client/yarn/image_check.hpp"
#include "client/yarn/renewal_conf.hpp"
#include "client/yarn/retention.hpp"
#include "client/yarn/submission.hpp"
#include "core/strings.hpp"
#include "hconf/named_services.hpp"
#include "hdfs/paths.hpp"
#include "master/yarn_process.hpp"
#include "spec/rules.hpp"

#include <fmt/format.h>

namespace ydl::client {
namespace {

using backend::MasterKind;
using core::fail;

// The job is already submitted, so a failure only gives a note; the next launch tries again.
net::awaitable<void> remove_outlived_jobs(ClusterClient& cluster, core::Millis keep, const Say& say) {
  const auto removed = co_await remove_old_jobs(cluster, keep, Removal::real);
  if (!removed) {
    say(fmt::format("note: folders of old jobs could not be removed: {}", removed.error().message));
  } else if (!removed->empty()) {
    say(fmt::format("removed {} that ended {} ago or earlier (keep_jobs)",
                    core::plural(static_cast<std::int64_t>(removed->size()), "job folder"),
                    core::format_duration(keep)));
  }
}

// If the default file system is a view, inputs are translated to the HDFS behind it, which agents use.
core::Result<spec::JobSpec> without_view(spec::JobSpec job, const hconf::Config& config) {
  const auto uri = config.get_trimmed("fs.defaultFS");
  if (!hconf::is_view(uri)) return job;
  const auto view = hconf::ViewFs::of(config, uri);
  if (!view) return fail(view.error());
  for (auto& input : job.inputs) {
    if (!hconf::authority_of(input.source).empty()) continue;
    auto target = view->resolve(std::string_view(input.source).substr(std::string_view("hdfs://").size()));
    if (!target) return fail(target.error().within("the input " + input.source));
    input = {*std::move(target), spec::name_in_task(input)};
  }
  return job;
}

// Makes "hdfs://cluster/path" of a user's path in the default file system or URL of any file system.
core::Result<std::string> results_url(const ClusterClient& cluster, const std::string& wanted) {
  std::string url = wanted;
  if (cluster.view && wanted.starts_with('/')) {
    auto target = cluster.view->resolve(wanted);
    if (!target) return fail(target.error());
    url = *std::move(target);
  }
  const auto authority = hconf::authority_of(url);
  if (authority.empty()) {
    const auto path = cluster.fs->resolve(url);
    if (!path) return fail(path.error());
    return cluster.url_prefix + *path;
  }
  const auto services = hconf::services_behind(cluster.config, url);
  if (!services) return fail(services.error());
  const auto path = hdfs::resolve_path(url, authority, "/user/" + cluster.user);
  if (!path) return fail(path.error());
  return fmt::format("hdfs://{}{}", services->front().name, *path);
}

class YarnLaunch final : public LaunchTarget {
 public:
  YarnLaunch(net::asio::any_io_executor executor, hconf::Config config, spec::Settings settings)
      : executor_(std::move(executor)), config_(std::move(config)), settings_(std::move(settings)) {}

  core::Result<spec::JobSpec> complete(spec::JobSpec job, Effort effort, const Say& say) override {
    if (auto image = check_node_managers_image(job); !image) return fail(image.error());
    auto seen = without_view(std::move(job), config_);
    if (!seen) return fail(seen.error());
    job = with_scripts_shipped(*std::move(seen));
    options_ = submission_options(job);
    options_.settings = settings_;
    const auto by_default = default_env_of(job);
    if (by_default) job.python_env = by_default->name;
    if (!has_python_env(job)) return job;
    if (effort == Effort::look) {
      if (!by_default) job.python_env = name_of_python_env(job);
      return job;
    }
    auto environment = by_default ? default_python_env(*by_default, say) : find_python_env(job, say);
    if (!environment) return fail(environment.error());
    options_.python_env = *std::move(environment);
    return with_interpreter(std::move(job), std::string(backend::kPythonEnvInterpreter));
  }

  std::optional<std::string> find_command(const std::string& name) const override { return master::find_on_node(name); }

  net::Async<std::vector<std::string>> check(const master::JobPlan& plan) override {
    auto cluster = open_cluster(executor_, config_);
    if (!cluster) co_return fail(cluster.error());
    cluster_ = *std::move(cluster);
    auto facts = co_await check_cluster(*cluster_, plan, options_);
    if (!facts) co_return fail(facts.error());
    facts_ = *std::move(facts);
    co_return facts_.notes;
  }

  net::Async<jobs::RestoreFolders> restore_from(std::string job) override {
    return restore_from_cluster(*cluster_, std::move(job));
  }

  core::Result<std::filesystem::path> results(const jobs::JobFolder& folder, const std::string& wanted) const override {
    if (wanted.empty()) return cluster_->url_prefix + cluster_->job_folder(folder.id().str()) + "/results";
    auto url = results_url(*cluster_, wanted);
    if (!url) return fail(url.error().within("--results"));
    return *std::move(url);
  }

  net::Async<> stage(const PlannedJob& job, StageHooks hooks) override {
    const auto file = jobs::read_job_file(job.folder);
    if (!file) co_return fail(file.error());
    auto spec = job.plan.spec;
    if (file->restore && file->restore->results.starts_with("hdfs://"))
      spec.name_nodes.push_back(file->restore->results);
    auto systems = file_systems_of(cluster_->config, spec, file->results.string());
    if (!systems) co_return fail(systems.error());
    options_.file_systems = *std::move(systems);
    if (cluster_->is_secure) {
      auto conf = renewal_conf(cluster_->config,
                               services_with_tokens(cluster_->config, options_.file_systems, cluster_->tokens));
      if (!conf) co_return fail(conf.error());
      options_.renewal_conf = *std::move(conf);
    }
    if (auto checked = co_await check_file_systems(*cluster_, job.plan.spec, options_.file_systems); !checked)
      co_return checked;
    job_ = make_yarn_job(*cluster_, *file, options_, std::move(facts_));
    co_return co_await stage_files(*cluster_, job, options_, job_, std::move(hooks));
  }

  core::Result<> check_here(const master::JobPlan&) const override { return {}; }

  net::Async<> submit(const PlannedJob& job, const Say& say, std::stop_token stop) override {
    if (job_.kind == MasterKind::unmanaged) {
      // From here on the lock shows whether the process to which the application belongs still runs: first this one,
      // and then the master, which gets the lock.
      auto lock = jobs::lock_job(job.folder);
      if (!lock) co_return fail(lock.error());
      lock_ = *std::move(lock);
    }
    const auto may_send = [&]() -> core::Result<> {
      if (stop.stop_requested()) return fail(core::Errc::cancelled, "interrupted");
      sent_ = true;
      return {};
    };
    auto done = co_await submit_application(*cluster_, job, options_, job_, say, may_send);
    if (!done && !yarn::may_be_submitted(done.error()) && !stop.stop_requested()) sent_ = false;
    if (!done) co_return done;
    if (settings_.keep_jobs) co_await remove_outlived_jobs(*cluster_, *settings_.keep_jobs, say);
    say(fmt::format("{} is {} in queue {}", job.folder.id().str(), job_.application, job_.queue));
    co_return core::Result<>{};
  }

  net::Async<core::UniqueFd> start(const PlannedJob& job, master::Attachment attachment) override {
    if (job_.kind == MasterKind::managed) co_return core::UniqueFd{};
    auto lifeline = co_await start_master(
        job.folder, {.kind = master::yarn_unmanaged_master(), .attachment = attachment, .lock = std::move(lock_)});
    if (!lifeline) {
      const auto application = yarn::ApplicationId::parse(job_.application);
      if (application) (void)co_await cluster_->rm->kill(*application, "its master did not start");
    }
    co_return lifeline;
  }

  std::string maybe_submitted_as() const override { return sent_ ? job_.application : ""; }

  net::awaitable<void> abandon() override {
    if (!cluster_ || job_.folder.empty()) co_return;
    // Uses new connections, so that an open call of the submission is closed before the job is killed.
    cluster_->close();
    auto cluster = open_cluster(executor_, config_);
    if (!cluster) co_return;
    const auto application = yarn::ApplicationId::parse(job_.application);
    if (!sent_) {
      (void)co_await cluster->fs->remove(job_.folder, hdfs::Recursive::yes);
    } else if (application) {
      is_killed_ = (co_await cluster->rm->kill(*application, "its client cancelled the submission")).has_value();
    }
    cluster->close();
  }
  std::string leftovers() const override {
    if (is_killed_) return "the ResourceManager has killed it";
    if (sent_) return "the ResourceManager has not confirmed that it is killed";
    return fmt::format("files whose upload was complete stay in the cache in {}{}", cluster_->url_prefix,
                       cluster_->root);
  }

  void close() override {
    if (cluster_) cluster_->close();
  }

 private:
  net::asio::any_io_executor executor_;
  hconf::Config config_;
  spec::Settings settings_;
  SubmissionOptions options_;
  std::optional<ClusterClient> cluster_;  // set by check()
  ClusterFacts facts_;                    // set from check() to stage()
  backend::YarnJob job_;                  // set by stage()
  core::UniqueFd lock_;                   // of an unmanaged job's folder, held from submit() to start()
  bool sent_ = false;                     // whether the submission was sent and not refused
  bool is_killed_ = false;                // whether abandon() has killed the application
};

}  // namespace

core::Result<std::unique_ptr<LaunchTarget>> make_yarn_launch(net::asio::any_io_executor executor,
                                                             hconf::Config config) {
  auto settings = load_settings();
  if (!settings) return fail(settings.error());
  return std::make_unique<YarnLaunch>(std::move(executor), std::move(config), *std::move(settings));
}

}  // namespace ydl::client
