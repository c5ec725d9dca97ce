#include "tenon/compiler/targets/nvptx/matrix.h"

#include <algorithm>
#include <vector>

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "tenon/compiler/targets/nvptx/ptx.h"
#include "tenon/compiler/targets/nvptx/wgmma.h"

namespace tenon::compiler {
namespace {

using Place = FragmentProduct::Place;

// The fragments of each shape, as the section on mma of the PTX ISA numbers them.
constexpr Place kSums16x8[] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}};
constexpr Place kSums8x8[] = {{0, 0}, {0, 1}};
constexpr Place kLhs16x16[] = {{0, 0}, {8, 0}, {0, 8}, {8, 8}};
constexpr Place kRhs16x8[] = {{0, 0}, {0, 8}};
constexpr Place kLhs16x8[] = {{0, 0}, {8, 0}, {0, 4}, {8, 4}};
constexpr Place kRhs8x8[] = {{0, 0}, {0, 4}};
constexpr Place kLhs16x32[] = {{0, 0}, {8, 0}, {0, 16}, {8, 16}};
constexpr Place kRhs32x8[] = {{0, 0}, {0, 16}};
constexpr Place kOne[] = {{0, 0}};

template <llvm::Intrinsic::ID id>
void Multiply(llvm::IRBuilderBase& b, llvm::MutableArrayRef<llvm::Value*> sums,
              llvm::ArrayRef<llvm::Value*> lhs, llvm::ArrayRef<llvm::Value*> rhs) {
  auto* callee =
      llvm::Intrinsic::getOrInsertDeclaration(b.GetInsertBlock()->getModule(), id);
  llvm::SmallVector<llvm::Value*> arguments(lhs);
  arguments.append(rhs.begin(), rhs.end());
  arguments.append(sums.begin(), sums.end());
  for (auto [argument, type] :
       llvm::zip_equal(arguments, callee->getFunctionType()->params()))
    argument = b.CreateBitCast(argument, type);  // pairs of f16
  llvm::Value* result = b.CreateCall(callee, arguments);
  for (auto [i, sum] : llvm::enumerate(sums)) sum = b.CreateExtractValue(result, i);
}

// Rounds to the nearest value with 10 bits of mantissa, ties away from zero.
llvm::Value* RoundToTf32(llvm::IRBuilderBase& b, llvm::Value* reg) {
  return b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_f2tf32_rna,
                           {b.CreateBitCast(reg, b.getFloatTy())});
}

const FragmentProduct kProducts[] = {
    {.operand = ElementType::kBF16,
     .sum = ElementType::kF32,
     .rows = 16,
     .columns = 8,
     .depth = 16,
     .packed = 2,
     .lhs = kLhs16x16,
     .rhs = kRhs16x8,
     .sums = kSums16x8,
     .multiply = Multiply<llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16>},
    {.operand = ElementType::kF16,
     .sum = ElementType::kF32,
     .rows = 16,
     .columns = 8,
     .depth = 16,
     .packed = 2,
     .lhs = kLhs16x16,
     .rhs = kRhs16x8,
     .sums = kSums16x8,
     .multiply = Multiply<llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32>},
    {.operand = ElementType::kF32,
     .sum = ElementType::kF32,
     .rows = 16,
     .columns = 8,
     .depth = 8,
     .lhs = kLhs16x8,
     .rhs = kRhs8x8,
     .sums = kSums16x8,
     .rounds_operands = true,
     .multiply = Multiply<llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_tf32>,
     .round = RoundToTf32},
    {.operand = ElementType::kS8,
     .sum = ElementType::kS32,
     .rows = 16,
     .columns = 8,
     .depth = 32,
     .packed = 4,
     .lhs = kLhs16x32,
     .rhs = kRhs32x8,
     .sums = kSums16x8,
     .multiply = Multiply<llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_s8>},
    {.operand = ElementType::kU8,
     .sum = ElementType::kU32,
     .rows = 16,
     .columns = 8,
     .depth = 32,
     .packed = 4,
     .lhs = kLhs16x32,
     .rhs = kRhs32x8,
     .sums = kSums16x8,
     .multiply = Multiply<llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_u8>},
    {.operand = ElementType::kF64,
     .sum = ElementType::kF64,
     .rows = 8,
     .columns = 8,
     .depth = 4,
     .lhs = kOne,
     .rhs = kOne,
     .sums = kSums8x8,
     .multiply = Multiply<llvm::Intrinsic::nvvm_mma_m8n8k4_row_col_f64>}};

// sm_90 does products of f64 of this shape at full speed, and smaller ones at half of it.
const FragmentProduct kLargeF64 = {
    .operand = ElementType::kF64,
    .sum = ElementType::kF64,
    .rows = 16,
    .columns = 8,
    .depth = 8,
    .lhs = kLhs16x8,
    .rhs = kRhs8x8,
    .sums = kSums16x8,
    .multiply = Multiply<llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_f64>};

llvm::ArrayRef<FragmentProduct> ProductsOfSm90() {
  static const auto* products = [] {
    auto* list =
        new std::vector<FragmentProduct>(std::begin(kProducts), std::end(kProducts));
    for (FragmentProduct& product : *list)
      if (product.operand == ElementType::kF64) product = kLargeF64;
    return list;
  }();
  return *products;
}

LaneValues LoadMatrices(llvm::IRBuilderBase& b, llvm::Value* pointer, int count,
                        bool transposed) {
  using namespace llvm::Intrinsic;
  const ID id = count == 1   ? transposed ? nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16
                                          : nvvm_ldmatrix_sync_aligned_m8n8_x1_b16
                : count == 2 ? transposed ? nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                                          : nvvm_ldmatrix_sync_aligned_m8n8_x2_b16
                : transposed ? nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                             : nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
  llvm::Value* result = b.CreateIntrinsic(id, {pointer->getType()}, {pointer});
  if (count == 1) return {result};
  LaneValues registers;
  for (int i = 0; i < count; ++i)
    registers.push_back(b.CreateExtractValue(result, static_cast<unsigned>(i)));
  return registers;
}

void Copy(llvm::IRBuilderBase& b, llvm::Value* local, llvm::Value* global,
          llvm::Value* bytes) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s, {},
                    {local, global, bytes});
}

void CommitCopies(llvm::IRBuilderBase& b) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group,
                    llvm::ArrayRef<llvm::Value*>());
}

void WaitCopies(llvm::IRBuilderBase& b, int pending) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {},
                    {b.getInt32(static_cast<uint32_t>(pending))});
}

llvm::Value* Exchange(llvm::IRBuilderBase& b, llvm::Value* value, int distance) {
  constexpr uint32_t kAllLanes = 0xffffffff, kClamp = 0x1f;
  return b.CreateIntrinsic(
      llvm::Intrinsic::nvvm_shfl_sync_bfly_f32, {},
      {b.getInt32(kAllLanes), value, b.getInt32(static_cast<uint32_t>(distance)),
       b.getInt32(kClamp)});
}

llvm::Value* Exp2(llvm::IRBuilderBase& b, llvm::Value* x) {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx_ftz, {b.getFloatTy()}, {x});
}

llvm::Value* Divide(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y) {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_div_full_ftz, {x, y});
}

MatrixInstructions Instructions(bool has_wgmma) {
  MatrixInstructions result;
  result.products = has_wgmma ? ProductsOfSm90() : llvm::ArrayRef(kProducts);
  result.load_matrices = LoadMatrices;
  result.copy = Copy;
  result.commit_copies = CommitCopies;
  result.wait_copies = WaitCopies;
  result.exchange = Exchange;
  result.exp2 = Exp2;
  result.divide = Divide;
  if (has_wgmma) result.wide = WgmmaProduct();
  return result;
}

}  // namespace

const MatrixInstructions& NvptxMatrixInstructions(std::string_view processor) {
  static auto* plain = new MatrixInstructions(Instructions(false));
  static auto* with_wgmma = new MatrixInstructions(Instructions(true));
  const bool has_wgmma =
      std::ranges::any_of(PtxProcessors(), [&](const PtxProcessor& known) {
        return known.name == processor && known.has_wgmma;
      });
  return has_wgmma ? *with_wgmma : *plain;
}

}  // namespace tenon::compiler
