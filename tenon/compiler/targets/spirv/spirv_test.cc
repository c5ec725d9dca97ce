#include "tenon/compiler/targets/spirv/spirv.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <thread>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

namespace tenon::compiler {
namespace {

constexpr char kDeclarations[] = R"(
declare i64 @_Z12get_group_idj(i32)
declare void @_Z7barrierj(i32)
declare i32 @_Z22get_sub_group_local_idv()
)";

StatusOr<SpirvModule> Compile(const std::string& text, const SpirvOptions& options = {}) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(kDeclarations + text, diagnostic, context);
  if (!module) return InvalidArgument(diagnostic.getMessage().str());
  return CompileToSpirv(*module, options);
}

// Stores a value to the argument, after the lines of `body`.
std::string Kernel(const std::string& body, const std::string& type) {
  return "define void @k(ptr addrspace(1) %out) {\n" + body + "  store " + type +
         " %x, ptr addrspace(1) %out\n  ret void\n}\n";
}

constexpr char kGroup[] = "  %g = call i64 @_Z12get_group_idj(i32 0)\n";

TEST(SpirvTest, WritesTheWordsOfVersionOneTwo) {
  auto module = Compile(Kernel(kGroup + std::string("  %x = add i64 %g, 1\n"), "i64"));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  ASSERT_GE(module->binary.size(), 20u);
  EXPECT_EQ(module->binary.size() % 4, 0u);
  uint32_t words[2];
  std::memcpy(words, module->binary.data(), sizeof words);
  EXPECT_EQ(words[0], 0x07230203u);
  EXPECT_EQ(words[1], 0x00010200u);
  EXPECT_FALSE(module->needs_f16 || module->needs_f64 || module->needs_generic_pointers ||
               module->needs_subgroups || module->needs_int64_atomics);
}

TEST(SpirvTest, TellsWhatADeviceNeeds) {
  auto f64 =
      Compile(Kernel(std::string(kGroup) + "  %x = sitofp i64 %g to double\n", "double"));
  ASSERT_TRUE(f64.ok()) << f64.status().ToString();
  EXPECT_TRUE(f64->needs_f64);
  EXPECT_FALSE(f64->needs_f16);
  auto f16 =
      Compile(Kernel(std::string(kGroup) + "  %x = sitofp i64 %g to half\n", "half"));
  ASSERT_TRUE(f16.ok()) << f16.status().ToString();
  EXPECT_TRUE(f16->needs_f16);
  EXPECT_FALSE(f16->needs_f64);
  auto subgroups =
      Compile(Kernel("  %x = call i32 @_Z22get_sub_group_local_idv()\n", "i32"));
  ASSERT_TRUE(subgroups.ok()) << subgroups.status().ToString();
  EXPECT_TRUE(subgroups->needs_subgroups);
  auto atomic = Compile(
      Kernel("  %x = atomicrmw add ptr addrspace(1) %out, i64 1 monotonic\n", "i64"));
  ASSERT_TRUE(atomic.ok()) << atomic.status().ToString();
  EXPECT_TRUE(atomic->needs_int64_atomics);
  auto generic = Compile(Kernel(std::string(kGroup) + R"(  %m = alloca [64 x i32]
  %i = getelementptr i32, ptr %m, i64 %g
  store i32 1, ptr %i
  %o = addrspacecast ptr addrspace(1) %out to ptr
  %c = icmp slt i64 %g, 64
  %p = select i1 %c, ptr %m, ptr %o
  %x = load i32, ptr %p
)",
                                "i32"));
  ASSERT_TRUE(generic.ok()) << generic.status().ToString();
  EXPECT_TRUE(generic->needs_generic_pointers);
}

TEST(SpirvTest, UnsupportedCodeIsAnErrorThatNamesIt) {
  auto module = Compile("declare double @llvm.exp.f64(double)\n" +
                        Kernel(std::string(kGroup) + R"(  %f = sitofp i64 %g to double
  %x = call double @llvm.exp.f64(double %f)
)",
                               "double"));
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(module.status().message().find("kernel k"), std::string::npos);
  EXPECT_NE(module.status().message().find("llvm.exp.f64"), std::string::npos);
}

// LLVM's back end keeps tables of types and builtins.
TEST(SpirvTest, ThreadsCompileTheSameBytes) {
  const std::string text = Kernel(std::string(kGroup) + R"(  %m = alloca [32 x double]
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]
  %p = getelementptr double, ptr %m, i64 %i
  %f = sitofp i64 %i to double
  store double %f, ptr %p
  %n = add i64 %i, 1
  %c = icmp slt i64 %n, 32
  br i1 %c, label %loop, label %done
done:
  call void @_Z7barrierj(i32 3)
  %q = getelementptr double, ptr %m, i64 %g
  %x = load double, ptr %q
)",
                                  "double");
  auto expected = Compile(text);
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        auto module = Compile(text);
        ASSERT_TRUE(module.ok()) << module.status().ToString();
        EXPECT_EQ(module->binary, expected->binary);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// A kernel with `count` branches.
std::string Branches(int count) {
  std::string text = "define void @k(ptr addrspace(1) %out, i64 %n) {\n  br label %b0\n";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "b" + n + ":\n  %c" + n + " = icmp eq i64 %n, " + n + "\n  br i1 %c" + n +
            ", label %t" + n + ", label %b" + std::to_string(i + 1) + "\nt" + n +
            ":\n  store volatile i64 " + n + ", ptr addrspace(1) %out\n  br label %b" +
            std::to_string(i + 1) + "\n";
  }
  return text + "b" + std::to_string(count) + ":\n  ret void\n}\n";
}

// LLVM's back end keeps ids of blocks of earlier modules (block_numbers.h).
TEST(SpirvTest, AModuleDoesNotDependOnThoseBefore) {
  std::map<int, std::string> first;
  for (int i = 0; i < 60; ++i) {
    const int branches = 1 + (i * 7) % 9;
    auto module = Compile(Branches(branches));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    auto [found, is_new] = first.try_emplace(branches, module->binary);
    EXPECT_EQ(found->second, module->binary) << i;
  }
}

}  // namespace
}  // namespace tenon::compiler
