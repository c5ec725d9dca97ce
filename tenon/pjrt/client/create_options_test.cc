// Tests create options, and topologies created from them.
#include "tenon/pjrt/client/create_options.h"

#include <gtest/gtest.h>

#include "tenon/pjrt/client/local_client.h"
#include "tenon/pjrt/client/testing.h"

namespace tenon::pjrt {
namespace {

TEST(CreateOptionsTest, UnknownAndBadOptionsAreNamed) {
  const auto error = [](NamedValueMap values) {
    return std::string(ParseCreateOptions(values).status().message());
  };
  EXPECT_NE(error({{"devices", int64_t{1}}})
                .find("'devices' does not exist; the options are: platform_name"),
            std::string::npos);
  EXPECT_NE(error({{"device_count", int64_t{0}}}).find("from 1"), std::string::npos);
  EXPECT_NE(error({{"threads", std::string("many")}}).find("'threads'"),
            std::string::npos);
  EXPECT_NE(error({{"node_id", int64_t{1}}}).find("less than 'num_nodes'"),
            std::string::npos);
  EXPECT_NE(error({{"affinity", std::string("3-1")}}).find("such as 0-3,8"),
            std::string::npos);
  EXPECT_NE(error({{"affinity", true}}).find("'affinity'"), std::string::npos);
  EXPECT_NE(error({{"optimization_level", int64_t{4}}}).find("from 0 to 3"),
            std::string::npos);
  EXPECT_NE(error({{"huge_pages", std::string("yes")}}).find("'huge_pages'"),
            std::string::npos);
  StatusOr<CreateOptions> good = ParseCreateOptions(
      {{"threads", std::string("3")}, {"perf_map", std::string("true")}});
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->threads, 3);
  EXPECT_TRUE(good->perf_map);
  EXPECT_EQ(ParseCreateOptions({{"affinity", std::string("2,0-1")}})->affinity,
            (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(ParseCreateOptions({{"affinity", int64_t{1}}})->affinity,
            std::vector<int>{1});
  EXPECT_TRUE(ParseCreateOptions({{"affinity", std::string()}})->affinity.empty());
  // Python passes flags as booleans, and platforms have them as integers.
  EXPECT_EQ(ParseCreateOptions({{"threads", true}})->threads, 1);
}

TEST(CreateOptionsTest, EnvironmentVariablesSetMissingOptions) {
  std::map<std::string, std::string> environment = {{"TENON_THREADS", "3"},
                                                    {"TENON_PLATFORM_NAME", "cpu"},
                                                    {"TENON_FEATURES", ""},
                                                    {"TENON_NODE_ID", "7"},
                                                    {"TENON_PLUGIN", "/a/path"}};
  const auto lookup = [&](const char* name) -> const char* {
    auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  };
  StatusOr<NamedValueMap> values = WithEnvironment({{"threads", int64_t{2}}}, lookup);
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_EQ(*values, (NamedValueMap{{"threads", int64_t{2}},
                                    {"platform_name", std::string("cpu")}}));
  EXPECT_EQ(ParseCreateOptions(*WithEnvironment({}, lookup))->threads, 3);
  environment["TENON_THREADS"] = "many";
  EXPECT_EQ(
      WithEnvironment({}, lookup).status().message(),
      "environment variable TENON_THREADS: create option 'threads' is 'many', which "
      "is not an integer");
  EXPECT_TRUE(WithEnvironment({{"threads", int64_t{2}}}, lookup).ok());
}

TEST(CreateOptionsTest, OptionsAreCheckedAgainstTheMachine) {
  const auto error = [](NamedValueMap values) {
    return CreateLocalClient(TestPlatform(), {values, nullptr}).status();
  };
  const Status affinity = error({{"affinity", std::string("1023")}});
  EXPECT_EQ(affinity.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(affinity.message().find("processor 1023, but this process may only run on"),
            std::string_view::npos);
  EXPECT_NE(
      error({{"dump_to", std::string("/proc/nowhere")}}).message().find("'dump_to'"),
      std::string_view::npos);
  EXPECT_TRUE(error({{"affinity", std::string("")}}).ok());
}

TEST(LocalTopologyTest, RoundTripsThroughBytes) {
  auto topology = CreateLocalTopology(
      TestPlatform(), "",
      {{"device_count", int64_t{2}}, {"platform_name", std::string("cpu")}});
  ASSERT_TRUE(topology.ok());
  auto again = DeserializeLocalTopology(TestPlatform(), *(*topology)->Serialize());
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ((*again)->platform_name(), "cpu");
  EXPECT_EQ((*again)->devices().size(), 2u);
  EXPECT_EQ(*(*again)->Fingerprint(), *(*topology)->Fingerprint());
  // Another optimization level has another fingerprint.
  auto other = CreateLocalTopology(
      TestPlatform(), "",
      {{"optimization_level", int64_t{1}}, {"platform_name", std::string("cpu")}});
  EXPECT_NE(*(*other)->Fingerprint(), *(*topology)->Fingerprint());
  auto other_again = DeserializeLocalTopology(TestPlatform(), *(*other)->Serialize());
  EXPECT_EQ(*(*other_again)->Fingerprint(), *(*other)->Fingerprint());
  EXPECT_FALSE(DeserializeLocalTopology(TestPlatform(), "junk").ok());
}

}  // namespace
}  // namespace tenon::pjrt
