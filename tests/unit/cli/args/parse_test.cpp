#include "cli/args/parse.hpp"

#include "cli/args/help.hpp"
#include "cli/args/job_options.hpp"
#include "cli/fs/fs_command.hpp"
#include "client/env/python_env.hpp"
#include "core/cluster_kind.hpp"
#include "core/strings.hpp"
#include "core/version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ydl::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

// A command line of words without blanks in them; its first word is the program.
core::Result<Command> parse_line(std::string_view line) {
  Words words;
  for (const auto word : core::split(line, ' ')) words.emplace_back(word);
  const auto program = words.front();
  words.erase(words.begin());
  return parse(program, std::move(words));
}

template <class T>
T parsed(std::string_view line) {
  auto command = parse_line(line);
  if (!command) {
    ADD_FAILURE() << line << ": " << command.error().message;
    return {};
  }
  auto* wanted = std::get_if<T>(&*command);
  if (wanted == nullptr) {
    ADD_FAILURE() << line << " is another command: number " << command->index();
    return {};
  }
  return std::move(*wanted);
}

// Not parsed<Run> in the tests themselves: there `Run` is GoogleTest's.
Run run_of(std::string_view line) {
  return parsed<Run>(line);
}

std::string refusal(std::string_view line) {
  const auto command = parse_line(line);
  if (command) return "accepted";
  EXPECT_EQ(command.error().code, core::Errc::usage) << line;
  EXPECT_EQ(command.error().message.find('\n'), std::string::npos) << "one sentence: " << line;
  return command.error().message;
}

std::string roles_of(const Run& run) {
  std::string text;
  for (const auto& role : run.spec.roles) text += role.name + "=" + std::to_string(role.count) + " ";
  return text;
}

const spec::Role& role(const Run& run, std::string_view name) {
  for (const auto& candidate : run.spec.roles) {
    if (candidate.name == name) return candidate;
  }
  throw std::out_of_range(std::string(name));
}

// ---- ydl-mx ----------------------------------------------------------------------------------------------------

TEST(ParseMx, the_first_command_of_the_manual) {
  const auto run =
      run_of("ydl-mx --n 2 --jobname MXNetOnYarn --jar ydl-mx.jar train_minist.py --kv-store sync --data-dir .");
  EXPECT_EQ(run.spec.framework, "mxnet");
  EXPECT_EQ(roles_of(run), "worker=2 server=2 ");
  EXPECT_EQ(run.spec.name, "MXNetOnYarn");
  EXPECT_THAT(run.spec.command, ElementsAre("train_minist.py", "--kv-store", "sync", "--data-dir", "."));
  EXPECT_THAT(run.options.notes, ElementsAre("--jar ydl-mx.jar is not needed and ignored"));
  EXPECT_THAT(run.options.cluster_only, IsEmpty());
}

TEST(ParseMx, the_second_command_of_the_manual) {
  const auto run = run_of("ydl-mx -hip 192.168.1.1 -n 1 -s 1 --yarn-scripts xxx/yarn/ python imagenet.py");
  EXPECT_EQ(roles_of(run), "worker=1 server=1 ");
  EXPECT_THAT(run.options.cluster_only, ElementsAre("-hip"));
  EXPECT_THAT(run.options.notes, ElementsAre("--yarn-scripts xxx/yarn/ is not needed and ignored"));
  EXPECT_THAT(run.spec.command, ElementsAre("python", "imagenet.py"));
  EXPECT_EQ(run.spec.name, "imagenet");
}

TEST(ParseMx, servers_are_as_many_as_workers_unless_counted) {
  EXPECT_EQ(roles_of(run_of("ydl-mx x.py")), "worker=1 server=1 ");
  EXPECT_EQ(roles_of(run_of("ydl-mx --n 3 x.py")), "worker=3 server=3 ");
  EXPECT_EQ(roles_of(run_of("ydl-mx --n 2 --s 1 x.py")), "worker=2 server=1 ");
  EXPECT_EQ(roles_of(run_of("ydl-mx --s 2 x.py")), "worker=1 server=2 ");
  EXPECT_EQ(roles_of(run_of("ydl-mx --role worker=4 x.py")), "worker=4 server=4 ");
  EXPECT_EQ(roles_of(run_of("ydl-mx --role worker=4 --role server=2 x.py")), "worker=4 server=2 ");
}

TEST(ParseMx, counts_have_many_spellings) {
  for (const auto* line : {"ydl-mx --n 2 --s 3 x.py", "ydl-mx -n 2 -s 3 x.py", "ydl-mx --n=2 --s=3 x.py",
                           "ydl-mx -n2 -s3 x.py", "ydl-mx --num-workers 2 --num-servers 3 x.py"}) {
    EXPECT_EQ(roles_of(run_of(line)), "worker=2 server=3 ") << line;
  }
}

TEST(ParseMx, the_old_resource_options_mean_roles) {
  const auto run =
      run_of("ydl-mx --n 1 --worker-memory 2g --worker-cores 2 --server-memory 512m --server-cores 1 x.py");
  EXPECT_EQ(role(run, "worker").resources, (spec::Resources{2ULL << 30U, 2, {}, {}}));
  EXPECT_EQ(role(run, "server").resources, (spec::Resources{512ULL << 20U, 1, {}, {}}));
}

TEST(ParseMx, files_and_archives_have_the_old_spellings_too) {
  const auto run = run_of("ydl-mx --files a.txt --archives env.tgz#env --archive data.zip --files-limit 2g x.py");
  EXPECT_EQ(run.spec.files, (std::vector<spec::FileRef>{{"a.txt", ""}}));
  EXPECT_EQ(run.spec.archives, (std::vector<spec::FileRef>{{"env.tgz", "env"}, {"data.zip", ""}}));
  EXPECT_EQ(run.spec.files_limit, 2ULL << 30U);
}

TEST(ParseMx, everything_after_the_task_belongs_to_the_task) {
  EXPECT_THAT(run_of("ydl-mx --n 2 x.py --n 5 -s 7 --help --version").spec.command,
              ElementsAre("x.py", "--n", "5", "-s", "7", "--help", "--version"));
  EXPECT_THAT(run_of("ydl-mx python -u x.py --dry-run").spec.command, ElementsAre("python", "-u", "x.py", "--dry-run"));
  EXPECT_THAT(run_of("ydl-mx ./native --unknown").spec.command, ElementsAre("./native", "--unknown"));
}

TEST(ParseMx, the_tasks_words_are_never_rewritten) {
  const auto run = run_of("ydl-mx --n 1 x.py -hip 10.0.0.1 a -- b -- c");
  EXPECT_THAT(run.spec.command, ElementsAre("x.py", "-hip", "10.0.0.1", "a", "--", "b", "--", "c"));
  EXPECT_THAT(run.options.cluster_only, IsEmpty());
}

TEST(ParseMx, two_dashes_end_our_options) {
  EXPECT_THAT(run_of("ydl-mx --n 1 -- x.py --n 2 -- y").spec.command, ElementsAre("x.py", "--n", "2", "--", "y"));
  EXPECT_THAT(run_of("ydl-mx -- -odd-name").spec.command, ElementsAre("-odd-name"));
}

TEST(ParseMx, mistakes_are_said_with_a_remedy) {
  EXPECT_THAT(refusal("ydl-mx --n 2"), HasSubstr("the command to run is missing"));
  EXPECT_THAT(refusal("ydl-mx --n 2 --"), HasSubstr("the command to run is missing"));
  EXPECT_THAT(refusal("ydl-mx --n 0 x.py"), HasSubstr("--n 0 is too small; a job needs at least one worker"));
  EXPECT_THAT(refusal("ydl-mx --n 1 --s 0 x.py"), HasSubstr("--s 0 is too small; a job needs at least one server"));
  EXPECT_THAT(refusal("ydl-mx --n -1 x.py"), HasSubstr("--n -1"));
  EXPECT_THAT(refusal("ydl-mx --n 100001 x.py"), HasSubstr("--n 100001 is too large; the largest number is 100000"));
  EXPECT_EQ(refusal("ydl-mx --n two x.py"), "--n 'two' is not a whole number; write for example 2");
  EXPECT_EQ(refusal("ydl-mx --n 99999999999 x.py"), "--n 99999999999 is too large; the largest number is 100000");
  EXPECT_EQ(refusal("ydl-mx --n 1.5 x.py"), "--n '1.5' is not a whole number; write for example 2");
  EXPECT_EQ(refusal("ydl-mx --s"), "--s has no value; write --s N");
  EXPECT_EQ(refusal("ydl-mx --n 1 --n 2 x.py"), "--n is given more than once; write it once");
  EXPECT_EQ(refusal("ydl ls --limit 0"), "--limit 0 is too small; the smallest number is 1");
  EXPECT_THAT(refusal("ydl-mx --archives data.zip# x.py"), HasSubstr("--archives: 'data.zip#' ends without a name"));
  EXPECT_THAT(refusal("ydl-mx --files-limit much x.py"), HasSubstr("--files-limit: 'much' is not a size"));
  EXPECT_THAT(refusal("ydl-mx --n 99999999999 x.py"), HasSubstr("--n"));
  EXPECT_THAT(refusal("ydl-mx --n"), HasSubstr("--n"));
  EXPECT_THAT(refusal("ydl-mx --jobnmae x x.py"), HasSubstr("no option --jobnmae; did you mean --jobname?"));
  EXPECT_THAT(refusal("ydl-mx --n 1 --role worker=2 x.py"), HasSubstr("role worker is given twice"));
  EXPECT_THAT(refusal("ydl-mx --role server=2 --s 3 x.py"), HasSubstr("role server is given twice"));
  EXPECT_THAT(refusal("ydl-mx --resource wroker:memory=1g x.py"), HasSubstr("did you mean 'worker'?"));
}

TEST(ParseMx, help_and_version_are_texts) {
  for (const auto* line : {"ydl-mx", "ydl-mx --help", "ydl-mx -h", "ydl-mx --n 2 --help", "ydl-mx --n 2 -h x.py"})
    EXPECT_EQ(parsed<ShowText>(line).text, mx_help()) << line;
  EXPECT_THAT(parsed<ShowText>("ydl-mx --version").text, HasSubstr("ydl-mx "));
}

TEST(ParseMx, is_known_by_its_name_in_any_folder) {
  EXPECT_EQ(run_of("/opt/bin/ydl-mx x.py").spec.framework, "mxnet");
}

// ---- ydl run ---------------------------------------------------------------------------------------------------

TEST(ParseRun, a_command_runs_once_on_its_own) {
  const auto run = run_of("ydl run -- ./train --lr 1");
  EXPECT_EQ(run.spec.framework, "none");
  EXPECT_EQ(roles_of(run), "worker=1 ");
  EXPECT_THAT(run.spec.command, ElementsAre("./train", "--lr", "1"));
  EXPECT_TRUE(run.spec.directory);
  EXPECT_TRUE(run.spec.auto_files);
  EXPECT_FALSE(run.options.detach);
  EXPECT_FALSE(run.options.dry_run);
  EXPECT_EQ(run.options.common.cluster, std::nullopt);
  EXPECT_EQ(run.options.common.output, ui::Mode::automatic);
}

TEST(ParseRun, every_option_reaches_the_job) {
  const auto run = run_of(
      "ydl run --framework none --n 2 --role ps=1 --resource worker:memory=1g,gpus=1 --resource ps:vcores=2 "
      "--name mnist --env A=1 --env B=x=y --file data=d --files more --no-auto-files --python /py "
      "--retries 3 --job-retries 2 --blacklist strict --allocation-timeout 10s --timeout 2h --stop-grace 500ms -- "
      "train.py");
  EXPECT_EQ(roles_of(run), "ps=1 worker=2 ");
  EXPECT_EQ(role(run, "worker").resources, (spec::Resources{1ULL << 30U, {}, 1, {}}));
  EXPECT_EQ(role(run, "ps").resources, (spec::Resources{{}, 2, {}, {}}));
  EXPECT_EQ(run.spec.name, "mnist");
  EXPECT_EQ(run.spec.env, (std::map<std::string, std::string>{{"A", "1"}, {"B", "x=y"}}));
  EXPECT_EQ(run.spec.files, (std::vector<spec::FileRef>{{"data", "d"}, {"more", ""}}));
  EXPECT_FALSE(run.spec.auto_files);
  EXPECT_EQ(run.spec.python, "/py");
  EXPECT_EQ(run.spec.retries, 3);
  EXPECT_EQ(run.spec.job_retries, 2);
  EXPECT_EQ(run.spec.blacklist.mode, "strict");
  EXPECT_EQ(run.spec.allocation_timeout, core::Seconds(10));
  EXPECT_EQ(run.spec.run_timeout, std::chrono::hours(2));
  EXPECT_EQ(run.spec.stop_grace, core::Millis(500));
}

TEST(ParseRun, every_option_reaches_the_run) {
  const auto run =
      run_of("ydl run --detach --dry-run --results out --port-range 20000-20100 --cluster local --output json -- x");
  EXPECT_TRUE(run.options.detach);
  EXPECT_TRUE(run.options.dry_run);
  EXPECT_EQ(run.options.results, "out");
  EXPECT_EQ(run.options.port_range, (std::pair<std::uint16_t, std::uint16_t>{20000, 20100}));
  EXPECT_EQ(run.options.common.cluster, core::ClusterKind::local);
  EXPECT_EQ(run.options.common.output, ui::Mode::json);
}

TEST(ParseRun, options_for_clusters_are_kept_for_the_choice_of_the_cluster) {
  const auto run = run_of("ydl run --queue q -hip 10.0.0.1 --am managed --resource worker:label=gpu -- x");
  EXPECT_THAT(run.options.cluster_only, ElementsAre("-hip", "--queue", "--am", "label=gpu of role worker"));
}

TEST(ParseRun, what_a_cluster_is_asked_for_is_part_of_the_job) {
  const auto job = run_of(
                       "ydl run --queue q --am unmanaged --priority 7 --resource am:memory=512m,label=m "
                       "--resource worker:hosts=a+b,placement=pack -- x")
                       .spec;
  EXPECT_EQ(job.queue, "q");
  EXPECT_EQ(job.am, "unmanaged");
  EXPECT_EQ(job.priority, 7);
  EXPECT_EQ(job.am_resources.memory, std::uint64_t{512} << 20U);
  EXPECT_EQ(job.am_resources.label, "m");
  EXPECT_THAT(job.roles.front().resources.hosts, ElementsAre("a", "b"));
  EXPECT_EQ(job.roles.front().resources.placement, "pack");
  EXPECT_THAT(refusal("ydl run --am manged -- x"), HasSubstr("did you mean 'managed'?"));
  EXPECT_THAT(refusal("ydl run --priority high -- x"), HasSubstr("--priority high: this must be a whole number"));
  EXPECT_THAT(refusal("ydl run --resource am:gpus=1 -- x"), HasSubstr("(am) takes memory, vcores and label only"));
}

TEST(ParseRun, who_may_see_and_stop_a_job) {
  const auto command = parse("ydl", {"run", "--acl-view", "alice,bob ml-team", "--acl-modify", " ops", "--", "x"});
  ASSERT_TRUE(command) << command.error().message;
  const auto& run = std::get<ydl::cli::Run>(*command);
  EXPECT_EQ(run.spec.acl, (spec::Acl{.view = "alice,bob ml-team", .modify = " ops"}));
  EXPECT_THAT(run.options.cluster_only, ElementsAre("--acl-view", "--acl-modify"));
  EXPECT_EQ(parsed<Submit>("ydl submit --acl-view bob job.yaml").on_cluster.acl_view, "bob");
  EXPECT_THAT(refusal("ydl run --acl-view a,,b -- x"), HasSubstr("--acl-view: 'a,,b' is not an access list"));
}

TEST(ParseRun, an_image_and_who_runs_it) {
  const auto job = run_of("ydl run --image python:3 --image-runtime podman --image-mount /data:/d:rw -- x").spec;
  ASSERT_TRUE(job.image);
  EXPECT_EQ(*job.image, (spec::Image{.name = "python:3", .runtime = "podman", .mounts = {"/data:/d:rw"}}));
  EXPECT_EQ(parsed<Submit>("ydl submit --image python:3 job.yaml").on_cluster.image.name, "python:3");
  EXPECT_EQ(run_of("ydl-mx --image mxnet:1.9 train.py").spec.image->name, "mxnet:1.9");
  EXPECT_THAT(refusal("ydl run --image-runtime podman -- x"),
              HasSubstr("--image-runtime: the job has no image; add --image NAME"));
  EXPECT_THAT(refusal("ydl run --image python:3 --image-runtime podmann -- x"), HasSubstr("did you mean 'podman'?"));
  EXPECT_THAT(refusal("ydl run --image python:3 --image-mount data:/d -- x"), HasSubstr("--image-mount"));
  EXPECT_THAT(refusal("ydl run --image python:3 --python-env env -- x"), HasSubstr("remove one of them"));
}

TEST(ParseRun, the_task_needs_no_dashes_before_it) {
  EXPECT_THAT(run_of("ydl run --n 2 python train.py --n 7 --help").spec.command,
              ElementsAre("python", "train.py", "--n", "7", "--help"));
}

TEST(ParseRun, two_dashes_of_the_task_stay_with_it) {
  EXPECT_THAT(run_of("ydl run -- torchrun -- x").spec.command, ElementsAre("torchrun", "--", "x"));
  EXPECT_THAT(run_of("ydl run torchrun a -- x").spec.command, ElementsAre("torchrun", "a", "--", "x"));
}

TEST(ParseRun, a_value_that_is_two_dashes_does_not_end_the_options) {
  EXPECT_THAT(run_of("ydl run --name=-- -- x").spec.name, "--");
}

TEST(ParseRun, mistakes_are_said_with_a_remedy) {
  EXPECT_THAT(refusal("ydl run"), HasSubstr("the command to run is missing"));
  EXPECT_THAT(refusal("ydl run --n 2 --"), HasSubstr("the command to run is missing"));
  EXPECT_THAT(refusal("ydl run --detahc -- x"), HasSubstr("no option --detahc; did you mean --detach?"));
  EXPECT_THAT(refusal("ydl run --detahc x"), HasSubstr("did you mean --detach?"));
  EXPECT_THAT(refusal("ydl run -q x"), HasSubstr("no option -q (options for your program go after it)"));
  EXPECT_THAT(refusal("ydl run --framework tensorflwo -- x"), HasSubstr("did you mean 'tensorflow'?"));
  EXPECT_THAT(refusal("ydl run --s 2 -- x"), HasSubstr("--s: framework none has no servers; remove --s"));
  EXPECT_THAT(refusal("ydl run --role worker -- x"), HasSubstr("--role"));
  EXPECT_THAT(refusal("ydl run --role worker=0 -- x"), HasSubstr("--role"));
  EXPECT_THAT(refusal("ydl run --resource worker:memory=lots -- x"), HasSubstr("--resource"));
  EXPECT_THAT(refusal("ydl run --worker-memory 1x -- x"), HasSubstr("memory"));
  EXPECT_THAT(refusal("ydl run --env =x -- x"), HasSubstr("--env"));
  EXPECT_THAT(refusal("ydl run --env A -- x"), HasSubstr("--env"));
  EXPECT_THAT(refusal("ydl run --file =x -- x"), HasSubstr("--file"));
  EXPECT_THAT(refusal("ydl run --retries -1 -- x"), HasSubstr("--retries"));
  EXPECT_THAT(refusal("ydl run --retries many -- x"), HasSubstr("--retries"));
  EXPECT_THAT(refusal("ydl run --timeout soon -- x"), HasSubstr("--timeout"));
  EXPECT_THAT(refusal("ydl run --stop-grace -1s -- x"), HasSubstr("--stop-grace"));
  EXPECT_THAT(refusal("ydl run --allocation-timeout x -- x"), HasSubstr("--allocation-timeout"));
  EXPECT_THAT(refusal("ydl run --cluster yran -- x"), HasSubstr("did you mean 'yarn'?"));
  EXPECT_THAT(refusal("ydl run --output jsno -- x"), HasSubstr("did you mean 'json'?"));
  EXPECT_THAT(refusal("ydl run --name a --name b -- x"), HasSubstr("--name is given more than once"));
  for (const auto* range : {"1", "a-b", "5-1", "0-5", "1-70000", "1-2-3", "-"})
    EXPECT_THAT(refusal(std::string("ydl run --port-range ") + range + " -- x"), HasSubstr("--port-range")) << range;
}

// ---- the other commands ----------------------------------------------------------------------------------------

TEST(ParseCommands, submit_takes_a_file_and_the_options_of_a_run) {
  const auto submit = parsed<Submit>("ydl submit --detach --results r job.yaml");
  EXPECT_EQ(submit.file, "job.yaml");
  EXPECT_TRUE(submit.options.detach);
  EXPECT_EQ(submit.options.results, "r");
  EXPECT_THAT(refusal("ydl submit"), HasSubstr("FILE"));
  EXPECT_THAT(refusal("ydl submit a.yaml b.yaml"), HasSubstr("`ydl submit` takes no argument 'b.yaml'"));
  EXPECT_THAT(refusal("ydl submit --n 2 a.yaml"), HasSubstr("`ydl submit` has no option --n "));
}

TEST(ParseCommands, ls_takes_a_limit) {
  EXPECT_EQ(parsed<List>("ydl ls").limit, 50);
  EXPECT_EQ(parsed<List>("ydl ls --limit 3 --output json").limit, 3);
  EXPECT_THAT(refusal("ydl ls --limit 0"), HasSubstr("--limit"));
  EXPECT_THAT(refusal("ydl ls extra"), HasSubstr("takes no argument 'extra'"));
}

TEST(ParseCommands, status_takes_a_job_or_none) {
  EXPECT_EQ(parsed<Status>("ydl status").job, "");
  EXPECT_EQ(parsed<Status>("ydl status mnist-1").job, "mnist-1");
}

TEST(ParseCommands, logs_take_job_task_stream_and_attempt) {
  const auto logs = parsed<Logs>("ydl logs -f --stream stderr --attempt 2 mnist-1 worker:0");
  EXPECT_EQ(logs.job, "mnist-1");
  EXPECT_EQ(logs.task, "worker:0");
  EXPECT_EQ(logs.stream, "stderr");
  EXPECT_EQ(logs.attempt, 2);
  EXPECT_TRUE(logs.follow);
  EXPECT_THAT(refusal("ydl logs --stream out x"), HasSubstr("(available: stdout, stderr;"));
  EXPECT_THAT(refusal("ydl logs --attempt 0 x"), HasSubstr("--attempt"));
}

TEST(ParseCommands, logs_take_what_to_show_of_each_log) {
  const auto logs = parsed<Logs>("ydl logs --tail 20 --grep loss --timestamps --since 5m mnist-1 worker");
  EXPECT_EQ(logs.task, "worker");
  EXPECT_EQ(logs.tail, 20U);
  EXPECT_EQ(logs.grep, "loss");
  EXPECT_TRUE(logs.timestamps);
  EXPECT_TRUE(logs.since);
  EXPECT_FALSE(parsed<Logs>("ydl logs mnist-1").tail);
  EXPECT_THAT(refusal("ydl logs --tail -1 x"), HasSubstr("--tail"));
  EXPECT_THAT(refusal("ydl logs --tail few x"), HasSubstr("--tail"));
  EXPECT_THAT(refusal("ydl logs --since soon x"), HasSubstr("--since soon: write how long ago"));
}

TEST(ParseCommands, logs_are_copied_or_shown_and_not_both) {
  const auto logs = parsed<Logs>("ydl logs --to kept --force mnist-1");
  EXPECT_EQ(logs.target, "kept");
  EXPECT_TRUE(logs.force);
  for (const auto* option : {"--follow", "--tail 1", "--grep x", "--since 5m", "--timestamps"}) {
    const auto name = std::string_view(option).substr(0, std::string_view(option).find(' '));
    EXPECT_THAT(refusal(fmt::format("ydl logs --to kept {} x", option)),
                HasSubstr(fmt::format("--to copies whole logs: leave out {}", name)));
  }
  EXPECT_THAT(refusal("ydl logs --force x"), HasSubstr("name a folder with --to DIR"));
}

TEST(ParseCommands, a_job_is_followed_as_it_is_run) {
  const auto follow = parsed<Follow>("ydl follow --show-logs all --verbose mnist-1");
  EXPECT_EQ(follow.job, "mnist-1");
  EXPECT_EQ(follow.show_logs, "all");
  EXPECT_EQ(follow.detail, ui::Detail::tasks);
  EXPECT_EQ(parsed<Follow>("ydl follow").job, "");
  const auto run = parsed<cli::Run>("ydl run --show-logs none --verbose -- true");
  EXPECT_EQ(run.options.show_logs, "none");
  EXPECT_EQ(run.options.detail, ui::Detail::tasks);
  EXPECT_EQ(parsed<Submit>("ydl submit --show-logs first job.yaml").options.show_logs, "first");
}

TEST(ParseCommands, events_are_listed_followed_or_drawn) {
  EXPECT_TRUE(parsed<Events>("ydl events --follow x").follow);
  EXPECT_TRUE(parsed<Events>("ydl events --timeline").timeline);
  EXPECT_EQ(parsed<Events>("ydl events --timeline --output json").common.output, ui::Mode::json);
}

TEST(ParseCommands, kill_needs_a_job_and_may_shorten_the_grace) {
  EXPECT_EQ(parsed<Kill>("ydl kill x").grace, std::nullopt);
  EXPECT_EQ(parsed<Kill>("ydl kill --now x").grace, core::Millis(0));
  EXPECT_EQ(parsed<Kill>("ydl kill --grace 2s x").grace, core::Seconds(2));
  EXPECT_THAT(parsed<Kill>("ydl kill a b --now c").jobs, ElementsAre("a", "b", "c"));
  EXPECT_THAT(refusal("ydl kill"), HasSubstr("ID"));
  EXPECT_THAT(refusal("ydl kill --grace x x"), HasSubstr("--grace"));
}

TEST(ParseCommands, rm_takes_ids_or_a_selection) {
  EXPECT_THAT(parsed<Remove>("ydl rm a b --yes").jobs, ElementsAre("a", "b"));
  const auto selected = parsed<Remove>("ydl rm --state failed,lost --older-than 30d");
  EXPECT_THAT(selected.selection.states, ElementsAre("failed", "lost"));
  EXPECT_EQ(selected.selection.older_than, std::chrono::days(30));
  EXPECT_FALSE(selected.yes);
  EXPECT_THAT(refusal("ydl rm"), HasSubstr("which jobs?"));
  EXPECT_THAT(refusal("ydl rm --yes"), HasSubstr("which jobs?"));
  EXPECT_THAT(refusal("ydl rm a --state failed"), HasSubstr("either these options or the IDs"));
  EXPECT_THAT(refusal("ydl rm --older-than old"), HasSubstr("--older-than"));
}

TEST(ParseCommands, ls_selects_jobs_by_their_state_and_their_time) {
  const auto list = parsed<List>("ydl ls --state running --since 2d");
  EXPECT_THAT(list.selection.states, ElementsAre("running"));
  EXPECT_EQ(list.selection.since, Moment(core::Millis(std::chrono::days(2))));
  EXPECT_FALSE(parsed<List>("ydl ls").selection.is_set());
  EXPECT_THAT(refusal("ydl ls --state runing"), HasSubstr("'runing' is not a state of a job; did you mean 'running'?"));
  EXPECT_THAT(refusal("ydl ls --since yesterday"), HasSubstr("--since yesterday: write how long ago"));
}

TEST(ParseCommands, an_empty_id_or_task_is_not_the_newest_job) {
  for (const auto& words : std::vector<Words>{{"kill", ""},
                                              {"status", ""},
                                              {"logs", ""},
                                              {"logs", "x", ""},
                                              {"events", ""},
                                              {"results", "ls", ""},
                                              {"results", "get", "x", "--task", ""},
                                              {"results", "get", "x", "--to", ""}}) {
    const auto command = parse("ydl", words);
    ASSERT_FALSE(command) << words.front();
    EXPECT_EQ(command.error().code, core::Errc::usage);
    EXPECT_THAT(command.error().message, HasSubstr("is empty"));
  }
  EXPECT_THAT(parse_fs({"rm", "-r", ""}).error().message, HasSubstr("is empty"));
}

TEST(ParseCommands, only_what_looks_for_a_cluster_takes_one) {
  for (const auto* name : {"status", "follow", "logs", "events", "kill"})
    EXPECT_THAT(refusal(fmt::format("ydl {} --cluster yarn x", name)), HasSubstr("has no option --cluster"));
  EXPECT_THAT(refusal("ydl results ls --cluster yarn x"), HasSubstr("has no option --cluster"));
  EXPECT_EQ(parsed<List>("ydl ls --cluster yarn").common.cluster, core::ClusterKind::yarn);
}

TEST(ParseCommands, the_cache_is_shown_or_tidied_up) {
  EXPECT_EQ(parsed<Env>("ydl env ls").verb, Env::Verb::ls);
  const auto gc = parsed<Env>("ydl env gc --older-than 0 --dry-run");
  EXPECT_EQ(gc.verb, Env::Verb::gc);
  EXPECT_EQ(gc.older_than_days, 0);
  EXPECT_TRUE(gc.dry_run);
  EXPECT_EQ(parsed<Env>("ydl env gc").older_than_days, 30);
  EXPECT_THAT(refusal("ydl env purge"), HasSubstr("unknown command 'ydl env purge' (available: ls, gc, why)"));
  EXPECT_THAT(refusal("ydl env ls --dry-run"), HasSubstr("use it with `ydl env gc`"));
  EXPECT_THAT(refusal("ydl env gc --older-than -1"), HasSubstr("--older-than -1 is too small"));
  EXPECT_EQ(parsed<Env>("ydl env gc --keep-jobs 7").keep_jobs_days, 7);
  EXPECT_EQ(parsed<Env>("ydl env gc").keep_jobs_days, std::nullopt) << "as the settings say";
}

TEST(ParseJobOptions, inputs_are_paths_in_hdfs) {
  const auto run = run_of("ydl run --input hdfs:///data/train --input hdfs://ns/data/test=test -- ./train");
  EXPECT_THAT(run.spec.inputs,
              ElementsAre(spec::FileRef{"hdfs:///data/train", ""}, spec::FileRef{"hdfs://ns/data/test", "test"}));
  EXPECT_THAT(run.options.cluster_only, ElementsAre("--input"));
  EXPECT_THAT(refusal("ydl run --input data/train -- ./train"), HasSubstr("--input"));
  EXPECT_THAT(refusal("ydl run --input hdfs://ns -- ./train"), HasSubstr("hdfs://CLUSTER/PATH"));
}

TEST(ParseJobOptions, a_python_environment_is_uploaded_instead_of_an_interpreter) {
  EXPECT_EQ(run_of("ydl-mx --python-env requirements.txt train.py").spec.python_env, "requirements.txt");
  EXPECT_THAT(refusal("ydl run --python-env e --python p -- train.py"), HasSubstr("remove one of them"));
}

TEST(PythonEnv, a_requirements_file_that_names_others_is_resolved_anew) {
  EXPECT_TRUE(client::stands_alone("numpy\n# -r in a comment\ntorch==2.1 ; python_version > '3'\n"));
  EXPECT_FALSE(client::stands_alone("numpy\n  -r more.txt\n"));
  EXPECT_FALSE(client::stands_alone("-c bounds.txt\n"));
  EXPECT_FALSE(client::stands_alone("./local\n"));
  EXPECT_FALSE(client::stands_alone("mine @ file:///src/mine\n"));
}

TEST(ParseCommands, the_rest) {
  (void)parsed<Doctor>("ydl doctor");
  EXPECT_EQ(parsed<Completion>("ydl completion bash").shell, "bash");
  EXPECT_THAT(refusal("ydl completion"), HasSubstr("SHELL"));
  (void)parsed<ManPage>("ydl __man");
}

TEST(ParseCommands, the_hidden_ones_are_for_ourselves) {
  const auto master = parsed<MasterProcess>("ydl __master --folder /j --detached");
  EXPECT_EQ(master.folder, "/j");
  EXPECT_EQ(master.kind->name, "local");
  EXPECT_EQ(parsed<MasterProcess>("ydl __master --master yarn-container").kind->name, "yarn-container");
  EXPECT_EQ(parsed<MasterProcess>("ydl __master --master yarn-unmanaged --folder /j").kind->name, "yarn-unmanaged");
  EXPECT_TRUE(master.detached);
  const auto agent = parsed<AgentProcess>("ydl __agent --id local --credentials /c --lifeline");
  EXPECT_EQ(agent.id, "local");
  EXPECT_EQ(agent.credentials, "/c");
  EXPECT_TRUE(agent.lifeline);
  const auto contained = parsed<AgentProcess>("ydl __agent --id container_1 --logs /l --outlives-master 90000");
  EXPECT_FALSE(contained.lifeline);
  EXPECT_EQ(contained.logs, "/l");
  EXPECT_EQ(contained.outlives_master_ms, 90'000);
  EXPECT_THAT(refusal("ydl __agent"), HasSubstr("--"));
}

TEST(ParseCommands, an_unknown_command_is_answered_with_the_nearest) {
  EXPECT_EQ(refusal("ydl stauts"), "unknown command 'stauts'; did you mean 'status'? (`ydl --help` lists them)");
  EXPECT_THAT(refusal("ydl train.py"), HasSubstr("unknown command 'train.py'"));
  EXPECT_THAT(refusal("ydl stat"), HasSubstr("did you mean 'status'?"));
  EXPECT_EQ(refusal("ydl --n 200 true"),
            "the command is missing before --n; write for example `ydl run --n …` (`ydl --help` lists the commands)");
  EXPECT_THAT(refusal("ydl --bogus"), HasSubstr("unknown command '--bogus'"));
  EXPECT_EQ(refusal("ydl __mastre").find("did you mean"), std::string::npos) << "hidden commands stay hidden";
}

TEST(ParseCommands, names_that_other_tools_use_are_answered_with_ours) {
  for (const auto& [word, meant] : {std::pair("stop", "kill"), std::pair("ps", "ls"), std::pair("list", "ls"),
                                    std::pair("top", "status"), std::pair("hdfs", "fs")}) {
    EXPECT_THAT(refusal(fmt::format("ydl {}", word)), HasSubstr(fmt::format("did you mean '{}'?", meant)));
  }
}

TEST(ParseCommands, the_version_has_the_usual_spellings) {
  for (const auto* words : {"ydl version", "ydl -V", "ydl --version"})
    EXPECT_EQ(parsed<ShowText>(words).text, fmt::format("ydl {}\n", core::kVersion));
}

TEST(ParseCommands, a_message_names_the_option_as_it_was_typed) {
  EXPECT_THAT(refusal("ydl run --num-workers 0 -- x"), HasSubstr("--num-workers 0 is too small"));
  EXPECT_THAT(refusal("ydl run -n two -- x"), HasSubstr("-n 'two' is not a whole number"));
  EXPECT_THAT(refusal("ydl run --num-workers=two -- x"), HasSubstr("--num-workers 'two' is not a whole number"));
  EXPECT_EQ(refusal("ydl run --files a= -- x").substr(0, 8), "--files:");
  EXPECT_EQ(refusal("ydl run --worker-memory 12q -- x").find("--resource"), std::string::npos);
  EXPECT_THAT(refusal("ydl run --worker-memory 12q -- x"), HasSubstr("--worker-memory: '12q' is not a size"));
  EXPECT_THAT(refusal("ydl run --server-cores 2 -- x"), HasSubstr("--server-cores: the job has no role 'server'"));
}

TEST(ParseCommands, an_option_that_is_like_no_other_gets_no_guess) {
  EXPECT_EQ(refusal("ydl run --nope -- x"), "no option --nope (options for your program go after it)");
  EXPECT_EQ(refusal("ydl run --framwork=mxnet -- x"),
            "no option --framwork; did you mean --framework? (options for your program go after it)");
  EXPECT_EQ(refusal("ydl ls -x"), "`ydl ls` has no option -x (`ydl ls --help` lists them)");
}

TEST(ParseRun, a_file_system_can_be_named) {
  const auto run = run_of("ydl run -hip rm1 --default-fs hdfs://nn1:9000 -- x");
  EXPECT_EQ(run.options.default_fs, "hdfs://nn1:9000");
  EXPECT_THAT(run.options.cluster_only, ElementsAre("-hip", "--default-fs"));
  EXPECT_THAT(refusal("ydl run --default-fs nn1 -- x"), HasSubstr("--default-fs: 'nn1' is not a file system"));
}

TEST(ParseCommands, a_missing_argument_is_answered_with_the_whole_command) {
  EXPECT_EQ(refusal("ydl submit"), "FILE is missing; write `ydl submit [options] FILE.yaml`");
  EXPECT_EQ(refusal("ydl completion"), "SHELL is missing; write `ydl completion bash|zsh|fish`");
}

TEST(ParseCommands, an_unknown_option_is_answered_with_the_nearest) {
  EXPECT_EQ(refusal("ydl ls --limt 3"),
            "`ydl ls` has no option --limt; did you mean --limit? (`ydl ls --help` lists them)");
}

// ---- help ------------------------------------------------------------------------------------------------------

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const auto line : core::split(text, '\n')) widest = std::max(widest, line.size());
  return widest;
}

TEST(Help, every_command_explains_itself_wherever_help_stands) {
  for (const auto& command : describe_commands()) {
    const auto help = command.name == "fs" ? fs_help() : command_help(command);
    EXPECT_EQ(parsed<ShowText>("ydl " + command.name + " --help").text, help);
    EXPECT_EQ(parsed<ShowText>("ydl " + command.name + " -h").text, help);
    if (command.name != "completion")
      EXPECT_EQ(parsed<ShowText>("ydl " + command.name + " --output json --help").text, help);
  }
}

TEST(Help, texts_fit_a_screen) {
  EXPECT_LE(std::ranges::count(top_help(), '\n'), 40);
  EXPECT_LE(std::ranges::count(mx_help(), '\n'), 24);
  EXPECT_LE(widest_line(top_help()), 100U);
  EXPECT_LE(widest_line(mx_help()), 110U);
  for (const auto& command : describe_commands()) {
    const auto help = command_help(command);
    EXPECT_LE(std::ranges::count(help, '\n'), 48) << command.name;
    EXPECT_LE(widest_line(help), 120U) << command.name;
  }
}

TEST(Help, of_run_has_examples_first_and_then_groups) {
  const auto brief = parsed<ShowText>("ydl run --help").text;
  EXPECT_EQ(brief, parsed<ShowText>("ydl help run").text);
  EXPECT_LT(brief.find("  ydl run --framework pytorch --n 2 -- python train.py"), brief.find("usage: ydl run"));
  EXPECT_LT(brief.find("--framework NAME"), brief.find("More options (`ydl run --help-all` explains them):"));
  const auto full = parsed<ShowText>("ydl run --help-all").text;
  std::size_t at = 0;
  for (const auto* group : {"What to run", "Where", "Files", "When it fails", "How it is shown"}) {
    EXPECT_THAT(brief, HasSubstr(fmt::format("\n  {}", group)));
    const auto found = full.find(fmt::format("\n{}\n", group));
    ASSERT_NE(found, std::string::npos) << group;
    EXPECT_GT(found, at) << group;
    at = found;
  }
  EXPECT_EQ(full.find("Options\n"), std::string::npos) << "every option is in a group";
}

TEST(Help, names_every_option_of_run_on_its_screen) {
  const auto brief = parsed<ShowText>("ydl run --help").text;
  for (const auto& command : describe_commands()) {
    if (command.name != "run") continue;
    for (const auto& option : command.options) {
      if (option.is_listed) EXPECT_THAT(brief, HasSubstr(option.names.back()));
    }
  }
}

TEST(Help, its_first_line_names_the_clusters_that_there_are) {
  const auto help = top_help();
  const auto first = help.substr(0, help.find('\n'));
  for (const auto title : core::kClusterTitles) EXPECT_THAT(first, HasSubstr(std::string(title)));
  EXPECT_EQ(first, fmt::format("ydl {}: distributed deep-learning jobs on this machine and on YARN", core::kVersion));
  for (const auto* absent : {"coming", "ssh", "SSH"}) EXPECT_EQ(help.find(absent), std::string::npos) << absent;
}

TEST(Help, names_every_public_command_and_no_hidden_one) {
  const auto help = parsed<ShowText>("ydl --help").text;
  EXPECT_EQ(help, parsed<ShowText>("ydl").text);
  EXPECT_EQ(help, parsed<ShowText>("ydl help").text);
  for (const auto* name :
       {"run", "submit", "follow", "ls", "status", "logs", "events", "kill", "env", "doctor", "completion"})
    EXPECT_THAT(help, HasSubstr(std::string("  ") + name + " "));
  EXPECT_EQ(help.find("__"), std::string::npos);
}

TEST(Help, says_what_cluster_means_to_each_command) {
  EXPECT_THAT(parsed<ShowText>("ydl run --help-all").text, HasSubstr("Where to run: auto"));
  EXPECT_THAT(parsed<ShowText>("ydl ls --help").text, HasSubstr("Which cluster: auto"));
  EXPECT_THAT(parsed<ShowText>("ydl results --help").text,
              HasSubstr("usage: ydl results [options] ls|get [ID [NAME…]]"));
}

TEST(Help, every_option_is_explained) {
  for (const auto& command : describe_commands()) {
    for (const auto& option : command.options) {
      EXPECT_FALSE(option.text.empty()) << command.name << " " << option.names.front();
      EXPECT_FALSE(option.names.front().empty()) << command.name;
    }
  }
}

TEST(ParseRun, a_variable_without_a_value_has_the_one_of_the_shell) {
  JobOptions options;
  options.command = {"x"};
  options.env = {"HF_TOKEN", "A=b"};
  const auto getenv = [](const char* name) -> std::optional<std::string> {
    return std::string_view(name) == "HF_TOKEN" ? std::optional<std::string>("hunter=2") : std::nullopt;
  };
  const auto job = make_spec(options, "/work", getenv);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->env.at("HF_TOKEN"), "hunter=2");
  EXPECT_EQ(job->env.at("A"), "b");
  options.env = {"MISSING"};
  const auto refused = make_spec(options, "/work", getenv);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("--env MISSING: MISSING is not set in this shell"));
}

}  // namespace
}  // namespace ydl::cli
