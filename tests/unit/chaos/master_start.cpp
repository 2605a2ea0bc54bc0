// How a master begins, what it writes to its journal, and how it ends.
#include "cluster.hpp"
#include "core/strings.hpp"
#include "hrpc/errors.hpp"
#include "master_model.hpp"

#include <algorithm>

namespace ydl::chaos {
namespace {

constexpr Millis kLookEvery = Seconds(5);

std::vector<std::size_t> events_of(const Hdfs::File& file) {
  std::vector<std::size_t> events;
  const std::string_view text = file.bytes;
  std::size_t begin = text.find('\n');  // behind the header
  while (begin != std::string_view::npos) {
    const auto end = text.find('\n', begin + 1);
    if (end == std::string_view::npos) break;
    events.push_back(*core::parse_int<std::size_t>(text.substr(begin + 1, end - begin - 1)));
    begin = end;
  }
  return events;
}

}  // namespace

std::string picture(const job::Machine& machine) {
  const auto snapshot = machine.snapshot();
  auto text = fmt::format("{} start {}", name(snapshot.state), snapshot.attempt);
  for (const auto& task : snapshot.tasks)
    text += fmt::format(", {}#{} {}{} ({}, {})", task.id.str(), task.attempt, name(task.state),
                        task.is_member ? "" : " of no start", task.reason, name(task.cause));
  for (const auto& host : snapshot.avoided) text += fmt::format(", {} avoided: {}", host.node, host.reason);
  if (snapshot.outcome) text += fmt::format(": {}", snapshot.outcome->reason);
  return text;
}

MasterModel::MasterModel(World& world, int attempt, std::string host)
    : world_(world), attempt_(attempt), host_(std::move(host)) {}

void MasterModel::kill(const std::string& why) {
  if (!std::exchange(alive_, false)) return;
  world_.sim.note("master {} is killed by {}", attempt_, why);
  // Where hosts are up their agents notice at once.
  for (auto& [id, session] : hub_.sessions) {
    if (const auto agent = session.agent.lock(); agent && session.call != 0 && world_.reaches(agent->host(), host_)) {
      world_.sim.after(
          world_.sim.latency(), [agent, call = session.call] { agent->answered(call, std::nullopt); }, agent.get());
    }
  }
  world_.cluster->master_exited(attempt_);
}

void MasterModel::exit(const std::string& why) {
  if (!alive_) return;
  kill("itself: " + why);
}

// ---- start -----------------------------------------------------------------------------------------------------

void MasterModel::start() {
  if (alive_) claim_epoch();
}

void MasterModel::claim_epoch() {
  const auto newest = std::make_shared<int>(0);
  const auto self = shared_from_this();
  call_hdfs(
      world_, {host_, this}, [self, newest] { *newest = static_cast<int>(self->world_.hdfs.journal.size()); },
      [self, newest](bool done) {
        if (!self->alive_) return;
        if (!done) return self->later(Millis(250), [self] { self->claim_epoch(); });
        const auto created = std::make_shared<bool>(false);
        call_hdfs(
            self->world_, {self->host_, self.get()},
            [self, newest, created] {
              auto& hdfs = self->world_.hdfs;
              if (static_cast<int>(hdfs.journal.size()) != *newest || !self->alive_) return;
              *created = true;
              self->writer_ = ++hdfs.last_writer;
              hdfs.journal.push_back({.bytes = "", .writer = self->writer_});
              self->epoch_ = *newest + 1;
            },
            [self, created](bool answered) {
              if (!self->alive_) return;
              if (answered && !*created) return self->exit("another master has created its file");
              if (!answered) return self->later(Millis(250), [self] { self->claim_epoch(); });
              self->recover_files();
            });
      });
}

void MasterModel::recover_files() {
  const auto self = shared_from_this();
  const auto events = std::make_shared<std::vector<std::size_t>>();
  call_hdfs(
      world_, {host_, this},
      [self] {
        for (int i = 0; i < self->epoch_ - 1; ++i) self->world_.hdfs.journal[static_cast<std::size_t>(i)].writer = 0;
      },
      [self, events](bool recovered) {
        if (!self->alive_) return;
        if (!recovered) return self->later(Millis(250), [self] { self->recover_files(); });
        call_hdfs(
            self->world_, {self->host_, self.get()},
            [self, events] {
              events->clear();
              for (int i = 0; i < self->epoch_ - 1; ++i) {
                self->world_.hdfs.journal[static_cast<std::size_t>(i)].was_read = true;
                for (const auto event : events_of(self->world_.hdfs.journal[static_cast<std::size_t>(i)]))
                  events->push_back(event);
              }
            },
            [self, events](bool read) {
              if (!self->alive_) return;
              if (!read) return self->later(Millis(250), [self] { self->recover_files(); });
              self->open(*events);
            });
      });
}

void MasterModel::open(const std::vector<std::size_t>& earlier) {
  const auto now = world_.sim.now();
  world_.sim.note("master {} has epoch {} and reads {} events", attempt_, epoch_, earlier.size());
  journal_.emplace("header", Seconds(5), now);
  write_journal();
  machine_ = std::make_unique<job::Machine>(world_.plan);
  audit_.emplace(world_.plan);
  told_ = earlier;
  takes_over_ = !earlier.empty();
  for (const auto event : earlier) {
    const auto& [at, what] = world_.hdfs.events[event];
    (void)ask_machine(what, Instant(at));
  }
  if (takes_over_) check_replay(earlier.size());
  backend::YarnJob job;
  job.queue = "default";
  job.folder = "/job";
  for (const auto& host : world_.hosts)
    job.nodes.push_back({.id = {host.name, 8041}, .rack = "/default", .capability = {.memory_mib = 8192, .vcores = 4}});
  backend::YarnMachineOptions options;
  for (const auto& role : world_.plan.roles)
    options.roles.push_back({.name = role.name, .resource = {.memory_mib = 2048, .vcores = 1}});
  options.blind = world_.blind;
  options.can_be_replaced = true;
  options.replaces_another = takes_over_;
  yarn_ = std::make_unique<backend::YarnMachine>(std::move(job), std::move(options));
  for (const auto& host : world_.hosts) yarn_->node_found(host.name, host.name);
  hub_.is_taking_over = epoch_ > 1;
  hdfs_heard_ = resource_manager_heard_ = now;
  publish(takes_over_ ? 24 : 0);
  later(kLookEvery, [this] { watch_for_another(); });
  register_master();
}

// The machine of the master before this one, were it still asked, looks the same once it is told as much.
void MasterModel::check_replay(std::size_t count) {
  for (const auto& [number, other] : world_.masters) {
    if (other.get() == this || !other->machine_ || other->told_.size() < count) continue;
    if (!std::equal(told_.begin(), told_.end(), other->told_.begin())) continue;
    job::Machine copy(world_.plan);
    for (const auto event : other->told_)
      (void)copy.handle(world_.hdfs.events[event].event, Instant(world_.hdfs.events[event].at));
    if (picture(copy) != picture(*other->machine_))
      world_.sim.fail(fmt::format("a replay differs: {} and {}", picture(copy), picture(*other->machine_)));
  }
}

void MasterModel::publish(int looks) {
  const auto self = shared_from_this();
  const Hdfs::Endpoint own{host_, attempt_, epoch_};
  call_hdfs(
      world_, {host_, this},
      [self, own] {
        if (!self->alive_ || self->closed_) return;
        self->world_.hdfs.endpoint = own;
        if (self->world_.hdfs.says_that_job_is_over) self->world_.names_a_master = true;  // and it was replaced
      },
      [self, looks](bool done) {
        if (!done && looks == 0) return self->later(Seconds(5), [self] { self->publish(0); });
        if (looks > 0) self->later(kLookEvery, [self, looks] { self->publish(looks - 1); });
      });
}

template <class Result, class Act, class Done>
void MasterModel::call_resource_manager(Act act, Done done) {
  const auto self = shared_from_this();
  world_.sim.after(world_.sim.latency(), [self, act, done] {
    auto& world = self->world_;
    if (!self->alive_) return;
    const core::Error lost{make_error_code(hrpc::Errc::connection_lost), "lost"};
    if (!world.reaches_resource_manager(self->host_)) {
      return self->later(world.sim.between(Millis(500), Seconds(5)), [done, lost] { done(Result(core::fail(lost))); });
    }
    Result result = act();
    const bool breaks = world.faulty(&Faults::calls_break, 50);
    self->later(world.sim.latency(), [self, done, result, lost, breaks] {
      if (breaks || !self->world_.reaches_resource_manager(self->host_)) return done(Result(core::fail(lost)));
      self->resource_manager_heard_ = self->world_.sim.now();
      done(result);
    });
  });
}

// A call that gets no answer is repeated by the RPC client for longer than any cut of this simulation.
void MasterModel::register_master() {
  using Registered = core::Result<yarn::Registration>;
  call_resource_manager<Registered>(
      [this]() -> Registered { return world_.cluster->register_master(attempt_); },
      [this](const Registered& registration) {
        const auto now = world_.sim.now();
        if (!registration && registration.error().code == hrpc::Errc::connection_lost)
          return later(Seconds(1), [this] { register_master(); });
        carry_out(registration ? yarn_->registered(*registration, now)
                               : yarn_->registration_failed(registration.error(), now));
        if (!yarn_->is_registered())
          return end_at_once({job::JobState::failed, 1, registration.error().message, {}, job::Cause::cluster});
        if (std::exchange(opened_, true)) return;
        world_.sim.note("master {} is registered", attempt_);
        arm_backend();
        begun_ = true;
        const auto ended = machine_->snapshot().outcome;
        if (takes_over_ && ended && machine_->finished()) return on(job::Finish{*ended});
        if (takes_over_)
          post(job::TookOver{host_});
        else
          post(job::Begin{});
      });
}

// ---- the journal -----------------------------------------------------------------------------------------------

void MasterModel::write_journal() {
  using Action = master::JournalWriterFsm::Action;
  if (!alive_ || writing_) return;
  const auto self = shared_from_this();
  switch (journal_->next()) {
    case Action::wait:
    case Action::close:
    case Action::done:
      return;
    case Action::reopen:
      return reopen_journal();
    case Action::write:
      break;
  }
  writing_ = true;
  const auto acked = std::make_shared<bool>(false);
  call_hdfs(
      world_, {host_, this},
      [self, acked, batch = std::string(journal_->batch())] {
        auto& file = self->world_.hdfs.journal[static_cast<std::size_t>(self->epoch_ - 1)];
        if (file.writer != self->writer_) return;  // a lease error
        *acked = !self->world_.faulty(&Faults::calls_break, 30);
        const auto all = static_cast<std::int64_t>(batch.size());
        const auto written = *acked ? batch : batch.substr(0, static_cast<std::size_t>(self->world_.sim.roll(all + 1)));
        if (file.was_read && !written.empty())
          self->world_.sim.fail("a journal grows after a later master has read it");
        file.bytes += written;
        file.lines += static_cast<std::uint64_t>(std::ranges::count(written, '\n'));
      },
      [self, acked](bool answered) {
        if (!self->alive_) return;
        self->writing_ = false;
        if (!answered || !*acked) return self->journal_failed();
        self->journal_->acknowledged();
        self->tell_journal_news();
        self->written_ = std::max(self->written_, self->journal_->durable());
        if (!self->handling_ && self->machine_) self->handle_posted();
        self->write_journal();
      });
}

void MasterModel::journal_failed() {
  journal_->failed({make_error_code(core::Errc::io), "HDFS does not answer"});
  tell_journal_news();
  later(world_.sim.between(Millis(250), Seconds(3)), [this] { write_journal(); });
}

void MasterModel::reopen_journal() {
  writing_ = true;
  const auto self = shared_from_this();
  const auto taken = std::make_shared<bool>(false);
  const auto length = std::make_shared<std::size_t>(0);
  call_hdfs(
      world_, {host_, this},
      [self, taken, length] {
        auto& files = self->world_.hdfs.journal;
        *taken = static_cast<int>(files.size()) > self->epoch_;
        if (*taken || !self->alive_) return;
        auto& file = files[static_cast<std::size_t>(self->epoch_ - 1)];
        file.writer = self->writer_ = ++self->world_.hdfs.last_writer;
        *length = file.bytes.size();
      },
      [self, taken, length](bool answered) {
        if (!self->alive_) return;
        self->writing_ = false;
        if (!answered) return self->journal_failed();
        if (*taken) {
          self->journal_->taken();
          return self->machine_ ? self->replaced("its journal is taken") : self->exit("its journal is taken");
        }
        if (!self->journal_->reopened(*length)) return self->journal_failed();
        self->write_journal();
      });
}

void MasterModel::tell_journal_news() {
  const auto news = journal_->news(world_.sim.now());
  if (news) {
    is_behind_ = *news == master::JournalWriterFsm::News::behind;
    world_.sim.note("master {}: its journal {}", attempt_, is_behind_ ? "is behind" : "has caught up");
    if (begun_ && !is_behind_) post(job::Delayed{});
    if (begun_) post(job::Noted{job::RecordKind::note, std::nullopt, "the journal", std::nullopt});
  }
  if (const auto at = journal_->news_at())
    later(std::max(*at - world_.sim.now(), Millis(1)), [this] { tell_journal_news(); });
}

void MasterModel::watch_for_another() {
  if (outcome_ || replaced_) return;
  later(kLookEvery, [this] { watch_for_another(); });
  const auto now = world_.sim.now();
  const bool hears_it = now - resource_manager_heard_ < Seconds(10);
  const auto self = shared_from_this();
  if (!hears_it && !std::exchange(asks_for_later_master_, true)) {
    const auto there = std::make_shared<bool>(false);
    call_hdfs(
        world_, {host_, this},
        [self, there] { *there = static_cast<int>(self->world_.hdfs.journal.size()) > self->epoch_; },
        [self, there](bool answered) {
          if (answered) self->hdfs_heard_ = self->world_.sim.now();
          self->later_master_ = answered && *there;
          self->asks_for_later_master_ = false;
        });
  }
  if (later_master_) return replaced("a later master has begun its journal");
  hub_.is_suspended = !hears_it && now - std::max(resource_manager_heard_, hdfs_heard_) > world_.blind;
  if (!hub_.is_suspended) return;
  for (auto& [id, session] : hub_.sessions) respond(session, {.status = Answer::Status::try_again});
}

void MasterModel::replaced(const std::string& why) {
  if (outcome_ || std::exchange(replaced_, true)) return;
  exit("another master has the job: " + why);
}

// ---- end -------------------------------------------------------------------------------------------------------

void MasterModel::end_at_once(const job::Outcome& outcome) {
  world_.sim.note("master {} ends at once: {}", attempt_, outcome.reason);
  outcome_ = outcome;
  close(outcome);
}

void MasterModel::on(const job::Finish& finish) {
  if (outcome_) return;
  world_.sim.note("master {}: the job has ended: {} ({})", attempt_, name(finish.outcome.state), finish.outcome.reason);
  outcome_ = finish.outcome;
  if (!world_.outcome) world_.outcome = finish.outcome;
  later(Millis(1), [this] { close(*outcome_); });
}

void MasterModel::close(const job::Outcome& /*outcome*/) {
  closed_ = true;
  yarn_->close();
  const auto self = shared_from_this();
  later(world_.sim.between(Millis(100), Seconds(3)), [self] {
    call_hdfs(
        self->world_, {self->host_, self.get()},
        [self] {
          self->world_.hdfs.says_that_job_is_over = true;
          self->world_.hdfs.endpoint.reset();
        },
        [self](bool removed) {
          if (!self->alive_) return;
          if (!removed) self->world_.names_a_master = true;
          if (!self->yarn_->has_to_finish()) return self->exit("the end");
          self->finish(3);
        });
  });
}

void MasterModel::finish(int tries) {
  using Finished = core::Result<>;
  call_resource_manager<Finished>([this]() -> Finished { return world_.cluster->finish(attempt_); },
                                  [this, tries](const Finished& finished) {
                                    const bool is_lost =
                                        !finished && finished.error().code == hrpc::Errc::connection_lost;
                                    if (!is_lost || tries == 1) return exit("the end");
                                    later(Seconds(1), [this, tries] { finish(tries - 1); });
                                  });
}

void MasterModel::on(const backend::RegisterMaster& /*action*/) {
  register_master();
}

void MasterModel::on(const backend::Allocate& action) {
  using Allocated = core::Result<yarn::AllocateResponse>;
  call_resource_manager<Allocated>(
      [this, request = action.request]() -> Allocated { return world_.cluster->allocate(attempt_, request); },
      [this](const Allocated& response) {
        if (closed_) return;
        const auto now = world_.sim.now();
        carry_out(response ? yarn_->allocated(*response, now) : yarn_->allocate_failed(response.error(), now));
      });
}

}  // namespace ydl::chaos
