#include "tenon/compiler/targets/matrix_unit.h"

#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

namespace tenon::compiler {
namespace {

// Uses the intrinsics that name registers by number. Those that leave numbering to LLVM's
// register allocator configure the unit in each function.
constexpr int kRegisters = 8;
constexpr int kRows = 16;
constexpr int kColumns = 16;

// Emits LDTILECFG with a constant of the module as operand.
void Configure(llvm::IRBuilder<>& b, llvm::ArrayRef<MatrixUnit::Size> sizes) {
  constexpr int kPalette = 1, kBytes = 64, kFirstRowBytes = 16, kFirstRows = 48;
  std::string config(kBytes, '\0');
  config[0] = kPalette;
  for (size_t i = 0; i < sizes.size(); ++i) {
    config[kFirstRowBytes + 2 * i] = static_cast<char>(4 * sizes[i].columns);
    config[kFirstRows + i] = static_cast<char>(sizes[i].rows);
  }
  llvm::Module* module = b.GetInsertBlock()->getModule();
  llvm::Constant* bytes =
      llvm::ConstantDataArray::getString(b.getContext(), config, /*AddNull=*/false);
  llvm::GlobalVariable* constant = nullptr;
  for (llvm::GlobalVariable& global : module->globals())
    if (global.hasInitializer() && global.getInitializer() == bytes) constant = &global;
  if (!constant) {
    constant = new llvm::GlobalVariable(*module, bytes->getType(), /*isConstant=*/true,
                                        llvm::GlobalValue::PrivateLinkage, bytes,
                                        "register_sizes");
    constant->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    constant->setAlignment(llvm::Align(kBytes));
  }
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_ldtilecfg, {constant});
}

void Release(llvm::IRBuilder<>& b) {
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_tilerelease, {});
}

void Zero(llvm::IRBuilder<>& b, int reg) {
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_tilezero, {b.getInt8(reg)});
}

void Load(llvm::IRBuilder<>& b, int reg, llvm::Value* pointer, llvm::Value* row_bytes) {
  b.CreateIntrinsic(llvm::Intrinsic::x86_tileloadd64, {},
                    {b.getInt8(reg), pointer, row_bytes});
}

void Store(llvm::IRBuilder<>& b, int reg, llvm::Value* pointer, llvm::Value* row_bytes) {
  b.CreateIntrinsic(llvm::Intrinsic::x86_tilestored64, {},
                    {b.getInt8(reg), pointer, row_bytes});
}

template <llvm::Intrinsic::ID kIntrinsic>
void Multiply(llvm::IRBuilder<>& b, int sums, int x, int y) {
  b.CreateIntrinsic(kIntrinsic, {}, {b.getInt8(sums), b.getInt8(x), b.getInt8(y)});
}

}  // namespace

void AddX86MatrixUnit(const std::function<bool(const char*)>& has, TargetTraits& traits) {
  if (traits.vector_bits != 32 * kColumns || !has("amx-tile")) return;
  MatrixUnit& unit = traits.matrix_unit;
  if (has("amx-bf16")) unit.bf16_pairs = Multiply<llvm::Intrinsic::x86_tdpbf16ps>;
  if (has("amx-int8")) {
    unit.s8_quads = Multiply<llvm::Intrinsic::x86_tdpbssd>;
    unit.u8_quads = Multiply<llvm::Intrinsic::x86_tdpbuud>;
  }
  unit.registers = kRegisters;
  unit.rows = kRows;
  unit.columns = kColumns;
  // The peak is eight. But loading two registers for each product takes as long as two
  // products.
  unit.rate = 4;
  unit.configure = Configure;
  unit.release = Release;
  unit.zero = Zero;
  unit.load = Load;
  unit.store = Store;
}

}  // namespace tenon::compiler
