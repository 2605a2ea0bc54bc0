// Ports held for a task: no process gets them by chance, the task gets them by number.
#include "agent/resources/held_ports.hpp"
#include "agent/resources/port_owner.hpp"
#include "support/process_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <set>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ydl::agent {
namespace {

enum class Reuse { no, yes };

// A listener on `port` of the loopback address; invalid when it cannot be had.
core::UniqueFd listen_on(std::uint16_t port, Reuse reuse = Reuse::yes) {
  core::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = reuse == Reuse::yes ? 1 : 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  return ::listen(fd.get(), 1) == 0 ? std::move(fd) : core::UniqueFd();
}

std::uint16_t port_of(const core::UniqueFd& fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

TEST(HeldPorts, each_port_is_another_one) {
  const auto held = HeldPorts::hold(50);
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(std::set(held->ports().begin(), held->ports().end()).size(), 50U);
  EXPECT_TRUE(HeldPorts::hold(0)->ports().empty());
}

TEST(HeldPorts, a_server_that_names_the_port_gets_it) {
  const auto held = HeldPorts::hold(1);
  ASSERT_TRUE(held);
  EXPECT_TRUE(listen_on(held->ports().front()));
  EXPECT_FALSE(listen_on(held->ports().front(), Reuse::no)) << "the port was not held at all";
}

TEST(HeldPorts, a_range_gives_its_free_ports_and_no_more) {
  // Nine neighbours of a port that was free a moment ago: enough that a few may be in use.
  const auto base = HeldPorts::hold(1)->ports().front();
  const PortRange range{static_cast<std::uint16_t>(base - 4), static_cast<std::uint16_t>(base + 4)};
  const auto first = HeldPorts::hold(5, range);
  ASSERT_TRUE(first) << first.error().message;
  for (const auto port : first->ports()) EXPECT_TRUE(port >= range.first && port <= range.last);
  const auto second = HeldPorts::hold(5, range);
  ASSERT_FALSE(second) << "a port was held twice";
  EXPECT_EQ(second.error().code, core::make_error_code(core::Errc::no_capacity));
  EXPECT_THAT(second.error().message, testing::HasSubstr("use a larger range"));
}

TEST(HeldPorts, a_port_comes_free_with_its_holder) {
  std::uint16_t port = 0;
  {
    const auto held = HeldPorts::hold(1);
    port = held->ports().front();
    EXPECT_FALSE(HeldPorts::hold(1, PortRange{port, port}));
  }
  EXPECT_TRUE(HeldPorts::hold(1, PortRange{port, port}));
}

TEST(HeldPorts, a_port_with_a_listener_is_not_held) {
  const auto stranger = listen_on(0);
  const auto port = port_of(stranger);
  EXPECT_FALSE(HeldPorts::hold(1, PortRange{port, port}));
}

TEST(HeldPorts, the_ports_of_an_attempt_that_has_ended_are_held_again) {
  std::vector<std::uint16_t> ports;
  {
    const auto held = HeldPorts::hold(3);
    ASSERT_TRUE(held);
    ports = held->ports();
    EXPECT_FALSE(HeldPorts::hold_again(ports)) << "two attempts had the same ports";
  }
  const auto again = HeldPorts::hold_again(ports);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->ports(), ports);
  EXPECT_TRUE(listen_on(ports.at(1)));
}

TEST(HeldPorts, a_port_that_another_program_took_meanwhile_is_named) {
  const auto stranger = listen_on(0);
  const auto port = port_of(stranger);
  const auto again = HeldPorts::hold_again({port});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, std::errc::address_in_use);
  EXPECT_THAT(again.error().message, testing::HasSubstr(std::to_string(port)));
}

TEST(HeldPorts, a_range_that_makes_no_sense_is_named) {
  const auto held = HeldPorts::hold(1, PortRange{2000, 1000});
  ASSERT_FALSE(held);
  EXPECT_THAT(held.error().message, testing::HasSubstr("2000-1000"));
  EXPECT_FALSE(HeldPorts::hold(1, PortRange{0, 10}));
}

PortOwner listener_of(std::uint16_t port, const std::vector<pid_t>& ours) {
  const auto listeners = Listeners::read();
  EXPECT_TRUE(listeners) << listeners.error().message;
  return listeners ? listeners->owner_of(port, ours) : PortOwner{};
}

TEST(PortOwner, a_held_port_has_no_listener) {
  const auto held = HeldPorts::hold(1);
  const auto owner = listener_of(held->ports().front(), std::vector{::getpid()});
  EXPECT_EQ(owner.kind, PortOwner::Kind::none);
}

TEST(PortOwner, our_own_listener_is_ours) {
  const auto held = HeldPorts::hold(1);
  const auto listener = listen_on(held->ports().front());
  ASSERT_TRUE(listener);
  const auto owner = listener_of(held->ports().front(), std::vector{::getpid()});
  EXPECT_EQ(owner.kind, PortOwner::Kind::ours);
  EXPECT_EQ(owner.pid, ::getpid());
}

TEST(PortOwner, anothers_listener_is_foreign_with_pid_and_name) {
  const auto held = HeldPorts::hold(1);
  auto ready = core::make_pipe();
  ASSERT_TRUE(ready);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto listener = listen_on(held->ports().front());
    if (listener) [[maybe_unused]]
      const auto n = ::write(ready->write.get(), "x", 1);
    ::alarm(60);
    ::pause();
    ::_exit(0);
  }
  EXPECT_TRUE(test::wait_readable(ready->read.get()));
  const auto owner = listener_of(held->ports().front(), std::vector{::getpid()});
  EXPECT_EQ(owner.kind, PortOwner::Kind::foreign);
  EXPECT_EQ(owner.pid, child);
  EXPECT_THAT(owner.name, testing::HasSubstr("agent_process"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(PortOwner, a_listener_that_ended_after_the_tables_were_read_is_unknown) {
  const auto held = HeldPorts::hold(1);
  const auto port = held->ports().front();
  auto listener = listen_on(port);
  const auto listeners = Listeners::read();
  ASSERT_TRUE(listeners);
  ASSERT_TRUE(listeners->anyone_on(port));
  listener.reset();
  EXPECT_EQ(listeners->owner_of(port, std::vector{::getpid()}).kind, PortOwner::Kind::none);
}

}  // namespace
}  // namespace ydl::agent
