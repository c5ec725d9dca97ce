// Links objects from LLVM: linked code runs, and errors name what cannot be linked.
#include "tenon/compiler/targets/link/link.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "tenon/compiler/targets/target.h"
#include "tenon/executable/loader.h"
#include "tenon/executable/testing.h"
#include "tenon/format/layout.h"

namespace tenon::codegen {
namespace {

// Compiles LLVM IR to an object for an architecture, as the pipeline does.
std::string MakeObject(const std::string& architecture, const std::string& ir) {
  auto target = compiler::DescribeTarget(architecture,
                                         architecture == "host" ? "host" : "generic", "");
  EXPECT_TRUE(target.ok()) << target.status().ToString();
  auto machine = compiler::CreateTargetMachine(*target);
  EXPECT_TRUE(machine.ok()) << machine.status().ToString();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(ir, diagnostic, context);
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str();
    return "";
  }
  module->setTargetTriple(llvm::Triple(target->triple));
  module->setDataLayout((*machine)->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                               llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return std::string(bytes.begin(), bytes.end());
}

StatusOr<CodeObject> Link(const std::vector<std::string>& objects) {
  std::vector<LinkedObject> linked;
  for (const std::string& object : objects) linked.push_back({object});
  return LinkObjects(linked, "main");
}

// Runs the entry point on two i64 arrays of 4: argument and result.
StatusOr<std::vector<int64_t>> RunOnce(const CodeObject& code) {
  Image image;
  image.info.name = "test";
  image.code_objects = {code};
  auto loaded = LoadImage(std::move(image), testing::TestMachine());
  if (!loaded.ok()) return loaded.status();
  alignas(64) int64_t argument[4] = {1, 2, 3, 4};
  alignas(64) int64_t result[4] = {0, 0, 0, 0};
  RunBuffer arguments[] = {{argument, nullptr}}, results[] = {{result, nullptr}};
  RunContext context{};
  context.struct_size = sizeof(context);
  int32_t status = (*loaded)->entry()(&context, arguments, results, nullptr);
  EXPECT_EQ(status, 0);
  return std::vector<int64_t>(result, result + 4);
}

// Copies the argument through memcpy, then adds a read-only table by @add, which another
// object defines.
constexpr char kMain[] = R"(
declare void @memcpy(ptr, ptr, i64)
declare hidden i64 @add(i64, i64)
@table = internal constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
define hidden i32 @main(ptr %context, ptr %arguments, ptr %results, ptr %arena) {
entry:
  %from = load ptr, ptr %arguments
  %to = load ptr, ptr %results
  call void @memcpy(ptr %to, ptr %from, i64 32)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %slot = getelementptr i64, ptr %to, i64 %i
  %entry_of_table = getelementptr [4 x i64], ptr @table, i64 0, i64 %i
  %a = load i64, ptr %slot
  %b = load i64, ptr %entry_of_table
  %sum = call i64 @add(i64 %a, i64 %b)
  store i64 %sum, ptr %slot
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %loop, label %done
done:
  ret i32 0
})";
constexpr char kAdd[] = R"(
define hidden i64 @add(i64 %a, i64 %b) {
  %sum = add i64 %a, %b
  ret i64 %sum
})";

TEST(LinkTest, CodeOfSeveralObjectsRuns) {
  auto code = Link({MakeObject("host", kMain), MakeObject("host", kAdd)});
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  EXPECT_EQ(code->architecture, testing::kArchitecture);
  EXPECT_GT(code->eh_frame_size, 0u);
  auto named = [&](std::string_view name) {
    return std::any_of(code->symbols.begin(), code->symbols.end(),
                       [&](const ImageSymbol& symbol) {
                         return symbol.name == name && symbol.size > 0 &&
                                symbol.offset + symbol.size <= code->bytes.size();
                       });
  };
  EXPECT_TRUE(named("main"));
  EXPECT_TRUE(named("add"));
  auto result = RunOnce(*code);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(*result, (std::vector<int64_t>{11, 22, 33, 44}));
}

// Links one object under two names, as cached kernels are linked.
TEST(LinkTest, ObjectsAreRenamed) {
  constexpr char kTwo[] = R"(
declare hidden i64 @first(i64)
declare hidden i64 @second(i64)
define hidden i32 @main(ptr %context, ptr %arguments, ptr %results, ptr %arena) {
  %from = load ptr, ptr %arguments
  %to = load ptr, ptr %results
  %a = load i64, ptr %from
  %b = call i64 @first(i64 %a)
  %c = call i64 @second(i64 %b)
  store i64 %c, ptr %to
  ret i32 0
})";
  constexpr char kKernel[] = R"(
define internal i64 @kernel.phase0(i64 %a) noinline {
  %sum = add i64 %a, 7
  ret i64 %sum
}
define internal i64 @tile.kernel.2(i64 %a) noinline {
  %sum = call i64 @kernel.phase0(i64 %a)
  ret i64 %sum
}
define hidden i64 @kernel(i64 %a) {
  %sum = call i64 @tile.kernel.2(i64 %a)
  ret i64 %sum
})";
  const std::string program = MakeObject("host", kTwo);
  const std::string kernel = MakeObject("host", kKernel);
  const LinkedObject objects[] = {
      {program}, {kernel, "kernel", "first"}, {kernel, "kernel", "second"}};
  auto code = LinkObjects(objects, "main");
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  std::multiset<std::string> names;
  for (const ImageSymbol& symbol : code->symbols) names.insert(symbol.name);
  EXPECT_EQ(names, (std::multiset<std::string>{"first", "first.phase0", "main", "second",
                                               "second.phase0", "tile.first.2",
                                               "tile.second.2"}));
  auto result = RunOnce(*code);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ((*result)[0], 15);
}

TEST(LinkTest, TheOrderOfObjectsDoesNotMatter) {
  auto code = Link({MakeObject("host", kAdd), MakeObject("host", kMain)});
  ASSERT_TRUE(code.ok()) << code.status().ToString();
  auto result = RunOnce(*code);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(*result, (std::vector<int64_t>{11, 22, 33, 44}));
}

TEST(LinkTest, EqualInputGivesEqualBytes) {
  const std::vector<std::string> objects = {MakeObject("host", kMain),
                                            MakeObject("host", kAdd)};
  EXPECT_EQ(Link(objects)->bytes, Link(objects)->bytes);
}

// Relocations of other architectures are linked, but not run.
TEST(LinkTest, EveryArchitecture) {
  for (const char* architecture : {"x86_64", "aarch64"}) {
    auto code = Link({MakeObject(architecture, kMain), MakeObject(architecture, kAdd)});
    ASSERT_TRUE(code.ok()) << architecture << ": " << code.status().ToString();
    EXPECT_EQ(code->architecture, architecture);
    EXPECT_EQ(code->imports_offset, format::ImportsOffset(code->bytes.size()));
  }
}

TEST(LinkTest, UndefinedSymbolsAreNamed) {
  auto code = Link({MakeObject("host", kMain)});
  EXPECT_EQ(code.status().ToString(),
            "INTERNAL: the generated code calls 'add', which no runtime provides");
}

TEST(LinkTest, ThereIsAnEntry) {
  EXPECT_EQ(Link({MakeObject("host", kAdd)}).status().ToString(),
            "INTERNAL: no symbol 'main' in the generated code");
  EXPECT_EQ(Link({}).status().code(), StatusCode::kInternal);
}

TEST(LinkTest, SymbolsAreDefinedOnce) {
  std::string add = MakeObject("host", kAdd);
  EXPECT_EQ(Link({MakeObject("host", kMain), add, add}).status().ToString(),
            "INTERNAL: symbol 'add' is defined twice");
}

TEST(LinkTest, WritableDataIsRefused) {
  auto code = Link({MakeObject("host", R"(
@counter = internal global i32 1
define hidden i32 @main(ptr %c, ptr %a, ptr %r, ptr %m) {
  %value = load volatile i32, ptr @counter
  store volatile i32 0, ptr @counter
  ret i32 0
})")});
  EXPECT_EQ(code.status().code(), StatusCode::kInternal);
  EXPECT_NE(code.status().message().find("writable data"), std::string_view::npos);
}

TEST(LinkTest, AbsoluteReferencesAreRefused) {
  auto code = Link({MakeObject("host", R"(
@pointers = hidden constant [1 x ptr] [ptr @main]
define hidden i32 @main(ptr %c, ptr %a, ptr %r, ptr %m) {
  ret i32 0
})")});
  EXPECT_EQ(code.status().code(), StatusCode::kInternal);
  EXPECT_NE(code.status().message().find("not relative"), std::string_view::npos);
}

TEST(LinkTest, NonObjectsAreRefused) {
  EXPECT_EQ(Link({"text"}).status().code(), StatusCode::kInternal);
  EXPECT_EQ(Link({std::string(64, 'x')}).status().code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace tenon::codegen
