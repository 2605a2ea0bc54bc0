#include "hdfs/errors.hpp"
#include "hdfs/handshake_fsm.hpp"
#include "hdfs/transfer_codec.hpp"
#include "hrpc/errors.hpp"
#include "hrpc/sasl/digest_md5.hpp"
#include "support/transfer_recording.hpp"

#include <gtest/gtest.h>

namespace ydl::hdfs {
namespace {

namespace pb = hadoop::hdfs;
using Message = pb::DataTransferEncryptorMessageProto;

// The value of a quoted field in the recorded response.
std::string field(std::string_view response, std::string_view name) {
  const auto at = response.find(std::string(name) + "=\"") + name.size() + 2;
  return std::string(response.substr(at, response.find('"', at) - at));
}

Message take(std::string_view& stream) {
  auto decoded = decode_delimited<Message>(stream);
  if (!decoded || !*decoded) throw std::runtime_error("no message");
  stream.remove_prefix((*decoded)->size);
  return (*decoded)->message;
}

struct Recorded {
  const char* name;
  const char* cipher;
  const char* key;  // base64 of the key the NameNode gave; the password
  Aes aes;
};

class RecordedHandshake : public ::testing::TestWithParam<Recorded> {};

TEST_P(RecordedHandshake, produces_the_recorded_bytes_and_decodes_those_that_follow) {
  const testing::TransferRecording recording(GetParam().name);
  for (const int connection : {1, 2, 3}) {
    std::string_view client = recording.client(connection);
    std::string_view server = recording.server(connection);
    const std::string start = HandshakeFsm::start();
    ASSERT_TRUE(client.starts_with(start));
    client.remove_prefix(start.size());
    const std::string_view response_bytes = client;
    const Message response = take(client);

    HandshakeFsm fsm(
        hrpc::sasl::make_digest_md5({.credentials = {field(response.payload(), "username"), GetParam().key},
                                     .digest_uri = "hdfs/0",
                                     .protections = {hrpc::Protection::privacy},
                                     .ciphers = {GetParam().cipher},
                                     .authzid = field(response.payload(), "authzid"),
                                     .client_nonce = field(response.payload(), "cnonce")}),
        GetParam().aes);
    const auto answered = fsm.resume(take(server));
    ASSERT_TRUE(answered) << answered.error().message;
    EXPECT_EQ(answered->kind, HandshakeFsm::ActionKind::send);
    EXPECT_TRUE(response_bytes.starts_with(answered->bytes)) << answered->bytes;
    const auto done = fsm.resume(take(server));
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_NE(done->layer, nullptr);

    // First the DataNode's answer to the request, in two pieces; then the protected request itself.
    std::string plain;
    for (const auto part : {server.substr(0, 7), server.substr(7)}) {
      const auto opened = done->layer->open(part);
      ASSERT_TRUE(opened) << opened.error().message;
      plain += *opened;
    }
    const auto answer = decode_delimited<pb::BlockOpResponseProto>(plain);
    ASSERT_TRUE(answer && *answer);
    EXPECT_EQ((*answer)->message.status(), pb::SUCCESS);
    if (connection == 2) {
      EXPECT_NE(plain.find(testing::recorded_content(1300).substr(600, 650)), std::string::npos);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ciphers, RecordedHandshake,
                         ::testing::Values(Recorded{"hdfs-3des", "3des", "Bxga1dEpi58CGnMcZ/X0dXet9Ao=", Aes::no},
                                           Recorded{"hdfs-rc4", "rc4", "2JIPFbMJC0yglbz8dIDpwv9Y/8o=", Aes::no},
                                           Recorded{"hdfs-aes", "3des", "kfF94WSOgr4gVNXCd3/ltPBpTMs=", Aes::offer}),
                         [](const auto& info) { return std::string(info.param.name).substr(5); });

std::error_code refused(const Message& message) {
  HandshakeFsm fsm(nullptr, Aes::no);
  const auto action = fsm.resume(message);
  return action ? std::error_code() : action.error().code;
}

TEST(Handshake, refusals_have_codes_that_tell_what_to_fetch_again) {
  Message message;
  message.set_status(Message::ERROR_UNKNOWN_KEY);
  EXPECT_EQ(refused(message), Errc::encryption_key);
  message.set_status(Message::ERROR);
  EXPECT_EQ(refused(message), Errc::datanode_refused);
  message.set_accesstokenerror(true);
  EXPECT_EQ(refused(message), Errc::access_token);
}

// A completed SASL exchange with this protection.
class Agreed final : public hrpc::sasl::Mechanism {
 public:
  explicit Agreed(hrpc::Protection protection) : protection_(protection) {}
  core::Result<std::string> step(std::string_view) override { return std::string(); }
  bool complete() const override { return true; }
  hrpc::Protection protection() const override { return protection_; }
  core::Result<std::string> wrap(std::string_view plain) override { return std::string(plain); }
  core::Result<std::string> unwrap(std::string_view wrapped) override { return std::string(wrapped); }
  std::size_t max_plaintext() const override { return 100; }

 private:
  hrpc::Protection protection_;
};

core::Result<HandshakeFsm::Action> with_cipher(hrpc::Protection protection) {
  HandshakeFsm fsm(std::make_unique<Agreed>(protection), Aes::offer);
  Message message;
  message.set_status(Message::SUCCESS);
  (void)fsm.resume(message);
  auto& option = *message.add_cipheroption();
  option.set_suite(pb::AES_CTR_NOPADDING);
  option.set_inkey(std::string(16, 'k'));
  option.set_iniv(std::string(16, 'i'));
  option.set_outkey(std::string(16, 'k'));
  option.set_outiv(std::string(16, 'i'));
  return fsm.resume(message);
}

TEST(Handshake, a_cipher_without_privacy_is_refused) {
  EXPECT_TRUE(with_cipher(hrpc::Protection::privacy));
  const auto refused = with_cipher(hrpc::Protection::integrity);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::protocol);
}

TEST(Handshake, a_datanode_that_offers_less_than_configured_is_refused) {
  for (const auto& [wanted, offered] :
       {std::pair{hrpc::Protection::privacy, "auth,auth-int"}, std::pair{hrpc::Protection::integrity, "auth"}}) {
    HandshakeFsm fsm(hrpc::sasl::make_digest_md5(
                         {.credentials = {"u", "p"}, .digest_uri = "hdfs/0", .protections = {wanted}, .authzid = "u"}),
                     Aes::offer);
    Message message;
    message.set_status(Message::SUCCESS);
    message.set_payload(std::string(R"(realm="0",nonce="n",qop=")") + offered +
                        R"(",charset=utf-8,algorithm=md5-sess)");
    const auto action = fsm.resume(message);
    ASSERT_FALSE(action);
    EXPECT_EQ(action.error().code, hrpc::Errc::security_refused) << action.error().message;
  }
}

TEST(AesLayer, keys_of_another_length_are_refused) {
  EXPECT_FALSE(make_aes_layer({"short", std::string(16, 'i')}, {std::string(16, 'k'), std::string(16, 'i')}));
  EXPECT_FALSE(make_aes_layer({std::string(16, 'k'), "short"}, {std::string(16, 'k'), std::string(16, 'i')}));
}

TEST(AesLayer, sealed_bytes_can_be_opened_in_pieces_of_any_size) {
  const AesKey there{std::string(16, 'k'), std::string(16, 'i')};
  const AesKey back{std::string(32, 'q'), std::string(16, 'j')};
  auto ours = make_aes_layer(there, back);
  auto theirs = make_aes_layer(back, there);
  const std::string text = testing::recorded_content(1000);
  const std::string_view pieces[] = {std::string_view(text).substr(0, 333), std::string_view(text).substr(333)};
  const auto sealed = (*ours)->seal(pieces);
  EXPECT_NE(*sealed, text);
  std::string opened;
  for (std::size_t at = 0; at < sealed->size(); at += 7)
    opened += *(*theirs)->open(std::span(*sealed).subspan(at, std::min<std::size_t>(7, sealed->size() - at)));
  EXPECT_EQ(opened, text);
}

}  // namespace
}  // namespace ydl::hdfs
