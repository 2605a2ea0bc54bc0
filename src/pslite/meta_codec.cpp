#include "pslite/meta_codec.hpp"

#include <utility>

#include <fmt/format.h>

namespace ydl::pslite {
namespace {

using core::Errc;
using core::fail;
using core::Result;

enum class Wire : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// ---- writing ------------------------------------------------------------------------------------------------------

void put_varint(std::string& out, std::uint64_t value) {
  while (value > 0x7f) {
    out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

void put_tag(std::string& out, std::uint32_t field, Wire wire) {
  put_varint(out, (field << 3U) | static_cast<std::uint32_t>(wire));
}

void put_uint64(std::string& out, std::uint32_t field, std::uint64_t value) {
  put_tag(out, field, Wire::varint);
  put_varint(out, value);
}

// Negative numbers have ten bytes, because protobuf extends the sign to 64 bits.
void put_int32(std::string& out, std::uint32_t field, std::int32_t value) {
  put_uint64(out, field, static_cast<std::uint64_t>(std::int64_t{value}));
}

void put_bool(std::string& out, std::uint32_t field, bool value) {
  put_uint64(out, field, value ? 1 : 0);
}

void put_bytes(std::string& out, std::uint32_t field, std::string_view value) {
  put_tag(out, field, Wire::bytes);
  put_varint(out, value.size());
  out.append(value);
}

std::string encode_node(const Node& node) {
  std::string out;
  put_int32(out, 1, static_cast<std::int32_t>(node.role));
  put_int32(out, 2, node.id ? number(*node.id) : kEmptyValue);
  put_bytes(out, 3, node.host);
  put_int32(out, 4, node.port);
  put_bool(out, 5, node.is_recovery);
  put_int32(out, 10, node.customer_id);
  return out;
}

std::string encode_control(const Control& control) {
  std::string out;
  put_int32(out, 1, static_cast<std::int32_t>(control.command));
  for (const Node& node : control.nodes) put_bytes(out, 2, encode_node(node));
  if (control.barrier_group) put_int32(out, 3, *control.barrier_group);
  if (control.message_signature) put_uint64(out, 4, *control.message_signature);
  return out;
}

std::string encode_packed(const std::vector<std::int32_t>& values) {
  std::string out;
  for (const std::int32_t value : values) put_varint(out, static_cast<std::uint64_t>(std::int64_t{value}));
  return out;
}

// ---- reading ------------------------------------------------------------------------------------------------------

// A field: its number, and either an integer or bytes, which point into the message.
struct Field {
  std::uint32_t number = 0;
  Wire wire = Wire::varint;
  std::uint64_t value = 0;
  std::string_view bytes;
};

// Iterates over the fields of a message. The first error is kept and ends the iteration; reads after it return default
// values, which are never used.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  // The next field; nothing at the end or after an error.
  [[nodiscard]] std::optional<Field> next() {
    if (rest_.empty() || error_) return std::nullopt;
    const std::uint64_t tag = varint();
    Field field{
        .number = static_cast<std::uint32_t>(tag >> 3U), .wire = static_cast<Wire>(tag & 7U), .value = 0, .bytes = {}};
    if (!error_ && (tag > 0xffffffffU || field.number == 0)) wrong("a field number is out of range");
    if (error_) return std::nullopt;
    switch (field.wire) {
      case Wire::varint:
        field.value = varint();
        break;
      case Wire::fixed64:
        field.bytes = take(field.number, 8);
        break;
      case Wire::fixed32:
        field.bytes = take(field.number, 4);
        break;
      case Wire::bytes:
        field.bytes = take(field.number, varint());
        break;
      default:
        wrong(fmt::format("field {} has the unknown wire type {}", field.number, tag & 7U));
    }
    return error_ ? std::nullopt : std::optional(field);
  }

  [[nodiscard]] std::uint64_t uint64(const Field& field) { return expect(field, Wire::varint) ? field.value : 0; }
  [[nodiscard]] bool flag(const Field& field) { return uint64(field) != 0; }
  [[nodiscard]] std::int32_t int32(const Field& field) { return narrow(uint64(field)); }

  [[nodiscard]] std::optional<std::int32_t> optional_int32(const Field& field) {
    const std::int32_t value = int32(field);
    return value == kEmptyValue ? std::nullopt : std::optional(value);
  }

  [[nodiscard]] std::string_view bytes(const Field& field, std::size_t limit) {
    if (!expect(field, Wire::bytes)) return {};
    if (field.bytes.size() <= limit) return field.bytes;
    wrong(fmt::format("field {} has {} bytes, but at most {} are allowed", field.number, field.bytes.size(), limit));
    return {};
  }

  // A single number, or many packed into bytes: parsers of proto2 must accept both.
  [[nodiscard]] std::vector<std::int32_t> int32_list(const Field& field, std::size_t limit) {
    if (field.wire == Wire::varint) return {int32(field)};
    std::vector<std::int32_t> values;
    Reader packed(bytes(field, limit * 10));
    while (!packed.rest_.empty() && !packed.error_) {
      if (values.size() == limit) packed.wrong(fmt::format("field {} has more than {} numbers", field.number, limit));
      values.push_back(packed.narrow(packed.varint()));
    }
    if (packed.error_) wrong(std::move(*packed.error_));
    return values;
  }

  void wrong(std::string why) {
    if (!error_) error_ = std::move(why);
  }
  [[nodiscard]] const std::optional<std::string>& error() const { return error_; }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (rest_.empty()) {
        wrong("a number is truncated");
        return 0;
      }
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    wrong("a number is longer than 64 bits");
    return 0;
  }

  std::string_view take(std::uint32_t number, std::uint64_t size) {
    if (size > rest_.size()) {
      wrong(fmt::format("field {} announces {} bytes, but only {} are left", number, size, rest_.size()));
      return {};
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  bool expect(const Field& field, Wire wire) {
    if (field.wire != wire) wrong(fmt::format("field {} has the wrong wire type", field.number));
    return field.wire == wire;
  }

  std::int32_t narrow(std::uint64_t value) {
    const auto wide = static_cast<std::int64_t>(value);
    if (std::in_range<std::int32_t>(wide)) return static_cast<std::int32_t>(wide);
    wrong(fmt::format("{} is not a 32-bit number", wide));
    return 0;
  }

  std::string_view rest_;
  std::optional<std::string> error_;
};

Result<Node> decode_node(std::string_view bytes, const MetaLimits& limits) {
  Node node;
  std::optional<std::int32_t> role;
  Reader reader(bytes);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        role = reader.int32(*field);
        break;
      case 2:
        node.id = reader.optional_int32(*field).transform([](std::int32_t id) { return NodeId{id}; });
        break;
      case 3:
        node.host = reader.bytes(*field, limits.host_bytes);
        break;
      case 4:
        node.port = reader.int32(*field);
        break;
      case 5:
        node.is_recovery = reader.flag(*field);
        break;
      case 10:
        node.customer_id = reader.int32(*field);
        break;
      default:
        break;
    }
  }
  if (!role) reader.wrong("a node has no role");
  if (role && (*role < 0 || *role > 2)) reader.wrong(fmt::format("a node has the unknown role {}", *role));
  if (reader.error()) return fail(Errc::corrupt, *reader.error());
  node.role = static_cast<Role>(*role);
  return node;
}

Result<Control> decode_control(std::string_view bytes, const MetaLimits& limits) {
  Control control;
  std::optional<std::int32_t> command;
  Reader reader(bytes);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        command = reader.int32(*field);
        break;
      case 2: {
        if (control.nodes.size() == limits.nodes)
          return fail(Errc::corrupt, fmt::format("more than {} nodes", limits.nodes));
        const std::string_view body = reader.bytes(*field, bytes.size());
        if (reader.error()) break;
        auto node = decode_node(body, limits);
        if (!node) return fail(node.error());
        control.nodes.push_back(*std::move(node));
        break;
      }
      case 3:
        control.barrier_group = reader.optional_int32(*field);
        break;
      case 4:
        control.message_signature = reader.uint64(*field);
        break;
      default:
        break;
    }
  }
  if (!command) reader.wrong("a control message has no command");
  if (command && (*command < 0 || *command > 5)) reader.wrong(fmt::format("unknown command {}", *command));
  if (reader.error()) return fail(Errc::corrupt, *reader.error());
  control.command = static_cast<Command>(*command);
  return control;
}

}  // namespace

std::string encode(const Meta& meta) {
  std::string out;
  put_int32(out, 1, meta.head.value_or(kEmptyValue));
  if (!meta.body.empty()) put_bytes(out, 2, meta.body);
  if (meta.control) put_bytes(out, 3, encode_control(*meta.control));
  put_bool(out, 4, meta.request);
  put_bool(out, 5, meta.push);
  put_bool(out, 6, meta.simple_app);
  if (meta.app_id) put_int32(out, 7, *meta.app_id);
  if (meta.timestamp) put_int32(out, 8, *meta.timestamp);
  if (!meta.data_types.empty()) put_bytes(out, 9, encode_packed(meta.data_types));
  put_int32(out, 10, meta.customer_id.value_or(kEmptyValue));
  if (meta.data_size) put_int32(out, 11, *meta.data_size);
  put_bool(out, 12, meta.pull);
  put_int32(out, 13, meta.priority);
  return out;
}

Result<Meta> decode_meta(std::string_view bytes, const MetaLimits& limits) {
  Meta meta;
  Reader reader(bytes);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        meta.head = reader.optional_int32(*field);
        break;
      case 2:
        meta.body = reader.bytes(*field, limits.body_bytes);
        break;
      case 3: {
        // Protobuf would merge two controls, but no real node sends more than one.
        if (meta.control) return fail(Errc::corrupt, "a message has two controls");
        const std::string_view body = reader.bytes(*field, bytes.size());
        if (reader.error()) break;
        auto control = decode_control(body, limits);
        if (!control) return fail(control.error());
        meta.control = *std::move(control);
        break;
      }
      case 4:
        meta.request = reader.flag(*field);
        break;
      case 5:
        meta.push = reader.flag(*field);
        break;
      case 6:
        meta.simple_app = reader.flag(*field);
        break;
      case 7:
        meta.app_id = reader.optional_int32(*field);
        break;
      case 8:
        meta.timestamp = reader.optional_int32(*field);
        break;
      case 9: {
        const auto types = reader.int32_list(*field, limits.data_types - meta.data_types.size());
        meta.data_types.insert(meta.data_types.end(), types.begin(), types.end());
        if (meta.data_types.size() > limits.data_types) reader.wrong("too many data types");
        break;
      }
      case 10:
        meta.customer_id = reader.optional_int32(*field);
        break;
      case 11:
        meta.data_size = reader.optional_int32(*field);
        break;
      case 12:
        meta.pull = reader.flag(*field);
        break;
      case 13:
        meta.priority = reader.int32(*field);
        break;
      default:
        break;
    }
  }
  if (reader.error()) return fail(Errc::corrupt, *reader.error());
  return meta;
}

}  // namespace ydl::pslite
