// Stages a job like a submission, for cluster tests. Every line on standard output reports one fact. An error is
// printed and ends the program.
//
//   staging_tool stage DIRECTORY               what was uploaded, reused and how the task's directory is made of it
//   staging_tool run DIRECTORY COMMAND...      the same, then the command as an ApplicationMaster with all of it in its
//                                              container, until its end
#include "backend/packing/hash_memory.hpp"
#include "backend/yarn/staging.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "hdfs/configured.hpp"
#include "hrpc/configured.hpp"
#include "spec/options.hpp"
#include "tool_main.hpp"
#include "yarn/client_rm.hpp"
#include "yarn/token_identifiers.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace {

using namespace ydl;

struct Arguments {
  std::vector<std::string> words;
  std::vector<std::string> files;     // SOURCE=NAME
  std::vector<std::string> archives;  // SOURCE#NAME
  std::string site_root;
  std::string site_owner;
  std::string job_folder;
  std::string executable = "/proc/self/exe";
  int nodes = 1;
  bool no_auto_files = false;
};

using test::say;

core::Result<spec::JobSpec> job_of(const Arguments& arguments) {
  spec::JobSpec job;
  job.directory = arguments.words.at(1);
  job.auto_files = !arguments.no_auto_files;
  for (const auto& text : arguments.files) {
    auto file = spec::parse_file_ref(text);
    if (!file) return core::fail(file.error());
    job.files.push_back(*std::move(file));
  }
  for (const auto& text : arguments.archives) {
    auto archive = spec::parse_archive_ref(text);
    if (!archive) return core::fail(archive.error());
    job.archives.push_back(*std::move(archive));
  }
  return job;
}

net::Async<backend::StagedJob> stage(hdfs::FileSystem& fs, const Arguments& arguments, const std::string& prefix) {
  const auto job = job_of(arguments);
  if (!job) co_return core::fail(job.error());
  const auto cache = backend::cache_directory();
  if (!cache) co_return core::fail(cache.error());
  backend::StagingOptions options{.job_folder = arguments.job_folder,
                                  .application = {},
                                  .root = fs.home_directory() + "/.ydl",
                                  .site_root = arguments.site_root,
                                  .site_owner = arguments.site_owner,
                                  .user = core::user_name(),
                                  .url_prefix = prefix,
                                  .executable = arguments.executable,
                                  .hash_file = *cache / "hashes",
                                  .nodes = arguments.nodes};
  auto staged = co_await backend::stage_job(fs, *job, std::move(options));
  if (!staged) co_return staged;
  for (const auto& note : staged->notes) say("note " + note);
  for (const auto& [name, file] : staged->files) {
    say(fmt::format("file {} {} {} {}", name, file.url,
                    file.visibility == yarn::LocalResource::Visibility::everybody ? "everybody" : "user", file.size));
  }
  say(fmt::format("linked [{}]", staged->linked_directory));
  for (const auto& link : staged->links) say(fmt::format("link {} {}", link.target, link.name));
  say(fmt::format("uploaded {} reused {}", staged->bytes_uploaded, staged->bytes_reused));
  co_return staged;
}

net::Async<> run(yarn::ClientRm& rm, const backend::StagedJob& staged, std::vector<std::string> command) {
  const auto application = co_await rm.new_application();
  if (!application) co_return core::fail(application.error());
  yarn::Submission submission{.id = application->id, .name = "staging_tool", .queue = "default"};
  submission.max_attempts = 1;
  submission.master.command = std::move(command);
  submission.master.files = staged.files;
  submission.master_resource = {.memory_mib = 128, .vcores = 1};
  const auto submitted = co_await rm.submit(std::move(submission));
  if (!submitted) co_return core::fail(submitted.error());
  for (;; co_await net::pause(core::Millis(100))) {
    const auto report = co_await rm.report(submitted->id);
    if (!report) co_return core::fail(report.error());
    if (!is_over(report->state)) continue;
    say(fmt::format("ended {}", core::printable(report->diagnostics)));
    co_return core::Result<>{};
  }
}

net::Async<> work(net::asio::any_io_executor executor, const hconf::Config& config, const Arguments& arguments) {
  const auto service = hconf::default_name_service(config);
  if (!service) co_return core::fail(service.error());
  auto options = hdfs::configured(config, *service, {.user = core::user_name()});
  if (!options) co_return core::fail(options.error());
  hdfs::FileSystem fs(executor, *std::move(options));
  const auto staged = co_await stage(fs, arguments, "hdfs://" + service->name);
  fs.close();
  if (!staged) co_return core::fail(staged.error());
  if (arguments.words.at(0) != "run") co_return core::Result<>{};
  const auto managers = hconf::resource_managers(config);
  if (!managers) co_return core::fail(managers.error());
  const auto manager = hrpc::resource_manager_options(config, {managers->front().client}, yarn::kRmDelegationToken,
                                                      {.user = core::user_name()});
  if (!manager) co_return core::fail(manager.error());
  yarn::ClientRm rm(executor, *manager);
  co_return co_await run(rm, *staged, {arguments.words.begin() + 2, arguments.words.end()});
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app;
  app.prefix_command();
  app.add_option("--file", arguments.files)->allow_extra_args(false);
  app.add_option("--archive", arguments.archives)->allow_extra_args(false);
  app.add_option("--site-root", arguments.site_root);
  app.add_option("--site-owner", arguments.site_owner);
  app.add_option("--job-folder", arguments.job_folder);
  app.add_option("--executable", arguments.executable);
  app.add_option("--nodes", arguments.nodes);
  app.add_flag("--no-auto-files", arguments.no_auto_files);
  CLI11_PARSE(app, argc, argv);
  arguments.words = app.remaining();
  if (arguments.words.size() < 2) {
    test::say("what?");
    return 2;
  }
  return test::run_tool([&](net::asio::any_io_executor executor, const hconf::Config& config) {
    return work(std::move(executor), config, arguments);
  });
}
