// A file of a job's journal: the reader returns for any bytes, and the result does not depend on their division into
// pieces.
#include "core/assert.hpp"
#include "job/journal_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace ydl;

// Header and events after encoding them again, or the error.
std::string read_in_pieces(std::string_view text, std::size_t size) {
  std::string events;
  job::JournalFileReader reader(2);
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    const auto fed = reader.feed(
        text.substr(0, size), [&events](const job::TimedEvent& event) { events += job::encode_event(event) + "\n"; });
    if (!fed) {
      YDL_ASSERT(fed.error().message.starts_with("journal/2, line "));
      return fed.error().message;
    }
  }
  if (!reader.header()) {
    YDL_ASSERT(events.empty());
    return {};
  }
  return job::encode_header(*reader.header()) + "\n" + events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto whole = read_in_pieces(text, size + 1);
  YDL_ASSERT(read_in_pieces(text, 7) == whole);
  if (!whole.starts_with("journal/2, line ")) YDL_ASSERT(read_in_pieces(whole, whole.size() + 1) == whole);
  return 0;
}
