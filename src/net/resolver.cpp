#include "net/resolver.hpp"

#include <map>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <sys/time.h>

#include <ares.h>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ydl::net {
namespace {

using Addresses = std::vector<asio::ip::address>;

constexpr int kTries = 3;

// The result of c-ares: a status and, on success, a list of addresses or a name.
struct Answer {
  int status = ARES_SUCCESS;
  Addresses addresses;
  std::string name = {};
};

Addresses addresses_of(const ares_addrinfo& info) {
  Addresses found;
  for (const auto* node = info.nodes; node != nullptr; node = node->ai_next) {
    if (node->ai_family == AF_INET) {
      const auto* address = reinterpret_cast<const sockaddr_in*>(node->ai_addr);
      found.emplace_back(asio::ip::address_v4(ntohl(address->sin_addr.s_addr)));
    } else if (node->ai_family == AF_INET6) {
      const auto* address = reinterpret_cast<const sockaddr_in6*>(node->ai_addr);
      asio::ip::address_v6::bytes_type bytes;
      std::copy_n(std::begin(address->sin6_addr.s6_addr), bytes.size(), bytes.begin());
      found.emplace_back(asio::ip::address_v6(bytes, address->sin6_scope_id));
    }
  }
  return found;
}

// One query of c-ares. c-ares owns the sockets and tells us which of them to watch; we wait for them with Asio and
// report when they are ready. Single-threaded. Handlers that are still queued after close() keep the object alive, and
// see that the channel is null.
class Question : public std::enable_shared_from_this<Question> {
 public:
  explicit Question(const asio::any_io_executor& executor) : executor_(executor), changed_(executor) {}

  int open(const ResolverOptions& options) {
    ares_options wanted{};
    wanted.timeout = static_cast<int>(options.first_try.count());
    wanted.tries = kTries;
    wanted.sock_state_cb = &Question::on_socket;
    wanted.sock_state_cb_data = this;
    const int flags = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
    if (const int status = ::ares_init_options(&channel_, &wanted, flags); status != ARES_SUCCESS) return status;
    if (options.servers.empty()) return ARES_SUCCESS;
    return ::ares_set_servers_ports_csv(channel_, options.servers.c_str());
  }

  void ask(const std::string& host) {
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ::ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &Question::on_answer, this);
  }

  void ask(const asio::ip::address& address) {
    if (address.is_v4()) {
      const auto bytes = address.to_v4().to_bytes();
      ::ares_gethostbyaddr(channel_, bytes.data(), static_cast<int>(bytes.size()), AF_INET, &Question::on_name, this);
    } else {
      const auto bytes = address.to_v6().to_bytes();
      ::ares_gethostbyaddr(channel_, bytes.data(), static_cast<int>(bytes.size()), AF_INET6, &Question::on_name, this);
    }
  }

  // Waits for the answer; nothing if the time is over.
  awaitable<std::optional<Answer>> answer(core::Millis at_most) {
    const auto deadline = core::steady_now() + at_most;
    while (!answer_) {
      const auto left = std::chrono::duration_cast<core::Millis>(deadline - core::steady_now());
      if (left <= core::Millis(0)) break;
      co_await changed_.wait(std::min(left, next_try()));
      if (!answer_) ::ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // lets c-ares retry overdue queries
    }
    co_return answer_;
  }

  [[nodiscard]] std::string servers() const {
    std::vector<std::string> names;
    ares_addr_port_node* list = nullptr;
    if (::ares_get_servers_ports(channel_, &list) != ARES_SUCCESS) return {};
    for (const auto* node = list; node != nullptr; node = node->next) {
      char text[INET6_ADDRSTRLEN] = "";
      names.emplace_back(::ares_inet_ntop(node->family, &node->addr, text, sizeof(text)));
    }
    ::ares_free_data(list);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void close() {
    // calls on_socket for each socket, and on_answer or on_name for a query without an answer
    if (channel_ != nullptr) ::ares_destroy(channel_);
    channel_ = nullptr;
  }

 private:
  struct Watched {
    asio::posix::stream_descriptor descriptor;
    bool wants_read = false;
    bool wants_write = false;
    bool waits_for_read = false;
    bool waits_for_write = false;
  };

  static void on_socket(void* self, ares_socket_t fd, int readable, int writable) {
    static_cast<Question*>(self)->watch(fd, readable != 0, writable != 0);
  }

  static void on_answer(void* self, int status, int /*timeouts*/, ares_addrinfo* info) {
    auto* question = static_cast<Question*>(self);
    question->answer_ = Answer{status, info == nullptr ? Addresses{} : addresses_of(*info)};
    if (info != nullptr) ::ares_freeaddrinfo(info);
    question->changed_.notify();
  }

  static void on_name(void* self, int status, int /*timeouts*/, hostent* host) {
    auto* question = static_cast<Question*>(self);
    question->answer_ = Answer{status, {}, host == nullptr || host->h_name == nullptr ? "" : host->h_name};
    question->changed_.notify();
  }

  void watch(ares_socket_t fd, bool read, bool write) {
    if (!read && !write) {
      const auto found = sockets_.find(fd);
      if (found == sockets_.end()) return;
      found->second->descriptor.release();  // c-ares closes it
      sockets_.erase(found);
      return;
    }
    auto& socket = sockets_[fd];
    if (!socket) socket = std::make_shared<Watched>(asio::posix::stream_descriptor(executor_, fd));
    socket->wants_read = read;
    socket->wants_write = write;
    wait_for(socket, fd);
  }

  void wait_for(const std::shared_ptr<Watched>& socket, ares_socket_t fd) {
    using Wait = asio::posix::descriptor_base;
    if (socket->wants_read && !std::exchange(socket->waits_for_read, true)) {
      socket->descriptor.async_wait(Wait::wait_read, [self = shared_from_this(), socket, fd](const auto& error) {
        socket->waits_for_read = false;
        if (!error) self->ready(socket, fd, fd, ARES_SOCKET_BAD);
      });
    }
    if (socket->wants_write && !std::exchange(socket->waits_for_write, true)) {
      socket->descriptor.async_wait(Wait::wait_write, [self = shared_from_this(), socket, fd](const auto& error) {
        socket->waits_for_write = false;
        if (!error) self->ready(socket, fd, ARES_SOCKET_BAD, fd);
      });
    }
  }

  void ready(const std::shared_ptr<Watched>& socket, ares_socket_t fd, ares_socket_t readable, ares_socket_t writable) {
    if (channel_ == nullptr || !socket->descriptor.is_open()) return;
    ::ares_process_fd(channel_, readable, writable);
    if (channel_ != nullptr && socket->descriptor.is_open()) wait_for(socket, fd);
  }

  [[nodiscard]] core::Millis next_try() const {
    timeval time{};
    if (::ares_timeout(channel_, nullptr, &time) == nullptr) return core::Millis::max();
    return core::Millis(static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_usec / 1000 + 1);
  }

  asio::any_io_executor executor_;
  Signal changed_;
  ares_channel channel_ = nullptr;
  std::map<ares_socket_t, std::shared_ptr<Watched>> sockets_;
  std::optional<Answer> answer_;
};

core::Error explain(int status, const std::string& host, const std::string& servers) {
  const auto asked = servers.empty() ? std::string("no name server is configured in /etc/resolv.conf")
                                     : fmt::format("the name server {}", servers);
  switch (status) {
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
      return {make_error_code(core::Errc::not_found),
              fmt::format("the host '{}' is unknown: it is neither in /etc/hosts nor in DNS ({}); check the name", host,
                          asked)};
    case ARES_EBADNAME:
      return {make_error_code(core::Errc::not_found), fmt::format("'{}' cannot be the name of a host", host)};
    default:
      return {make_error_code(core::Errc::unavailable),
              fmt::format("cannot look up the host '{}': {} ({}); add it to /etc/hosts or use its address", host,
                          ::ares_strerror(status), asked)};
  }
}

}  // namespace

namespace {

// `Subject` is a name or an address. Unsuccessful answers are returned as errors.
template <class Subject>
Async<Answer> look_up(Subject subject, std::string text, core::Millis at_most, ResolverOptions options) {
  const auto question = std::make_shared<Question>(co_await asio::this_coro::executor);
  if (const int status = question->open(options); status != ARES_SUCCESS) {
    co_return core::fail(explain(status, text, {}));
  }
  question->ask(subject);
  auto answer = co_await question->answer(at_most);
  const auto servers = question->servers();
  question->close();
  if (!answer) {
    co_return core::fail(core::Errc::timeout,
                         fmt::format("cannot look up the host '{}': no answer from the name server {} within {} s; add "
                                     "it to /etc/hosts or use its address",
                                     text, servers, static_cast<double>(at_most.count()) / 1000));
  }
  if (answer->status != ARES_SUCCESS) co_return core::fail(explain(answer->status, text, servers));
  co_return *std::move(answer);
}

}  // namespace

Async<Addresses> resolve(std::string host, core::Millis at_most, ResolverOptions options) {
  boost::system::error_code not_numeric;
  if (auto address = asio::ip::make_address(host, not_numeric); !not_numeric) co_return Addresses{address};
  auto answer = co_await look_up(host, host, at_most, std::move(options));
  if (!answer) co_return core::fail(answer.error());
  if (answer->addresses.empty())
    co_return core::fail(core::Errc::not_found, fmt::format("{} has no address: check its entry in DNS", host));
  co_return std::move(answer->addresses);
}

Async<std::string> reverse_name(asio::ip::address address, core::Millis at_most, ResolverOptions options) {
  auto answer = co_await look_up(address, address.to_string(), at_most, std::move(options));
  if (!answer) co_return core::fail(answer.error());
  co_return std::move(answer->name);
}

}  // namespace ydl::net
