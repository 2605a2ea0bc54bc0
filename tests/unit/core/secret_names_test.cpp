#include "core/secret_names.hpp"

#include <gtest/gtest.h>

namespace ydl::core {
namespace {

TEST(SecretNames, are_recognised_by_parts_of_the_name) {
  for (const auto* name :
       {"PASSWORD", "DB_PASSWORD", "MYSQL_PWD", "AWS_SECRET_ACCESS_KEY", "WANDB_API_KEY", "HF_TOKEN", "hf_token",
        "GITHUB_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "SSH_KEY", "dbpassword", "AUTHTOKEN", "KEYSTORE_PASSWORD",
        "PGPASSWORD", "OPENAI_APIKEY", "my-secret", "spark.ssl.password", "KEY", "PRIVATE_CERT"})
    EXPECT_TRUE(looks_secret(name)) << name;
}

TEST(SecretNames, do_not_include_ordinary_names) {
  for (const auto* name :
       {"PATH", "HOME", "PWD", "OLDPWD", "TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD", "MAX_TOKENS",
        "OMP_NUM_THREADS", "PASSAGE", "YDL_TASKS_JSON", "MASTER_ADDR", "COMPASS", "", "_"})
    EXPECT_FALSE(looks_secret(name)) << name;
}

TEST(SecretNames, values_are_hidden_if_the_name_is_secret_or_the_value_is_a_url_with_a_password) {
  EXPECT_EQ(shown_value("HF_TOKEN", "hunter2"), "…");
  EXPECT_EQ(shown_value("HF_TOKEN", ""), "");
  EXPECT_EQ(shown_value("EPOCHS", "10"), "10");
  EXPECT_EQ(shown_value("DATABASE_URL", "postgres://ann:hunter2@db/x"), "…");
  EXPECT_EQ(shown_value("MLFLOW_URI", "http://ann@host:5000/a:b@c"), "http://ann@host:5000/a:b@c");
  EXPECT_EQ(shown_value("MASTER", "tcp://10.0.0.1:40001"), "tcp://10.0.0.1:40001");
}

}  // namespace
}  // namespace ydl::core
