// Cholesky factors, in local memory. An item has a column of the factor, kStep rows of it
// at a time in registers.
#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/grid/group_matrix.h"

namespace tenon::codegen {
namespace {

using compiler::LinalgSpec;

class GroupCholesky : GroupMatrix {
 public:
  using GroupMatrix::GroupMatrix;

  // a = u^H u, in the upper triangle of the result. Each item factors the block on the
  // diagonal for itself, which takes fewer barriers than to share it. Rows and columns
  // that are added are those of the identity.
  Status Emit() {
    const int64_t n = spec_.a.rows, whole = Whole(n);
    const bool along_rows = spec_.a.column_stride != 1;
    const MatrixShape shape = LocalShape(whole, whole), small = LocalShape(kStep, kStep);
    if (whole > items_ || !FitsLocal(LocalElements(shape) + LocalElements(small))) {
      return Unimplemented("cholesky: a matrix of " + std::to_string(n) +
                           " rows does not fit the " +
                           std::to_string(body_.device().local_bytes) +
                           " bytes of local memory of a group");
    }
    llvm::Value* a = Matrix(op_.getInputs()[0], spec_.a, group_);
    llvm::Value* result = Matrix(op_.getOutputs()[0], spec_.a, group_);
    llvm::Value *u = AllocateLocal(shape), *diagonal = AllocateLocal(small);
    const Number zero = Zero();
    const Range all{I64(0), I64(n)}, all_whole{I64(0), I64(whole)};
    TENON_RETURN_IF_ERROR(ForElements(
        all_whole, all_whole, along_rows, kCopied,
        [&](llvm::Value* i, llvm::Value* j) {
          const Number value =
              Load(a, spec_.a, MinI(b_, i, I64(n - 1)), MinI(b_, j, I64(n - 1)));
          llvm::Value* is_read = b_.CreateICmpSLE(i, j);
          if (whole == n) return p_.Select(is_read, value, zero);
          is_read = b_.CreateAnd(is_read, b_.CreateICmpSLT(j, I64(n)));
          const Number other = p_.Select(b_.CreateICmpEQ(i, j), p_.One(), zero);
          return p_.Select(is_read, value, other);
        },
        [&](Number value, llvm::Value* i, llvm::Value* j) {
          Store(value, u, shape, i, j);
        }));
    llvm::Value* const column = body_.item();
    llvm::Value* const loaded = MinI(b_, column, I64(whole - 1));
    IrValues status{b_.getInt32(0)};
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, I64(0), I64(whole), kStep, status,
        [&](llvm::Value* begin, IrValues& carried) -> Status {
          const auto row = [&](size_t i) {
            return AddI(b_, begin, static_cast<int64_t>(i));
          };
          body_.Barrier();
          llvm::SmallVector<Number> x;
          for (int64_t i = 0; i < kStep; ++i)
            x.push_back(Load(u, shape, AddI(b_, begin, i), loaded));
          TENON_RETURN_IF_ERROR(SubtractBefore(
              begin, x, /*conjugate=*/true,
              [&](size_t i, llvm::Value* k) { return Load(u, shape, k, row(i)); },
              [&](llvm::Value* k) { return Load(u, shape, k, loaded); }));
          llvm::Value* in_block = b_.CreateSub(column, begin);
          EmitIf(b_, b_.CreateICmpULT(in_block, I64(kStep)), [&] {
            for (auto [i, value] : llvm::enumerate(x))
              Store(value, diagonal, small, I64(static_cast<int64_t>(i)), in_block);
          });
          body_.Barrier();
          FactorStep(begin, column, diagonal, small, x, carried);
          EmitIf(b_,
                 b_.CreateAnd(b_.CreateICmpSGE(column, begin),
                              b_.CreateICmpSLT(column, I64(whole))),
                 [&] {
                   for (auto [i, value] : llvm::enumerate(x))
                     Store(p_.Select(b_.CreateICmpSLE(row(i), column), value, zero), u,
                           shape, row(i), column);
                 });
          return OkStatus();
        }));
    body_.Barrier();
    Once([&] {
      b_.CreateStore(
          status[0],
          OffsetPointer(b_, body_.points().View(op_.getOutputs()[1]), group_, 4));
    });
    return Copy(u, shape, result, spec_.a, all, all, along_rows);
  }

 private:
  // The root of pivot k, NaN if it is not positive. status[0] becomes k + 1 if it is the
  // first such one.
  llvm::Value* RootOf(llvm::Value* pivot, llvm::Value* k, IrValues& status) {
    llvm::Value* positive =
        b_.CreateFCmpOGT(pivot, llvm::Constant::getNullValue(p_.real()));
    llvm::Value* fails = b_.CreateAnd(b_.CreateNot(positive), b_.CreateIsNull(status[0]));
    status[0] = b_.CreateSelect(fails, b_.CreateTrunc(AddI(b_, k, 1), b_.getInt32Ty()),
                                status[0]);
    return b_.CreateSelect(positive,
                           b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, pivot),
                           llvm::ConstantFP::getNaN(p_.real()));
  }
  Number DivideByReal(Number x, llvm::Value* by) {
    return {b_.CreateFDiv(x.re, by), x.im ? b_.CreateFDiv(x.im, by) : nullptr};
  }
  // Makes the rows of u from `begin` on from what is left of a there: `x` in the item's
  // column, `diagonal` in the block's.
  void FactorStep(llvm::Value* begin, llvm::Value* column, llvm::Value* diagonal,
                  const MatrixShape& small, llvm::SmallVector<Number>& x,
                  IrValues& status) {
    llvm::SmallVector<llvm::SmallVector<Number>> block(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t j = 0; j < x.size(); ++j)
        block[i].push_back(j < i ? Number{}
                                 : Load(diagonal, small, I64(static_cast<int64_t>(i)),
                                        I64(static_cast<int64_t>(j))));
    for (size_t k = 0; k < x.size(); ++k) {
      llvm::Value* number = AddI(b_, begin, static_cast<int64_t>(k));
      llvm::Value* root = RootOf(block[k][k].re, number, status);
      for (size_t j = k + 1; j < x.size(); ++j)
        block[k][j] = DivideByReal(block[k][j], root);
      const Number on_diagonal{root, Zero().im};
      x[k] = p_.Select(b_.CreateICmpEQ(column, number), on_diagonal,
                       DivideByReal(x[k], root));
      for (size_t i = k + 1; i < x.size(); ++i) {
        for (size_t j = i; j < x.size(); ++j)
          block[i][j] = p_.MulSub(block[i][j], block[k][i], block[k][j], true);
        x[i] = p_.MulSub(x[i], block[k][i], x[k], true);
      }
    }
  }
};

}  // namespace

Status EmitGroupCholesky(GroupBody& body, ir::LinalgOp op, const LinalgSpec& spec,
                         llvm::Value* group) {
  return GroupCholesky(body, op, spec, group).Emit();
}

}  // namespace tenon::codegen
