#include "tenon/compiler/partition/sharding.h"

#include "gtest/gtest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "tenon/compiler/partition/box.h"
#include "tenon/compiler/partition/op_sharding.h"

namespace tenon::compiler::partition {
namespace {

class ShardingTest : public testing::Test {
 protected:
  ShardingTest() { context_.loadDialect<sdy::SdyDialect>(); }

  // Meshes, each `@name = <["x"=2]>`.
  MeshTable Meshes(const std::vector<std::string>& meshes) {
    std::string text;
    for (const std::string& mesh : meshes) text += "sdy.mesh " + mesh + "\n";
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    EXPECT_TRUE(module_);
    auto table = MeshTable::Read(*module_);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return *table;
  }

  StatusOr<Sharding> TryRead(const std::string& text, int64_t rank, MeshTable& meshes) {
    auto attribute = llvm::cast<sdy::TensorShardingAttr>(
        mlir::parseAttribute("#sdy.sharding<" + text + ">", &context_));
    return ReadSharding(attribute, rank, meshes);
  }

  Sharding Read(const std::string& text, int64_t rank, MeshTable& meshes) {
    auto sharding = TryRead(text, rank, meshes);
    EXPECT_TRUE(sharding.ok()) << sharding.status().ToString();
    return *sharding;
  }

  std::string Error(const std::string& text, int64_t rank, MeshTable& meshes) {
    return TryRead(text, rank, meshes).status().ToString();
  }

  // The bytes of the OpSharding, as hexadecimal digits.
  std::string Encode(const std::string& text, int64_t rank, MeshTable& meshes) {
    Sharding sharding = Read(text, rank, meshes);
    return llvm::toHex(EncodeOpSharding(sharding, meshes[sharding.mesh]), true);
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(ShardingTest, ReadsAndWrites) {
  MeshTable meshes = Meshes({"@mesh = <[\"x\"=4, \"one\"=1, \"y\"=2]>"});
  const std::string text =
      "<@mesh, [{\"x\":(2)2, ?}p1, {}], replicated={\"y\"}, unreduced=max{\"x\":(1)2}>";
  Sharding sharding = Read(text.substr(1, text.size() - 2), 2, meshes);
  EXPECT_EQ(sharding.dims[0].axes, (Axes{{0, 2, 2}}));
  EXPECT_TRUE(sharding.dims[0].open);
  EXPECT_EQ(sharding.dims[0].priority, 1);
  EXPECT_FALSE(sharding.dims[1].open);
  EXPECT_EQ(sharding.replicated, (Axes{{1, 1, 2}}));
  EXPECT_EQ(sharding.reduction, sdy::ReductionOp::MAX);
  std::string written;
  llvm::raw_string_ostream(written) << WriteSharding(sharding, meshes, &context_);
  EXPECT_EQ(written, "#sdy.sharding" + text);
  EXPECT_EQ("<@mesh, " + ToString(sharding, meshes[0]) + ">", text);
  // Axes of size 1 split nothing.
  EXPECT_EQ(Read("@mesh, [{\"one\", \"y\"}]", 1, meshes).dims[0].axes, (Axes{{1, 1, 2}}));
}

TEST_F(ShardingTest, RejectsWhatTheMeshDoesNotHave) {
  MeshTable meshes = Meshes({"@mesh = <[\"x\"=4]>"});
  EXPECT_EQ(
      Error("@other, [{}]", 1, meshes),
      "INVALID_ARGUMENT: a sharding refers to mesh @other, which the program does not "
      "define");
  EXPECT_EQ(Error("@mesh, [{\"z\"}]", 1, meshes),
            "INVALID_ARGUMENT: a sharding uses axis \"z\", which its mesh does not have");
  EXPECT_EQ(Error("@mesh, [{\"x\"}, {\"x\":(2)2}]", 2, meshes),
            "INVALID_ARGUMENT: a sharding uses axis \"x\" twice");
  EXPECT_EQ(Error("@mesh, [{\"x\":(1)3}]", 1, meshes),
            "INVALID_ARGUMENT: sub-axis \"x\":(1)3 does not divide an axis of size 4");
  EXPECT_EQ(Error("@mesh, [{\"x\"}]", 2, meshes),
            "INVALID_ARGUMENT: a sharding has 1 dimensions, but its tensor has 2");
  EXPECT_FALSE(TryRead("mesh<[\"x\"=65536, \"y\"=65536]>, [{}]", 1, meshes).ok());
}

TEST_F(ShardingTest, MeshesWithoutAxes) {
  MeshTable meshes = Meshes({"@empty = <[]>", "@one = <[], device_ids=[3]>"});
  Sharding empty = Read("@empty, [{}]", 1, meshes), one = Read("@one, []", 1, meshes);
  EXPECT_TRUE(empty.IsReplicated());
  EXPECT_FALSE(one.IsReplicated());
  EXPECT_EQ(one.maximal, 3);
  EXPECT_EQ(BoxOf(empty, meshes[0], {5}, 7).size[0], 5);
  EXPECT_EQ(BoxOf(one, meshes[1], {5}, 3).size[0], 5);
  EXPECT_TRUE(BoxOf(one, meshes[1], {5}, 2).empty);
}

TEST_F(ShardingTest, BoxesAreTheShardsOfADevice) {
  MeshTable meshes = Meshes({"@mesh = <[\"x\"=4, \"y\"=2]>"});
  Sharding sharding = Read("@mesh, [{\"y\", \"x\":(1)2}, {\"x\":(2)2}]", 2, meshes);
  EXPECT_TRUE(IsDivisible(sharding, {8, 6}));
  EXPECT_EQ(LocalShape(sharding, {8, 6}), (llvm::SmallVector<int64_t, 4>{2, 3}));
  // Device 5 has x = 2, which is 1 and 0 of its halves, and y = 1.
  EXPECT_EQ(BoxOf(sharding, meshes[0], {8, 6}, 5), (Box{{6, 0}, {2, 3}}));
  EXPECT_TRUE(BoxOf(sharding, meshes[0], {8, 6}, 8).empty);
  // 5 elements in 4 shards of 2, 2, 1 and none.
  EXPECT_FALSE(IsDivisible(sharding, {5, 6}));
  EXPECT_EQ(BoxOf(sharding, meshes[0], {5, 6}, 1).start[0], 4);
  EXPECT_EQ(BoxOf(sharding, meshes[0], {5, 6}, 1).size[0], 1);
  EXPECT_TRUE(BoxOf(sharding, meshes[0], {5, 6}, 5).empty);
}

TEST_F(ShardingTest, BoxesFollowTheOrderOfDevices) {
  MeshTable meshes = Meshes({"@mesh = <[\"x\"=4], device_ids=[3, 1, 2, 0]>"});
  Sharding sharding = Read("@mesh, [{\"x\"}]", 1, meshes);
  EXPECT_EQ(BoxOf(sharding, meshes[0], {8}, 3).start[0], 0);
  EXPECT_EQ(BoxOf(sharding, meshes[0], {8}, 0).start[0], 6);
}

TEST_F(ShardingTest, CommonMeshSplitsAxes) {
  MeshTable meshes = Meshes({"@a = <[\"x\"=8]>", "@b = <[\"x\"=4, \"y\"=2]>",
                             "@c = <[\"p\"=2, \"q\"=4]>", "@d = <[]>"});
  auto common = FindCommonMesh(meshes);
  ASSERT_TRUE(common.ok()) << common.status().ToString();
  EXPECT_EQ(common->mesh.names, (std::vector<std::string>{"p", "axis_2", "y"}));
  EXPECT_EQ(common->mesh.sizes, (llvm::SmallVector<int32_t, 4>{2, 2, 2}));
  for (const char* text : {"@a, [{\"x\"}]", "@a, [{\"x\":(2)2}]", "@a, [{\"x\":(2)4}]",
                           "@b, [{\"y\", \"x\"}]", "@b, [{\"x\":(2)2, \"y\"}]",
                           "@c, [{\"q\":(2)2}], replicated={\"p\"}", "@d, [{}]"}) {
    Sharding sharding = Read(text, 1, meshes);
    Sharding translated = Translate(sharding, *common);
    for (int64_t device = 0; device < 8; ++device) {
      EXPECT_EQ(BoxOf(sharding, meshes[sharding.mesh], {16}, device),
                BoxOf(translated, common->mesh, {16}, device))
          << text << " on " << device;
    }
  }
}

TEST_F(ShardingTest, MeshesWithoutCommonPartsAreRefused) {
  EXPECT_FALSE(
      FindCommonMesh(Meshes({"@a = <[\"x\"=2, \"y\"=3]>", "@b = <[\"x\"=3, \"y\"=2]>"}))
          .ok());
  EXPECT_FALSE(FindCommonMesh(Meshes({"@a = <[\"x\"=2]>", "@b = <[\"x\"=4]>"})).ok());
  auto none = FindCommonMesh(Meshes({"@a = <[]>"}));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->mesh.num_devices(), 1);
}

TEST_F(ShardingTest, EncodesOpShardings) {
  MeshTable meshes =
      Meshes({"@mesh = <[\"x\"=4, \"y\"=2]>", "@swap = <[\"x\"=2, \"y\"=4]>",
              "@cube = <[\"a\"=2, \"b\"=2, \"c\"=2]>", "@one = <[], device_ids=[3]>"});
  EXPECT_EQ(Encode("@mesh, [{}, {?}]", 2, meshes), "");
  EXPECT_EQ(Encode("@mesh, [{\"x\"}, {\"y\"}]", 2, meshes), "08031a0204024a0108520100");
  EXPECT_EQ(Encode("@swap, [{\"x\"}, {}]", 2, meshes), "08031a0302010430014a0108520100");
  EXPECT_EQ(Encode("@swap, [{\"y\"}, {}]", 2, meshes),
            "08031a0304010230014a02020452020100");
  EXPECT_EQ(Encode("@swap, [{\"y\":(1)2}]", 1, meshes),
            "08031a02020430014a0302020252030100"
            "02");
  EXPECT_EQ(Encode("@cube, [{\"c\"}], unreduced={\"b\"}", 1, meshes),
            "08031a03020202"
            "420206004a030202025203020100");
  EXPECT_EQ(Encode("@cube, [{}], unreduced={\"a\", \"b\", \"c\"}", 1, meshes), "0806");
  EXPECT_EQ(Encode("@one, []", 2, meshes), "0801220103");
}

}  // namespace
}  // namespace tenon::compiler::partition
