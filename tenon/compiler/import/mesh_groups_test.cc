#include "tenon/compiler/import/mesh_groups.h"

#include <string>

#include "gtest/gtest.h"
#include "llvm/Support/raw_ostream.h"
#include "tenon/compiler/import/import.h"

namespace tenon::compiler {
namespace {

// The groups of an all_reduce, as text, or the error.
std::string Groups(const std::string& axes, const std::string& mesh = "@mesh") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = ImportProgram(context, R"(
    module {
      sdy.mesh @mesh = <["a"=2, "b"=4]>
      sdy.mesh @reversed = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %r = "stablehlo.all_reduce"(%x) <{
            channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
            replica_groups = #stablehlo.replica_group_mesh_axes<
                mesh = )" + mesh + ", axes = [" +
                                           axes + R"(]>,
            use_global_device_ids}> ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
            %s = stablehlo.add %a, %b : tensor<f32>
            stablehlo.return %s : tensor<f32>
        }) : (tensor<4xf32>) -> tensor<4xf32>
        return %r : tensor<4xf32>
      }
    })");
  if (!module.ok()) return module.status().ToString();
  std::string text;
  (*module)->walk([&](mlir::Operation* op) {
    if (mlir::Attribute groups = op->getAttr("replica_groups")) {
      llvm::raw_string_ostream(text) << groups;
    }
  });
  return text;
}

std::string Axis(const std::string& name, const std::string& sub_axis = "") {
  return "#stablehlo.axis_ref<name = \"" + name + "\"" +
         (sub_axis.empty() ? "" : ", sub_axis_info = " + sub_axis) + ">";
}

TEST(MeshGroupsTest, GroupsDifferAlongTheirAxes) {
  EXPECT_EQ(Groups(Axis("a")),
            "dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>");
  EXPECT_EQ(Groups(Axis("b")), "dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>");
  EXPECT_EQ(Groups(Axis("a") + ", " + Axis("b")),
            "dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>");
}

TEST(MeshGroupsTest, TheFirstAxisIsTheMajorOne) {
  EXPECT_EQ(Groups(Axis("b") + ", " + Axis("a")),
            "dense<[[0, 4, 1, 5, 2, 6, 3, 7]]> : tensor<1x8xi64>");
}

TEST(MeshGroupsTest, PartsOfAxes) {
  EXPECT_EQ(Groups(Axis("b", "(1)2")),
            "dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>");
  EXPECT_EQ(Groups(Axis("b", "(2)2")),
            "dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>");
  EXPECT_EQ(Groups(Axis("b", "(2)2") + ", " + Axis("a")),
            "dense<[[0, 4, 1, 5], [2, 6, 3, 7]]> : tensor<2x4xi64>");
}

TEST(MeshGroupsTest, DeviceNumbersOfTheMesh) {
  EXPECT_EQ(Groups(Axis("b"), "@reversed"), "dense<[[3, 2], [1, 0]]> : tensor<2x2xi64>");
  EXPECT_EQ(Groups(Axis("x"), "#stablehlo.mesh<axes=[<name = \"x\", size = 3>]>"),
            "dense<[[0, 1, 2]]> : tensor<1x3xi64>");
}

TEST(MeshGroupsTest, WhatTheMeshDoesNotHaveIsLeft) {
  for (const std::string& groups :
       {Groups(Axis("c")), Groups(Axis("a"), "@other"), Groups(Axis("b", "(3)2")),
        Groups(Axis("b") + ", " + Axis("b", "(1)2")),
        Groups(Axis("x"), "#stablehlo.mesh<axes=[<name = \"x\", size = 4000000000>]>")}) {
    EXPECT_EQ(groups.substr(0, 34), "#stablehlo.replica_group_mesh_axes");
  }
}

}  // namespace
}  // namespace tenon::compiler
