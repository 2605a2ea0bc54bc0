#include "libhdfs/helper.hpp"

#include "core/files.hpp"
#include "core/log.hpp"
#include "core/strings.hpp"
#include "core/user.hpp"
#include "hconf/load.hpp"
#include "hdfs/configured.hpp"
#include "hrpc/login.hpp"
#include "libhdfs/configuration.hpp"
#include "libhdfs/session.hpp"
#include "net/spawn.hpp"
#include "yarn/configured.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

namespace ydl::libhdfs {
namespace {

namespace asio = net::asio;

constexpr int kControl = 3;
constexpr std::size_t kMostConnections = 4096;

// Descriptors of the program would stay open as long as the helper runs: pipes, for example, whose end others wait for.
void close_above(unsigned last_kept) {
  if (::syscall(SYS_close_range, last_kept + 1, ~0U, 0) == 0) return;
  rlimit limit{};  // kernels before 5.9
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1U << 20U));
  for (int fd = static_cast<int>(last_kept) + 1; fd < end; ++fd) ::close(fd);
}

void redirect_output() {
  const auto log = core::process_getenv("YDL_HDFS_LOG").value_or("/dev/null");
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ::dup2(null, STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(out >= 0 ? out : null, fd);
}

std::size_t most_connections() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  // A file that is read takes two descriptors.
  return std::min<std::size_t>(kMostConnections, std::max<std::size_t>(16, limit.rlim_cur / 3));
}

// Receives the connections of the program.
class Helper {
 public:
  Helper(asio::io_context& context, Shared& shared) : context_(context), shared_(shared), control_(context, kControl) {}

  void start() { net::spawn(context_.get_executor(), "receiving connections", receive()); }

 private:
  net::awaitable<void> receive() {
    boost::system::error_code error;
    control_.non_blocking(true, error);
    for (;;) {
      const auto [failed] = co_await control_.async_wait(asio::posix::stream_descriptor::wait_read, net::tuple);
      if (failed || !receive_one()) break;
    }
    control_.close(error);
    is_last_ = true;
    stop_if_idle();
  }

  // Returns false when no process of the program has the control socket any more.
  bool receive_one() {
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 4)> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const auto got = ::recvmsg(kControl, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    for (auto* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      const auto count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
        accept(core::UniqueFd(fd));
      }
    }
    return true;
  }

  void accept(core::UniqueFd fd) {
    int domain = 0;
    int type = 0;
    socklen_t size = sizeof(int);
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX) return;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return;
    if (sessions_ >= most_connections()) {
      const auto refusal = encode_error({std::make_error_code(std::errc::too_many_files_open),
                                         fmt::format("{} files are open, which is the limit: close some", sessions_)});
      (void)::send(fd.get(), refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      return;
    }
    boost::system::error_code error;
    net::Socket socket(context_.get_executor());
    socket.assign(asio::local::stream_protocol(), fd.get(), error);
    if (error) return;
    (void)fd.release();
    ++sessions_;
    net::spawn(context_.get_executor(), "serving a connection", serve(std::move(socket)));
  }

  net::awaitable<void> serve(net::Socket socket) {
    {
      Session session(std::move(socket), shared_);
      co_await session.run();
    }
    --sessions_;
    stop_if_idle();
  }

  void stop_if_idle() {
    if (is_last_ && sessions_ == 0) context_.stop();
  }

  asio::io_context& context_;
  Shared& shared_;
  asio::posix::stream_descriptor control_;
  std::size_t sessions_ = 0;
  bool is_last_ = false;  // no further connections will come
};

void open_file_systems(const asio::any_io_executor& executor, Shared& shared) {
  auto configuration = find_configuration();
  if (!configuration) {
    shared.broken = configuration.error();
    return;
  }
  auto options =
      hdfs::configured(configuration->config, {.user = configuration->user, .tokens = configuration->tokens});
  if (!options) {
    shared.broken = options.error();
    return;
  }
  shared.config = configuration->config;
  shared.user = configuration->user;
  shared.tokens = configuration->tokens;
  shared.home.emplace(executor, *std::move(options));
  shared.file_systems.emplace(executor, *shared.home, configuration->config,
                              hdfs::FileSystems::Login{configuration->user, configuration->tokens});
}

int serve() {
  asio::io_context context(1);
  Shared shared;
  open_file_systems(context.get_executor(), shared);
  Helper helper(context, shared);
  helper.start();
  try {
    context.run();
  } catch (const net::BackgroundFailure& failure) {
    core::log("{}", failure.what());
    return 1;
  }
  return 0;
}

}  // namespace

int run_helper() {
  // The program may wait for any of its children: it must not find this one.
  const pid_t child = ::fork();
  if (child != 0) ::_exit(child > 0 ? 0 : 1);
  ::setsid();  // Ctrl-C in the program's terminal is for the program
  ::prctl(PR_SET_NAME, "ydl-hdfs");
  ::signal(SIGPIPE, SIG_IGN);
  redirect_output();
  close_above(kControl);
  ::fcntl(kControl, F_SETFD, FD_CLOEXEC);
  return serve();
}

}  // namespace ydl::libhdfs
