#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>

namespace ydl::http {

namespace asio = boost::asio;
namespace bhttp = boost::beast::http;

// A body in two parts. The second part may be shared with other answers.
struct TwoPartBody {
  struct value_type {
    std::string own;
    std::shared_ptr<const std::string> shared;
  };
  static std::uint64_t size(const value_type& body) {
    return body.own.size() + (body.shared == nullptr ? 0 : body.shared->size());
  }
  class writer {
   public:
    using const_buffers_type = std::array<asio::const_buffer, 2>;
    template <bool is_request, class Fields>
    writer(const bhttp::header<is_request, Fields>& /*header*/, const value_type& body) : body_(body) {}
    void init(boost::system::error_code& error) { error = {}; }
    boost::optional<std::pair<const_buffers_type, bool>> get(boost::system::error_code& error) {
      error = {};
      const_buffers_type parts{asio::buffer(body_.own)};
      if (body_.shared != nullptr) parts[1] = asio::buffer(*body_.shared);
      return std::pair{parts, false};
    }

   private:
    const value_type& body_;
  };
};

}  // namespace ydl::http
