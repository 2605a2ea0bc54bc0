#include "master/master_ticket.hpp"

#include <gtest/gtest.h>

namespace ydl::master {
namespace {

TEST(MasterTicket, comes_back_as_it_was) {
  const MasterTicket ticket{"/user/ann/.ydl/jobs/x-0001",
                            "ann",
                            {{"fs.defaultFS", "hdfs://ns"}, {"a", "\"b\" c"}},
                            "0123",
                            {"-----BEGIN CERTIFICATE-----\n", "-----BEGIN PRIVATE KEY-----\n"}};
  const auto back = decode_ticket(encode_ticket(ticket));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->folder, ticket.folder);
  EXPECT_EQ(back->user, ticket.user);
  EXPECT_EQ(back->hadoop, ticket.hadoop);
  EXPECT_EQ(back->job_key, ticket.job_key);
  EXPECT_EQ(back->identity, ticket.identity);
}

TEST(MasterTicket, that_is_damaged_is_an_error) {
  for (
      const auto* text :
      {"", "{}", R"({"version":2,"folder":"/x"})", R"({"version":2,"folder":"/x","user":"ann"})",
       R"({"version":2,"folder":1})", R"({"version":2,"folder":"/x","user":"ann","hadoop":{"a":1}})",
       R"({"version":2,"folder":"/x","user":"ann","hadoop":{},"job_key":"k","identity":{"certificate":"c"}})",
       R"({"version":1,"folder":"/x","user":"ann","hadoop":{},"job_key":"k","identity":{"certificate":"c","key":"k"}})"})
    EXPECT_FALSE(decode_ticket(text)) << text;
}

}  // namespace
}  // namespace ydl::master
