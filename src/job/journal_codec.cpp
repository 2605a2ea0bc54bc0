#include "job/journal_codec.hpp"

#include "core/json.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::job {

namespace json = boost::json;

std::string encode_header(const JournalHeader& header) {
  return json::serialize(json::object{
      {"v", kJournalVersion}, {"journal", header.number}, {"began", header.began.time_since_epoch().count()}});
}

core::Error JournalFileReader::at_line(core::Error error) const {
  return std::move(error).within(fmt::format("journal/{}, line {}", number_, line_));
}

core::Result<> JournalFileReader::feed(std::string_view bytes, const std::function<void(TimedEvent)>& on_event) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto part = bytes.substr(0, end);
    if (rest_.size() + part.size() > kLongestJournalLine) {
      ++line_;
      return core::fail(at_line(
          {core::Errc::corrupt, fmt::format("the line is longer than the limit of {} bytes", kLongestJournalLine)}));
    }
    if (end == std::string_view::npos) {
      rest_ += part;
      return {};
    }
    ++line_;
    bytes.remove_prefix(end + 1);
    // Most lines lie within one piece and need not be copied.
    auto taken = rest_.empty() ? take(part, on_event) : take(rest_ += part, on_event);
    if (!taken) return core::fail(at_line(std::move(taken).error()));
    rest_.clear();
  }
  return {};
}

core::Result<> JournalFileReader::take(std::string_view line, const std::function<void(TimedEvent)>& on_event) {
  if (!header_) return take_header(line);
  auto event = decode_event(line);
  if (!event) return core::fail(std::move(event).error());
  on_event(*std::move(event));
  return {};
}

core::Result<> JournalFileReader::take_header(std::string_view line) {
  const auto object = core::parse_json_object(line);
  if (!object) return core::fail(object.error());
  const auto version = core::json_int(*object, "v");
  if (!version) return core::fail(version.error());
  if (*version != kJournalVersion) {
    return core::fail(core::Errc::refused,
                      fmt::format("the journal has version {} and this ydl reads version {}: {} ydl wrote it", *version,
                                  kJournalVersion, *version > kJournalVersion ? "a newer" : "an older"));
  }
  const auto number = core::json_int(*object, "journal");
  if (!number) return core::fail(number.error());
  if (*number != number_) {
    return core::fail(core::Errc::corrupt, fmt::format("the header is that of journal/{}", *number));
  }
  const auto began = core::json_int(*object, "began");
  if (!began) return core::fail(began.error());
  header_ = JournalHeader{.number = number_, .began = core::WallTime(core::Millis(*began))};
  return {};
}

core::Result<JournalFile> read_journal_file(std::string_view text, int number) {
  JournalFile file;
  JournalFileReader reader(number);
  auto read = reader.feed(text, [&file](TimedEvent event) { file.events.push_back(std::move(event)); });
  if (!read) return core::fail(std::move(read).error());
  file.header = reader.header();
  return file;
}

}  // namespace ydl::job
