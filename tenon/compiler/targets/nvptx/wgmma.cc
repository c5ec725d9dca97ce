#include "tenon/compiler/targets/nvptx/wgmma.h"

#include <string>

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace tenon::compiler {
namespace {

constexpr int kDepth = 16;  // of one instruction
constexpr int kRowBytes = 128;
constexpr int kSwizzledRows = 8;  // after which the pattern repeats

// The 64 bits that describe a tile: its address, and the distances between parts that are
// swizzled on their own, all in units of 16 bytes; at the top the kind of swizzle, 1 for
// rows of 128 bytes.
llvm::Value* Descriptor(llvm::IRBuilderBase& b, const WideProduct::Operand& operand) {
  constexpr uint64_t kSwizzle128 = uint64_t{1} << 62;
  constexpr uint64_t kStride = kSwizzledRows * kRowBytes / 16;
  // Not read if the tile is contiguous along the depth: its rows are one slab.
  const uint64_t slab =
      operand.along_depth ? 1 : static_cast<uint64_t>(operand.slab_bytes) / 16;
  llvm::Value* address = b.CreatePtrToInt(operand.pointer, b.getInt64Ty());
  address = b.CreateLShr(b.CreateAnd(address, 0x3ffff), 4);
  return b.CreateOr(address, kSwizzle128 | kStride << 32 | slab << 16);
}

// The distance between the parts of an operand that successive instructions read.
uint64_t DescriptorStep(const WideProduct::Operand& operand) {
  constexpr int kElementBytes = 2;
  return (operand.along_depth ? kDepth * kElementBytes : kDepth * kRowBytes) / 16;
}

void Publish(llvm::IRBuilderBase& b) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_fence_proxy_async_shared_cta,
                    llvm::ArrayRef<llvm::Value*>());
}

// Replaces `sums` by the results of assembly that has them as its first operands.
void CallWithSums(llvm::IRBuilderBase& b, const std::string& text,
                  llvm::MutableArrayRef<llvm::Value*> sums,
                  llvm::ArrayRef<llvm::Value*> descriptors) {
  llvm::SmallVector<llvm::Value*> arguments(sums.begin(), sums.end());
  arguments.append(descriptors.begin(), descriptors.end());
  std::string constraints;
  for (size_t i = 0; i < sums.size(); ++i) constraints += "=f,";
  for (size_t i = 0; i < sums.size(); ++i) constraints += std::to_string(i) + ",";
  for (size_t i = 0; i < descriptors.size(); ++i) constraints += "l,";
  constraints += "~{memory}";
  llvm::SmallVector<llvm::Type*> outputs(sums.size(), b.getFloatTy());
  llvm::SmallVector<llvm::Type*> inputs;
  for (llvm::Value* argument : arguments) inputs.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(llvm::StructType::get(b.getContext(), outputs),
                                       inputs, false);
  llvm::CallInst* call = b.CreateCall(
      llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true), arguments);
  call->setConvergent();
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = b.CreateExtractValue(call, static_cast<unsigned>(i));
}

// One block of assembly from the fence to the commit. If LLVM saw its parts, it could
// move registers between them, and the assembler would then wait after each product.
std::string Assembly(ElementType operand, int products, size_t sums, bool lhs_along_depth,
                     bool rhs_along_depth) {
  std::string registers;
  for (size_t i = 0; i < sums; ++i)
    registers += (i > 0 ? ", $" : "$") + std::to_string(i);
  const std::string type = operand == ElementType::kBF16 ? "bf16" : "f16";
  // Outputs, their initial values, then two descriptors for each product.
  size_t next = 2 * sums;
  std::string text = "wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < products; ++i) {
    text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(2 * sums) + "k16.f32." +
            type + "." + type + " {" + registers + "}, $" + std::to_string(next) + ", $" +
            std::to_string(next + 1) + ", 1, 1, 1, " + (lhs_along_depth ? "0" : "1") +
            ", " + (rhs_along_depth ? "0" : "1") + ";\n";
    next += 2;
  }
  return text + "wgmma.commit_group.sync.aligned;";
}

void Multiply(llvm::IRBuilderBase& b, ElementType operand, int depth,
              llvm::MutableArrayRef<llvm::Value*> sums, const WideProduct::Operand& lhs,
              const WideProduct::Operand& rhs) {
  const int products = depth / kDepth;
  llvm::Value* lhs_descriptor = Descriptor(b, lhs);
  llvm::Value* rhs_descriptor = Descriptor(b, rhs);
  llvm::SmallVector<llvm::Value*> descriptors;
  for (int i = 0; i < products; ++i) {
    const auto step = static_cast<uint64_t>(i);
    descriptors.push_back(
        b.CreateAdd(lhs_descriptor, b.getInt64(step * DescriptorStep(lhs))));
    descriptors.push_back(
        b.CreateAdd(rhs_descriptor, b.getInt64(step * DescriptorStep(rhs))));
  }
  CallWithSums(b,
               Assembly(operand, products, sums.size(), lhs.along_depth, rhs.along_depth),
               sums, descriptors);
}

// The registers of sums are operands, so that they are not read or moved before.
void Wait(llvm::IRBuilderBase& b, int pending, llvm::MutableArrayRef<llvm::Value*> sums) {
  CallWithSums(b, "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";", sums,
               {});
}

}  // namespace

WideProduct WgmmaProduct() {
  return {.subgroups = 4,
          .rows = 64,
          .max_columns = 256,
          .publish = Publish,
          .multiply = Multiply,
          .wait = Wait};
}

}  // namespace tenon::compiler
