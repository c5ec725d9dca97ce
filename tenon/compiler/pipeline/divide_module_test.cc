#include "tenon/compiler/pipeline/divide_module.h"

#include <gtest/gtest.h>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

namespace tenon::compiler {
namespace {

// Two large functions, a small one that only the first calls, one that both call, and
// one whose address is stored. Each large one has a constant.
constexpr llvm::StringLiteral kModule = R"(
  @first = private constant i32 1
  @second = private constant i32 2
  @table = private constant ptr @pointed

  define void @kernel() {
    call void @kernel.phase0()
    call void @large()
    %f = load ptr, ptr @table
    call void %f()
    ret void
  }
  define internal void @kernel.phase0() {
    call void @near(i32 1)
    call fastcc void @far(i32 2)
    %x = load i32, ptr @first
    %1 = add i32 %x, 1
    %2 = add i32 %1, 1
    %3 = add i32 %2, 1
    ret void
  }
  define internal void @large() {
    call fastcc void @far(i32 3)
    %x = load i32, ptr @second
    %1 = add i32 %x, 1
    %2 = add i32 %1, 1
    %3 = add i32 %2, 1
    %4 = add i32 %3, 1
    ret void
  }
  define internal void @near(i32 %x) {
    ret void
  }
  define internal fastcc void @far(i32 %x) {
    ret void
  }
  define internal void @pointed() {
    ret void
  })";

class DivideModuleTest : public ::testing::Test {
 protected:
  std::unique_ptr<llvm::Module> Part(size_t part, size_t parts) {
    llvm::SMDiagnostic error;
    std::unique_ptr<llvm::Module> module =
        llvm::parseAssemblyString(kModule, error, context_);
    if (!module) {
      ADD_FAILURE() << error.getMessage().str();
      return nullptr;
    }
    KeepPart(*module, "kernel", part, parts);
    EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
    return module;
  }
  static std::vector<std::string> Bodies(const llvm::Module& module) {
    std::vector<std::string> names;
    for (const llvm::Function& function : module)
      if (!function.isDeclaration()) names.push_back(function.getName().str());
    return names;
  }

  llvm::LLVMContext context_;
};

TEST_F(DivideModuleTest, EachFunctionIsInOnePart) {
  for (size_t parts : {1, 2, 3, 6, 9}) {
    std::multiset<std::string> names;
    for (size_t part = 0; part < parts; ++part) {
      for (std::string& name : Bodies(*Part(part, parts))) {
        // Names of functions that stay local may lack the prefix.
        llvm::StringRef last = name;
        names.insert(last.contains('.') ? last.rsplit('.').second.str() : name);
      }
    }
    EXPECT_EQ(names, (std::multiset<std::string>{"far", "kernel", "large", "near",
                                                 "phase0", "pointed"}))
        << parts;
  }
}

TEST_F(DivideModuleTest, FunctionsOfOtherPartsAreVisible) {
  for (size_t part : {0, 1}) {
    const auto module = Part(part, 2);
    for (const llvm::Function& function : *module) {
      if (!function.isDeclaration() || function.use_empty()) continue;
      EXPECT_TRUE(function.hasExternalLinkage());
      EXPECT_TRUE(function.getName().starts_with("kernel.")) << function.getName().str();
    }
  }
  // Calls keep the convention.
  const auto module = Part(0, 2);
  const llvm::Function* far = module->getFunction("kernel.far");
  ASSERT_TRUE(far);
  EXPECT_EQ(far->getCallingConv(), llvm::CallingConv::Fast);
}

TEST_F(DivideModuleTest, ConstantsFollowTheirUses) {
  for (size_t part : {0, 1}) {
    const auto module = Part(part, 2);
    const bool has_large = llvm::is_contained(Bodies(*module), "large") ||
                           llvm::is_contained(Bodies(*module), "kernel.large");
    EXPECT_EQ(module->getNamedGlobal("second") != nullptr, has_large);
    EXPECT_EQ(module->getNamedGlobal("first") != nullptr, !has_large);
  }
}

// Two parts see the same names, so that they can be linked.
TEST_F(DivideModuleTest, PartsAgree) {
  for (size_t parts : {2, 3}) {
    std::set<std::string> defined, used;
    for (size_t part = 0; part < parts; ++part) {
      const auto module = Part(part, parts);
      for (const llvm::Function& function : *module) {
        if (!function.isDeclaration() && !function.hasLocalLinkage())
          EXPECT_TRUE(defined.insert(function.getName().str()).second);
        if (function.isDeclaration() && !function.use_empty())
          used.insert(function.getName().str());
      }
    }
    for (const std::string& name : used) EXPECT_TRUE(defined.contains(name)) << name;
  }
}

}  // namespace
}  // namespace tenon::compiler
