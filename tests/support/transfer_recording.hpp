#pragma once

#include "core/files.hpp"
#include "support/hex.hpp"

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ydl::testing {

// The connections to DataNodes in a file of tests/wire/hdfs: all bytes of each side, in order.
class TransferRecording {
 public:
  explicit TransferRecording(const std::string& name) {
    const auto text = core::read_file(std::string(YDL_WIRE_DIR) + "/hdfs/" + name + ".txt");
    if (!text) throw std::runtime_error(text.error().message);
    std::istringstream lines(*text);
    std::string line;
    std::string datanode;
    while (std::getline(lines, line)) {
      if (const auto at = line.find("dn xfer="); at != std::string::npos) datanode = line.substr(at + 8);
      std::istringstream words(line);
      std::string connection;
      std::string port;
      std::string direction;
      std::string hex;
      words >> connection >> port >> direction >> hex;
      if (port == datanode && !hex.empty()) streams_[connection + direction] += from_hex(hex);
    }
  }

  [[nodiscard]] const std::string& client(int connection) const {
    return streams_.at(std::to_string(connection) + "C>S");
  }
  [[nodiscard]] const std::string& server(int connection) const {
    return streams_.at(std::to_string(connection) + "S>C");
  }

 private:
  std::map<std::string, std::string> streams_;
};

// The bytes that the recorded client wrote.
[[nodiscard]] inline std::string recorded_content(std::size_t size) {
  std::string content(size, '\0');
  for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i % 251);
  return content;
}

}  // namespace ydl::testing
