#include "ui/display.hpp"

#include "samples.hpp"

#include <gtest/gtest.h>

namespace ydl::ui {
namespace {

using namespace test;

core::Getenv with_term(const std::string& term) {
  return [term](const char* name) -> std::optional<std::string> {
    return std::string_view(name) == "TERM" && !term.empty() ? std::optional(term) : std::nullopt;
  };
}

TEST(Mode, every_name_parses_to_the_mode_that_has_it) {
  for (const auto* text : {"auto", "tty", "plain", "json", "quiet"}) {
    const auto mode = parse_mode(text);
    ASSERT_TRUE(mode) << text;
    EXPECT_EQ(name(*mode), text);
  }
}

TEST(Mode, an_unknown_one_is_a_usage_error_that_lists_them) {
  const auto mode = parse_mode("jsno");
  ASSERT_FALSE(mode);
  EXPECT_EQ(mode.error().code, core::make_error_code(core::Errc::usage));
  EXPECT_EQ(mode.error().message,
            "--output: unknown mode 'jsno'; did you mean 'json'? (available: auto, tty, plain, json, quiet)");
  EXPECT_EQ(parse_mode("plan").error().message,
            "--output: unknown mode 'plan'; did you mean 'plain'? (available: auto, tty, plain, json, quiet)");
}

TEST(Mode, auto_draws_only_on_a_terminal_that_can_move_its_cursor) {
  EXPECT_EQ(resolve_mode(Mode::automatic, OutputKind::terminal, with_term("xterm")), Mode::tty);
  EXPECT_EQ(resolve_mode(Mode::automatic, OutputKind::terminal, with_term("dumb")), Mode::plain);
  EXPECT_EQ(resolve_mode(Mode::automatic, OutputKind::terminal, with_term("")), Mode::plain);
  EXPECT_EQ(resolve_mode(Mode::automatic, OutputKind::other, with_term("xterm")), Mode::plain);
  EXPECT_EQ(resolve_mode(Mode::tty, OutputKind::other, with_term("dumb")), Mode::tty);
  EXPECT_EQ(resolve_mode(Mode::json, OutputKind::terminal, with_term("xterm")), Mode::json);
}

TEST(Display, every_mode_takes_a_whole_job_and_only_tty_asks_for_refreshes) {
  for (const auto mode : {Mode::automatic, Mode::tty, Mode::plain, Mode::json, Mode::quiet}) {
    const auto display = make_display(mode, {});
    std::string out = display->begin(mnist(), frame_at(0));
    EXPECT_EQ(display->next_refresh(frame_at(0).steady).has_value(), mode == Mode::tty);
    out += display->update(mnist(), frame_at(200));
    out += display->event(event(1, "task_failed", "ended with code 3"), frame_at(300));
    out += display->log({{"worker", 0}, "stdout", "hello"}, frame_at(400));
    out += display->refresh(frame_at(500));
    out += display->finish(mnist("succeeded"), frame_at(600));
    EXPECT_FALSE(display->next_refresh(frame_at(600).steady)) << name(mode);
    EXPECT_EQ(out.empty(), mode == Mode::quiet) << name(mode);
    EXPECT_EQ(display->target(), mode == Mode::quiet ? Stream::err : Stream::out);
  }
}

TEST(Display, an_event_that_comes_again_is_shown_once_in_every_mode) {
  for (const auto mode : {Mode::tty, Mode::plain, Mode::json}) {
    const auto display = make_display(mode, {});
    (void)display->begin(mnist(), frame_at(0));
    EXPECT_NE(display->event(event(7, "note", "once"), frame_at(1000)), "") << name(mode);
    EXPECT_EQ(display->event(event(7, "note", "once"), frame_at(2000)), "") << name(mode);
    EXPECT_EQ(display->event(event(3, "note", "older"), frame_at(3000)), "") << name(mode);
    EXPECT_NE(display->event(event(0, "note", "not numbered"), frame_at(4000)), "") << name(mode);
  }
}

TEST(QuietDisplay, speaks_of_failures_only) {
  const auto display = make_display(Mode::quiet, {.style = {Colour::on, Charset::unicode}, .utc_offset = {}});
  EXPECT_EQ(display->failure(bad_data_dir(), frame_at(0)),
            "worker:1 on host2 failed first: ended with code 3\n"
            "    Traceback (most recent call last):\n"
            "            main()\n"
            "    ValueError: no such directory: 数据\n"
            "log: /jobs/mnist-7f3k/worker-1.stderr\n"
            "more: ydl logs mnist-7f3k worker:1\n");
  auto job = mnist("failed");
  job.reason = "no container was found for worker:1";
  EXPECT_EQ(display->finish(job, frame_at(41'000)),
            "mnist-7f3k failed after 41 s: no container was found for worker:1\n");
  EXPECT_EQ(display->finish(mnist("stopped"), frame_at(41'000)), "");
}

}  // namespace
}  // namespace ydl::ui
