#include "http/router.hpp"

#include "core/strings.hpp"

#include <boost/json.hpp>
#include <boost/url.hpp>
#include <fmt/format.h>

namespace ydl::http {
namespace {

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  for (const auto part : core::split(path, '/')) {
    if (!part.empty()) segments.emplace_back(part);
  }
  return segments;
}

bool is_capture(std::string_view segment) {
  return segment.starts_with('{') && segment.ends_with('}');
}

std::optional<std::map<std::string, std::string>> captures_of(const std::vector<std::string>& pattern,
                                                              const std::vector<std::string>& path) {
  if (pattern.size() != path.size()) return std::nullopt;
  std::map<std::string, std::string> captures;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (is_capture(pattern[i]))
      captures.emplace(pattern[i].substr(1, pattern[i].size() - 2), path[i]);
    else if (pattern[i] != path[i])
      return std::nullopt;
  }
  return captures;
}

}  // namespace

Response Response::error(unsigned status, std::string_view sentence) {
  return {status, boost::json::serialize(boost::json::object{{"error", sentence}})};
}

void Router::add(std::string method, std::string_view pattern, Handler handler, RouteOptions options) {
  routes_.push_back({std::move(method), segments_of(pattern), std::move(handler), std::move(options)});
}

core::Result<Router::Match> Router::match(std::string_view method, std::string_view path) const {
  const auto segments = segments_of(path);
  bool known_path = false;
  for (const auto& route : routes_) {
    auto captures = captures_of(route.segments, segments);
    if (!captures) continue;
    known_path = true;
    if (route.method == method) return Match{&route.handler, *std::move(captures), route.options};
  }
  if (known_path) return core::fail(core::Errc::refused, fmt::format("{} does not accept the method {}", path, method));
  return core::fail(core::Errc::not_found, fmt::format("there is nothing at {}", path));
}

std::optional<Target> parse_target(std::string_view target) {
  const auto parsed = boost::urls::parse_origin_form(target);
  if (!parsed) return std::nullopt;
  Target result;
  result.path = parsed->path();
  for (const auto& parameter : parsed->params()) result.query[std::string(parameter.key)] = parameter.value;
  return result;
}

}  // namespace ydl::http
