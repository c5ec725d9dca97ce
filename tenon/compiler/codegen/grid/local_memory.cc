#include "tenon/compiler/codegen/grid/local_memory.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {
namespace {

llvm::GlobalVariable* NewBlock(llvm::IRBuilderBase& b, uint64_t bytes,
                               uint64_t alignment = LocalMemory::kAlignment) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* type = llvm::ArrayType::get(b.getInt8Ty(), bytes);
  auto* block = new llvm::GlobalVariable(
      *function->getParent(), type, /*isConstant=*/false,
      llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(type),
      function->getName() + "_local", nullptr, llvm::GlobalValue::NotThreadLocal,
      compiler::kLocalMemory);
  block->setAlignment(llvm::Align(alignment));
  return block;
}

// The type of a value in memory: a whole number of bytes.
llvm::Type* MemoryType(llvm::IRBuilderBase& b, llvm::Type* type) {
  return type->isIntegerTy() && type->getIntegerBitWidth() < 8 ? b.getInt8Ty() : type;
}

}  // namespace

int64_t LocalBytes(ir::LocalOp local) {
  mlir::MemRefType view = local.getType();
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip_equal(view.getShape(), ir::ViewStrides(view)))
    elements += (size - 1) * stride;
  return elements * ElementBytes(ir::ElementTypeOf(view.getElementType()));
}

llvm::Value* LocalMemory::CopyOf(llvm::GlobalVariable* block, int64_t bytes) {
  llvm::Value* first = b_.CreateAddrSpaceCast(block, b_.getPtrTy());
  if (!number_) return first;
  return b_.CreatePtrAdd(
      first, b_.CreateMul(number_, b_.getInt64(static_cast<uint64_t>(bytes))));
}

llvm::Value* LocalMemory::Allocate(int64_t bytes, uint64_t alignment) {
  if (copies_ > 1)
    bytes = static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(bytes), alignment));
  return CopyOf(NewBlock(b_, static_cast<uint64_t>(bytes * copies_), alignment), bytes);
}

llvm::Value* LocalMemory::Dynamic(uint64_t alignment) {
  constexpr char kName[] = "dynamic_local";
  llvm::Module& module = *b_.GetInsertBlock()->getModule();
  llvm::GlobalVariable* block = module.getNamedGlobal(kName);
  if (!block) {
    block = new llvm::GlobalVariable(
        module, llvm::ArrayType::get(b_.getInt8Ty(), 0), /*isConstant=*/false,
        llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
        llvm::GlobalValue::NotThreadLocal, compiler::kLocalMemory);
  }
  block->setAlignment(std::max(block->getAlign().valueOrOne(), llvm::Align(alignment)));
  return b_.CreateAddrSpaceCast(block, b_.getPtrTy());
}

llvm::Value* LocalMemory::Shared(int number, int64_t bytes) {
  llvm::GlobalVariable*& block = shared_[number];
  if (copies_ > 1)
    bytes = static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(bytes), kAlignment));
  const auto size = static_cast<uint64_t>(bytes * copies_);
  if (!block || block->getValueType()->getArrayNumElements() < size) {
    llvm::GlobalVariable* larger = NewBlock(b_, size);
    if (block) {
      block->replaceAllUsesWith(larger);
      block->eraseFromParent();
    }
    block = larger;
  }
  return CopyOf(block, bytes);
}

llvm::Value* LocalMemory::Element(size_t number, llvm::Type* type, llvm::Value* position,
                                  int64_t count, int set) {
  const uint64_t bytes = type->getPrimitiveSizeInBits() / 8;
  llvm::GlobalVariable*& block = arrays_[{set, number, bytes}];
  const uint64_t size = static_cast<uint64_t>(count * copies_) * bytes;
  if (!block || block->getValueType()->getArrayNumElements() < size)
    block = NewBlock(b_, size);
  return b_.CreateGEP(type, CopyOf(block, count * static_cast<int64_t>(bytes)), position);
}

void LocalMemory::Store(llvm::ArrayRef<llvm::Value*> values, llvm::Value* position,
                        int64_t count, int set) {
  for (auto [number, value] : llvm::enumerate(values)) {
    llvm::Type* type = MemoryType(b_, value->getType());
    llvm::Value* stored = type == value->getType() ? value : b_.CreateZExt(value, type);
    b_.CreateStore(stored, Element(number, type, position, count, set));
  }
}

Values LocalMemory::Load(llvm::ArrayRef<llvm::Type*> types, llvm::Value* position,
                         int64_t count, int set) {
  Values values;
  for (auto [number, type] : llvm::enumerate(types)) {
    llvm::Type* memory = MemoryType(b_, type);
    llvm::Value* value =
        b_.CreateLoad(memory, Element(number, memory, position, count, set));
    values.push_back(memory == type ? value : b_.CreateTrunc(value, type));
  }
  return values;
}

}  // namespace tenon::codegen
