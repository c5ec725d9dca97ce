// PTX from LLVM IR: what the text must contain, what is refused, and that no intrinsic of
// the table ends the process. tests/gpu/test_ptx.py assembles PTX.
#include "tenon/compiler/targets/nvptx/ptx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "tenon/compiler/targets/nvptx/selectable.h"

namespace tenon::compiler {
namespace {

using testing::HasSubstr;
using testing::Not;

StatusOr<std::string> Compile(const std::string& ir, const PtxOptions& options = {}) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(ir, diagnostic, context);
  if (!module) return Internal(diagnostic.getMessage().str());
  return EmitPtx(*module, options);
}

std::string CompileOrDie(const std::string& ir, const PtxOptions& options = {}) {
  auto ptx = Compile(ir, options);
  EXPECT_TRUE(ptx.ok()) << ptx.status().ToString();
  return ptx.ok() ? *ptx : "";
}

// A kernel whose body works on %x and %y, pointers to global memory, cast to %a and %b.
std::string Kernel(const std::string& body, const std::string& before = "") {
  return before + R"(
define void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %a = addrspacecast ptr addrspace(1) %x to ptr
  %b = addrspacecast ptr addrspace(1) %y to ptr
)" + body +
         "  ret void\n}\n";
}

TEST(PtxTest, AKernelIsAnEntryForItsProcessor) {
  const std::string ptx = CompileOrDie(Kernel("store i32 1, ptr %a\n"));
  EXPECT_THAT(ptx, HasSubstr(".version 8.0"));
  EXPECT_THAT(ptx, HasSubstr(".target sm_80"));
  EXPECT_THAT(ptx, HasSubstr(".visible .entry k("));
  EXPECT_THAT(CompileOrDie(Kernel(""), {.processor = "sm_90a"}),
              HasSubstr(".target sm_90a"));
}

TEST(PtxTest, EveryProcessorHasAVersionOfPtxBelow9) {
  for (const PtxProcessor& processor : PtxProcessors()) {
    const std::string ptx =
        CompileOrDie(Kernel("store i32 1, ptr %a\n"), {.processor = processor.name});
    EXPECT_THAT(ptx, HasSubstr(".version 8."));
    EXPECT_THAT(ptx, HasSubstr(std::string(".target ") + processor.name));
  }
  EXPECT_EQ(Compile(Kernel(""), {.processor = "sm_75"}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(PtxTest, PointersGetTheirAddressSpaceThroughCallsAndMemory) {
  const std::string ptx = CompileOrDie(R"(
@group = internal addrspace(3) global [64 x float] poison, align 16
define internal void @body(ptr %env, ptr %local) {
  %f = getelementptr { ptr, ptr }, ptr %env, i32 0, i32 1
  %x = load ptr, ptr %env
  %y = load ptr, ptr %f
  %v = load <4 x float>, ptr %x, align 16
  store <4 x float> %v, ptr %local, align 16
  store <4 x float> %v, ptr %y, align 16
  ret void
}
define void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %env = alloca { ptr, ptr }
  %a = addrspacecast ptr addrspace(1) %x to ptr
  %b = addrspacecast ptr addrspace(1) %y to ptr
  store ptr %a, ptr %env
  %f = getelementptr { ptr, ptr }, ptr %env, i32 0, i32 1
  store ptr %b, ptr %f
  call void @body(ptr %env, ptr addrspacecast (ptr addrspace(3) @group to ptr))
  ret void
})");
  EXPECT_THAT(ptx, HasSubstr("ld.global.v4.b32"));
  EXPECT_THAT(ptx, HasSubstr("st.global.v4.b32"));
  EXPECT_THAT(ptx, HasSubstr("st.shared.v4.b32"));
  EXPECT_THAT(ptx, Not(HasSubstr(".local")));
  EXPECT_THAT(ptx, Not(HasSubstr("call")));
}

TEST(PtxTest, LoadsOfUnknownAlignmentAreNotVectors) {
  const std::string ptx =
      CompileOrDie(Kernel("%v = load <4 x float>, ptr %a, align 4\n"
                          "store <4 x float> %v, ptr %b, align 4\n"));
  EXPECT_THAT(ptx, Not(HasSubstr(".v4")));
  EXPECT_THAT(ptx, Not(HasSubstr(".v2")));
}

constexpr char kArithmetic[] = R"(
%v = load float, ptr %a
%m = fmul FLAGS float %v, 3.0
%s = fadd FLAGS float %m, %v
%d = fdiv float %s, %v
%r = call float @llvm.sqrt.f32(float %d)
store float %r, ptr %b
)";

std::string Arithmetic(const std::string& flags) {
  std::string text = kArithmetic;
  for (size_t at; (at = text.find("FLAGS")) != std::string::npos;)
    text.replace(at, 5, flags);
  return Kernel(text, "declare float @llvm.sqrt.f32(float)\n");
}

TEST(PtxTest, ArithmeticIsRoundedAndContractedOnlyWithTheFlag) {
  const std::string exact = CompileOrDie(Arithmetic(""));
  for (const char* op : {"mul.rn.f32", "add.rn.f32", "div.rn.f32", "sqrt.rn.f32"})
    EXPECT_THAT(exact, HasSubstr(op));
  EXPECT_THAT(exact, Not(HasSubstr("fma")));
  EXPECT_THAT(exact, Not(HasSubstr("ftz")));
  EXPECT_THAT(exact, Not(HasSubstr("approx")));
  const std::string contracted = CompileOrDie(Arithmetic("contract"));
  EXPECT_THAT(contracted, HasSubstr("fma.rn.f32"));
  EXPECT_THAT(contracted, Not(HasSubstr("add.")));
}

TEST(PtxTest, SubnormalsAreFlushedOnRequest) {
  const std::string ptx = CompileOrDie(Arithmetic(""), {.flush_denormals = true});
  for (const char* op :
       {"mul.rn.ftz.f32", "add.rn.ftz.f32", "div.rn.ftz.f32", "sqrt.rn.ftz.f32"})
    EXPECT_THAT(ptx, HasSubstr(op));
  // Attributes of a processor that flushes by a mode do not count.
  EXPECT_THAT(CompileOrDie(R"(
define void @k(ptr addrspace(1) %x) "denormal-fp-math"="preserve-sign,preserve-sign" {
  %v = load float, ptr addrspace(1) %x
  %m = fmul float %v, %v
  store float %m, ptr addrspace(1) %x
  ret void
})"),
              Not(HasSubstr("ftz")));
}

TEST(PtxTest, NamesAreEscaped) {
  EXPECT_EQ(PtxName("loop.0.phase1"), "loop$0$phase1");
  EXPECT_EQ(PtxName("a_b1"), "a_b1");
  EXPECT_EQ(PtxName("_a"), "$$5fa");
  EXPECT_EQ(PtxName("1-x$"), "$$31$$2dx$$24");
  EXPECT_THAT(CompileOrDie("define void @loop.0(ptr addrspace(1) %x) { ret void }"),
              HasSubstr(".entry loop$0("));
}

TEST(PtxTest, LaunchBoundsAreStated) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(Kernel(""), diagnostic, context);
  SetLaunchBounds(*module->getFunction("k"), {.threads = 256, .groups = 2});
  auto ptx = EmitPtx(*module, {});
  ASSERT_TRUE(ptx.ok());
  EXPECT_THAT(*ptx, HasSubstr(".maxntid 256"));
  EXPECT_THAT(*ptx, HasSubstr(".minnctapersm 2"));
  EXPECT_THAT(*ptx, Not(HasSubstr(".maxnreg")));
}

void ExpectRefused(const std::string& ir, const std::string& part,
                   StatusCode code = StatusCode::kUnimplemented) {
  auto ptx = Compile(ir);
  ASSERT_FALSE(ptx.ok()) << ir;
  EXPECT_EQ(ptx.status().code(), code) << ptx.status().ToString();
  EXPECT_THAT(std::string(ptx.status().message()), HasSubstr(part));
}

TEST(PtxTest, WhatCannotBeSelectedIsRefusedByName) {
  for (const char* name : {"exp", "sin", "tanh", "log2", "exp2", "exp10", "cos", "tan"}) {
    const std::string call = "@llvm." + std::string(name) + ".f64(double ";
    ExpectRefused(Kernel("%v = load double, ptr %a\n%r = call double " + call +
                             "%v)\nstore double %r, ptr %b\n",
                         "declare double " + call + ")\n"),
                  "kernel 'k': the target has no instruction for 'llvm." +
                      std::string(name) + ".f64'");
  }
  ExpectRefused(Kernel("%v = load i128, ptr %a\n%r = sitofp i128 %v to float\n"
                       "store float %r, ptr %b\n"),
                "more than 64 bits");
  ExpectRefused(Kernel("%v = load fp128, ptr %a\n%r = fmul fp128 %v, %v\n"
                       "store fp128 %r, ptr %b\n"),
                "no type fp128");
  ExpectRefused(Kernel("%v = load i128, ptr %b\n"
                       "%r = atomicrmw xor ptr %a, i128 %v monotonic\n"),
                "atomics have at most 64 bits");
  ExpectRefused(Kernel("fence syncscope(\"workgroup\") acq_rel\n"), "scope");
  ExpectRefused(
      Kernel("call void @memcpy(ptr %a, ptr %b)\n", "declare void @memcpy(ptr, ptr)\n"),
      "'memcpy' does not exist on the device");
  ExpectRefused("@g = internal addrspace(3) global i32 0\n" +
                    Kernel("%v = load i32, ptr addrspace(3) @g\nstore i32 %v, ptr %a\n"),
                "'g': a group's memory has no initial value");
  ExpectRefused("module asm \"x\"\n" + Kernel(""), "assembly");
  ExpectRefused("@g = internal addrspace(3) global [50000 x i8] poison\n" +
                    Kernel("%v = load i32, ptr addrspace(3) @g\nstore i32 %v, ptr %a\n"),
                "takes 50000 bytes", StatusCode::kResourceExhausted);
}

TEST(PtxTest, KernelsReturnNothingAndAreNotCalled) {
  ExpectRefused("define i32 @k() { ret i32 0 }", "returns a value",
                StatusCode::kInternal);
  ExpectRefused(
      "define void @k() { ret void }\n"
      "define void @l() { call void @k() ret void }",
      "is called", StatusCode::kInternal);
}

// Adds a kernel that calls an intrinsic on loaded values and stores the result.
void AddCall(llvm::Module& module, llvm::Intrinsic::ID id, llvm::Type* type) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::SmallVector<llvm::Type*> types{type};
  if (id == llvm::Intrinsic::ldexp) types.push_back(b.getInt32Ty());
  if (id == llvm::Intrinsic::fptosi_sat || id == llvm::Intrinsic::fptoui_sat)
    types = {b.getInt64Ty(), type};
  auto* callee = llvm::Intrinsic::getOrInsertDeclaration(&module, id, types);
  auto* kernel = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(1)}, false),
      llvm::Function::ExternalLinkage, "k", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", kernel));
  llvm::SmallVector<llvm::Value*> arguments;
  for (auto [i, parameter] : llvm::enumerate(callee->getFunctionType()->params())) {
    llvm::Value* address =
        b.CreateConstGEP1_64(b.getInt8Ty(), kernel->getArg(0), 64 * (i + 1));
    arguments.push_back(
        callee->hasParamAttribute(i, llvm::Attribute::ImmArg)
            ? llvm::ConstantInt::get(parameter, parameter->isIntegerTy(1) ? 0 : 3)
            : static_cast<llvm::Value*>(b.CreateLoad(parameter, address)));
  }
  llvm::Value* result = b.CreateCall(callee, arguments);
  if (auto* pair = llvm::dyn_cast<llvm::StructType>(result->getType()))
    for (unsigned i = 0; i < pair->getNumElements(); ++i)
      b.CreateStore(b.CreateExtractValue(result, i),
                    b.CreateConstGEP1_64(b.getInt8Ty(), kernel->getArg(0), 640 + 64 * i));
  else
    b.CreateStore(result, kernel->getArg(0));
  b.CreateRetVoid();
}

// The rows of the table that depend on the type.
std::vector<llvm::Intrinsic::ID> TypedIntrinsics() {
  std::vector<llvm::Intrinsic::ID> all;
  llvm::LLVMContext context;
#define INTRINSIC(name, condition)                                         \
  {                                                                        \
    [[maybe_unused]] llvm::Type& scalar = *llvm::Type::getVoidTy(context); \
    if (!(condition)) all.push_back(llvm::Intrinsic::name);                \
  }
#include "tenon/compiler/targets/nvptx/intrinsics.inc"
#undef INTRINSIC
  return all;
}

bool TakesVectors(llvm::Intrinsic::ID id) {
  return id != llvm::Intrinsic::ldexp && id != llvm::Intrinsic::is_fpclass &&
         id != llvm::Intrinsic::fptosi_sat && id != llvm::Intrinsic::fptoui_sat;
}

// The types of that many lanes for which the table has an intrinsic.
llvm::SmallVector<llvm::Type*> TypesOf(llvm::Intrinsic::ID id, unsigned lanes,
                                       llvm::LLVMContext& context) {
  llvm::SmallVector<llvm::Type*> scalars{
      llvm::Type::getHalfTy(context),  llvm::Type::getBFloatTy(context),
      llvm::Type::getFloatTy(context), llvm::Type::getDoubleTy(context),
      llvm::Type::getInt8Ty(context),  llvm::Type::getInt16Ty(context),
      llvm::Type::getInt32Ty(context), llvm::Type::getInt64Ty(context)};
  const bool reduces = llvm::Intrinsic::getBaseName(id).starts_with("llvm.vector.reduce");
  llvm::SmallVector<llvm::Type*> types;
  if ((lanes == 1) == reduces || (lanes > 1 && !TakesVectors(id))) return types;
  for (llvm::Type* scalar : scalars) {
    if (!PtxSelects(id, *scalar)) continue;
    if (id == llvm::Intrinsic::bswap && scalar->isIntegerTy(8)) continue;
    types.push_back(lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes));
  }
  return types;
}

// An instruction that flushes subnormals of f32 flushes those of half too.
TEST(PtxTest, SubnormalsOfHalfAreKept) {
  const std::string kernel = Kernel(R"(
  %p = load half, ptr %a
  %q = load half, ptr %b
  %sum = fadd half %p, %q
  %product = fmul half %sum, %q
  %negative = fneg half %product
  %size = call half @llvm.fabs.f16(half %p)
  %least = call half @llvm.minimum.f16(half %negative, half %size)
  %less = fcmp olt half %least, %q
  %chosen = select i1 %less, half %least, half %q
  store half %chosen, ptr %a
)",
                                    "declare half @llvm.fabs.f16(half)\n"
                                    "declare half @llvm.minimum.f16(half, half)\n");
  const std::string ptx = CompileOrDie(kernel, {.flush_denormals = true});
  EXPECT_THAT(ptx, HasSubstr("ftz.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("ftz.f16")));
  EXPECT_THAT(CompileOrDie(kernel), HasSubstr("add.rn.f16"));
}

TEST(PtxTest, ComparisonsOfBfloatKeepSubnormals) {
  for (const char* predicate :
       {"oeq", "one", "ogt", "oge", "olt", "ole", "ord", "uno", "ueq", "une", "ugt",
        "uge", "ult", "ule", "true", "false"}) {
    const std::string kernel = Kernel(std::string(R"(
  %p = load bfloat, ptr %a
  %q = load bfloat, ptr %b
  %r = fcmp )") + predicate + R"( bfloat %p, %q
  %s = select i1 %r, bfloat %p, bfloat %q
  store bfloat %s, ptr %a
)");
    const std::string ptx = CompileOrDie(kernel, {.flush_denormals = true});
    EXPECT_THAT(ptx, Not(HasSubstr("setp.eq.ftz"))) << predicate;
    EXPECT_THAT(ptx, Not(HasSubstr(".bf16"))) << predicate;
    EXPECT_THAT(ptx, Not(HasSubstr(".f32"))) << predicate;
  }
}

// LLVM makes such integers, for example a reversal of 6 bits from a transpose. An operand
// that is lost would not be loaded.
TEST(PtxTest, IntrinsicsOfOddIntegersAreExpanded) {
  int kernels = 0;
  for (llvm::Intrinsic::ID id : TypedIntrinsics()) {
    for (unsigned bits : {6, 24, 40}) {
      llvm::LLVMContext context;
      llvm::Type* type = llvm::Type::getIntNTy(context, bits);
      const bool reduces =
          llvm::Intrinsic::getBaseName(id).starts_with("llvm.vector.reduce");
      if (!PtxSelects(id, *type) || reduces) continue;
      if (id == llvm::Intrinsic::bswap && bits % 16 != 0) continue;
      llvm::Module module("m", context);
      AddCall(module, id, type);
      auto ptx = EmitPtx(module, {.processor = "sm_80"});
      ASSERT_TRUE(ptx.ok()) << ptx.status().ToString();
      EXPECT_THAT(*ptx, HasSubstr("ld.global"))
          << llvm::Intrinsic::getBaseName(id).str() << " of " << bits << " bits";
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 20);
}

TEST(PtxTest, EveryIntrinsicOfTheTableIsSelected) {
  int kernels = 0;
  for (const char* processor : {"sm_80", "sm_90a"}) {
    for (llvm::Intrinsic::ID id : TypedIntrinsics()) {
      const std::string name = llvm::Intrinsic::getBaseName(id).str();
      for (unsigned lanes : {1, 2, 3, 4}) {
        llvm::LLVMContext context;
        for (llvm::Type* type : TypesOf(id, lanes, context)) {
          llvm::Module module("m", context);
          AddCall(module, id, type);
          auto ptx = EmitPtx(module, {.processor = processor});
          ASSERT_TRUE(ptx.ok()) << name << ": " << ptx.status().ToString();
          EXPECT_THAT(*ptx, Not(HasSubstr(".extern"))) << name;
          ++kernels;
        }
      }
    }
  }
  EXPECT_GT(kernels, 600);
}

}  // namespace
}  // namespace tenon::compiler
