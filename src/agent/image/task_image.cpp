#include "agent/image/task_image.hpp"

#include "agent/image/images.hpp"
#include "agent/process/run_program.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "net/in_thread.hpp"

#include <memory>

#include <fmt/format.h>

namespace ydl::agent {
namespace {

constexpr core::Millis kLookTime = core::Seconds(60);
constexpr core::Millis kRemoveTime = core::Seconds(10);
constexpr core::Millis kFetchTime = std::chrono::hours(2);  // the allocation timeout of the job is usually much shorter

std::optional<std::string> find_runtime(const protocol::Image& image) {
  return find_program(image.runtime, core::process_getenv("PATH").value_or(""));
}

// Uses a thread of its own, because fetching an image may take hours, and the agent's worker also serves other tasks.
net::Async<ProgramResult> run_aside(std::vector<std::string> argv, core::Millis limit) {
  auto result = std::make_shared<core::Result<ProgramResult>>();
  const auto program = argv.front();
  const auto work = [result, argv = std::move(argv), limit] { *result = run_program(argv, limit); };
  if (co_await net::in_thread(work, limit + core::Seconds(5))) co_return *result;
  co_return core::fail(core::Errc::timeout,
                       fmt::format("{} did not end within {}", program, core::format_duration(limit)));
}

}  // namespace

core::Result<void> TaskImage::check() const {
  if (!context_.surroundings.wrong_place.empty())
    return core::fail(core::Errc::refused, context_.surroundings.wrong_place);
  if (!request_.image) return {};
  if (find_runtime(*request_.image)) return {};
  return core::fail(core::Errc::not_found,
                    fmt::format("{} is not installed on {}: it is to run the image {}", request_.image->runtime,
                                core::host_name(), request_.image->image));
}

// Done before the task starts: fetching may take minutes, and a gang starts only when all its tasks can.
net::Async<> TaskImage::fetch() const {
  if (!request_.image) co_return core::Result<>{};
  const auto image = *request_.image;
  const auto program = find_runtime(image).value_or(image.runtime);
  if (image.pull != protocol::Image::Pull::always) {
    const auto looked =
        co_await run_aside({program, "image", "inspect", "--format", "{{.Id}}", image.image}, kLookTime);
    if (!looked) co_return core::fail(looked.error());
    if (looked->shell_code == 0) co_return core::Result<>{};
    if (image.pull == protocol::Image::Pull::never) {
      co_return core::fail(core::Errc::not_found,
                           fmt::format("{} has no image {} on {}, and the job does not allow fetching it: {}",
                                       image.runtime, image.image, core::host_name(), why_it_failed(looked->output)));
    }
  }
  context_.report(
      protocol::Note{request_.attempt, fmt::format("{} is fetching the image {}", image.runtime, image.image)});
  const auto fetched = co_await run_aside({program, "pull", image.image}, kFetchTime);
  if (!fetched) co_return core::fail(fetched.error());
  if (fetched->shell_code == 0) co_return core::Result<>{};
  co_return core::fail(core::Errc::not_found,
                       fmt::format("{} on {} could not fetch the image {}: {}", image.runtime, core::host_name(),
                                   image.image, why_it_failed(fetched->output)));
}

void TaskImage::put_into(LaunchRequest& launch, const std::map<std::string, std::string>& asked) const {
  ImageRun run{*request_.image, container_name(), request_.working_directory, mounts_of(request_), asked};
  if (const auto file = asked.find("YDL_TASKS_FILE"); file != asked.end()) run.mounts.push_back(file->second);
  for (const auto* variable : {"CUDA_VISIBLE_DEVICES", "YDL_RESULTS_DIR", "YDL_PREEMPTION_FILE", "PWD"}) {
    const auto found = launch.environment.find(variable);
    if (found != launch.environment.end()) run.environment[variable] = found->second;
  }
  if (const auto file = run.environment.find("YDL_PREEMPTION_FILE"); file != run.environment.end())
    run.mounts.push_back(std::filesystem::path(file->second).parent_path().string());
  if (const auto restore = launch.environment.find("YDL_RESTORE_DIR"); restore != launch.environment.end()) {
    run.environment["YDL_RESTORE_DIR"] = restore->second;
    if (restore->second != request_.results_directory) run.mounts.push_back(restore->second);
  }
  if (const auto& user = context_.surroundings.hadoop_user; !user.empty())
    run.environment.try_emplace("HADOOP_USER_NAME", user);
  if (const auto& file = context_.surroundings.token_file; !file.empty()) {
    run.token_file = file;
    run.environment.try_emplace("HADOOP_TOKEN_FILE_LOCATION", file);
  }
  launch.argv = image_command(run, launch.argv);
  launch.told_to_stop = LaunchRequest::ToldToStop::main_process;
  // The runtime is a program of this machine and needs this environment. The task sees only the named variables.
  for (const auto& [variable, value] : asked) {
    if (passed_by_name(variable)) continue;
    if (const auto own = core::process_getenv(variable.c_str()))
      launch.environment[variable] = *own;
    else
      launch.environment.erase(variable);
  }
}

std::string TaskImage::container_name() const {
  return fmt::format("ydl-{}-{}-{}", context_.surroundings.job, request_.attempt.task.file_name(),
                     request_.attempt.attempt);
}

std::vector<std::string> TaskImage::removal_command() const {
  return {find_runtime(*request_.image).value_or(request_.image->runtime), "rm", "-f", container_name()};
}

// With podman the processes have ended with the task, and this removes the record of the container. With Docker the
// processes belong to the engine, and this ends them.
net::awaitable<void> TaskImage::remove() const {
  if (!request_.image) co_return;
  const auto remove = [command = removal_command(), attempt = request_.attempt.str()](const std::stop_token&) {
    const auto removed = run_program(command, kRemoveTime);
    if (!removed) core::log("{}: {}", attempt, removed.error().message);
  };
  (void)co_await context_.machine.worker().run(remove);
}

// For the end of the agent, when its event loop no longer runs.
void TaskImage::remove_now() const {
  if (!request_.image) return;
  const auto removed = run_program(removal_command(), kRemoveTime);
  if (!removed) core::log("{}: {}", request_.attempt.str(), removed.error().message);
}

}  // namespace ydl::agent
