// Cholesky factors u of a = u^H u. Row i of u is (row i of a - multiples of the rows
// above) / u[i, i]; the multiples are column i of u.
#include <limits>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/linalg/kinds.h"
#include "tenon/compiler/codegen/linalg/row_groups.h"

namespace tenon::codegen {
namespace {

// The square root of a pivot, NaN if it is not positive.
llvm::Value* Root(IrBuilder& b, llvm::Value* pivot, llvm::Value*& positive) {
  llvm::Type* type = pivot->getType();
  positive = b.CreateFCmpOGT(pivot, llvm::Constant::getNullValue(type));
  llvm::Value* root = b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, pivot);
  return b.CreateSelect(positive, root, llvm::ConstantFP::getNaN(type));
}

Number DivideByReal(IrBuilder& b, Number x, llvm::Value* by) {
  return {b.CreateFDiv(x.re, by), x.im ? b.CreateFDiv(x.im, by) : nullptr};
}

class Cholesky : public PanelFactorization {
 public:
  using PanelFactorization::PanelFactorization;

 protected:
  Status Read(llvm::Value* panel) override {
    llvm::Value* column = FirstColumn(panel);
    llvm::Value* rows =
        MinI(b_, AddI(b_, column, plan_.width()), b_.getInt64(spec_.a.rows));
    return p_.Read(Matrix(pointers_.a), spec_.a, column, rows, Panel(panel));
  }

  // Computes the rows in which `done` has its diagonal.
  Status Update(llvm::Value* done, llvm::Value* panel) override {
    llvm::Value* begin = FirstColumn(done);
    llvm::Value* factors = Panel(done);
    return EmitLoop(
        b_, begin, AddI(b_, begin, plan_.width()), plan_.group, [&](llvm::Value* first) {
          RowGroup group = Group(Panel(panel), first);
          auto factor = FactorOf(factors, b_.CreateNSWSub(first, begin));
          return EmitGroup(p_, group, b_.getInt64(0), first, factor,
                           [&](llvm::MutableArrayRef<Number> rows) -> Status {
                             for (int r = 0; r < group.rows; ++r) {
                               SubtractEarlier(p_, group, rows, r, factor);
                               Number root = p_.Splat(factor(AddI(b_, first, r), r));
                               for (int v = 0; v < plan_.vectors; ++v) {
                                 Number& x = rows[r * plan_.vectors + v];
                                 x = DivideByReal(b_, x, root.re);
                               }
                               StoreRow(p_, group, rows, r);
                             }
                             return OkStatus();
                           });
        });
  }

  Status Finish(llvm::Value* panel) override {
    llvm::Value* begin = FirstColumn(panel);
    llvm::Value* base = Panel(panel);
    llvm::Value* status = OffsetPointer(b_, pointers_.numbers, matrix_, 4);
    llvm::Value* is_first = b_.CreateICmpEQ(panel, b_.getInt64(0));
    b_.CreateStore(
        b_.CreateSelect(is_first, b_.getInt32(0), b_.CreateLoad(b_.getInt32Ty(), status)),
        status);
    llvm::Value* end = MinI(b_, AddI(b_, begin, plan_.width()), b_.getInt64(plan_.rows));
    return EmitLoop(b_, begin, end, plan_.group, [&](llvm::Value* first) {
      RowGroup group = Group(base, first);
      llvm::Value* column = b_.CreateNSWSub(first, begin);
      auto factor = FactorOf(base, column);
      return EmitGroup(p_, group, b_.getInt64(0), first, factor,
                       [&](llvm::MutableArrayRef<Number> rows) -> Status {
                         for (int r = 0; r < group.rows; ++r) {
                           SubtractEarlier(p_, group, rows, r, factor);
                           StoreRow(p_, group, rows, r);
                           FinishRow(group, rows, r, AddI(b_, column, r), status);
                         }
                         return OkStatus();
                       });
    });
  }

  Status Write(llvm::Value* panel) override {
    llvm::Value* column = FirstColumn(panel);
    llvm::Value* rows = b_.getInt64(spec_.a.rows);
    TENON_RETURN_IF_ERROR(p_.Clear(Panel(panel), AddI(b_, column, plan_.width()), rows));
    return p_.Write(Panel(panel), Matrix(pointers_.result), spec_.a, column, rows);
  }

 private:
  RowGroup Group(llvm::Value* panel, llvm::Value* first) {
    return {panel,
            first,
            plan_.group,
            0,
            plan_.vectors,
            nullptr,
            /*conjugate=*/true};
  }
  // The factors of row r of a group are column `column` + r of `panel`.
  std::function<Number(llvm::Value*, int)> FactorOf(llvm::Value* panel,
                                                    llvm::Value* column) {
    return [this, panel, column](llvm::Value* other, int row) {
      return p_.LoadScalar(panel, other, AddI(b_, column, row));
    };
  }

  // Divides a row by the root of the pivot, which is in `column` of the panel; columns
  // before it become zero.
  void FinishRow(const RowGroup& group, llvm::MutableArrayRef<Number> rows, int r,
                 llvm::Value* column, llvm::Value* status) {
    llvm::Value* row = AddI(b_, group.first, r);
    llvm::Value* positive;
    llvm::Value* root = Root(b_, p_.LoadScalar(group.panel, row, column).re, positive);
    llvm::Value* before = b_.CreateLoad(b_.getInt32Ty(), status);
    llvm::Value* fails =
        b_.CreateAnd(b_.CreateAnd(b_.CreateNot(positive), b_.CreateIsNull(before)),
                     b_.CreateICmpSLT(row, b_.getInt64(spec_.a.rows)));
    llvm::Value* number = b_.CreateTrunc(AddI(b_, row, 1), b_.getInt32Ty());
    b_.CreateStore(b_.CreateSelect(fails, number, before), status);
    Number by = p_.Splat({root});
    llvm::Value* lane =
        b_.CreateVectorSplat(plan_.lanes, b_.CreateTrunc(column, p_.lane_integer()));
    for (int v = 0; v < plan_.vectors; ++v) {
      Number& x = rows[r * plan_.vectors + v];
      x = DivideByReal(b_, x, by.re);
      llvm::Value* numbers = b_.CreateAdd(
          p_.LaneNumbers(),
          llvm::ConstantInt::get(p_.LaneNumbers()->getType(), v * plan_.lanes));
      x = p_.Select(b_.CreateICmpSLT(numbers, lane), p_.Zero(), x);
    }
    StoreRow(p_, group, rows, r);
    llvm::Value* zero = llvm::Constant::getNullValue(p_.real());
    p_.StoreScalar({root, p_.is_complex() ? zero : nullptr}, group.panel, row, column);
  }
};

}  // namespace

Status EmitCholesky(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
                    const LinalgPointers& pointers, const LinalgArguments& arguments,
                    const TargetTraits& target) {
  return Cholesky(b, spec, plan, pointers, target).Emit(arguments);
}

// Column by column: l[i, j] = (a[i, j] - row i of l times the adjoint of row j) / l[j,
// j]. l[i, j] is stored at u[j, i].
Status EmitCholeskyAcrossBatch(IrBuilder& b, const LinalgSpec& spec,
                               const LinalgPlan& plan, const LinalgPointers& pointers,
                               llvm::Value* chunk, const TargetTraits& target) {
  PanelEmitter p(b, spec.type, plan, target);
  int64_t n = spec.a.rows;
  MatrixShape batch{n * n, spec.batch, 1, n * n};
  llvm::Value* panel = OffsetPointer(b, pointers.scratch, chunk, plan.panel_bytes);
  llvm::Value *zero = b.getInt64(0), *size = b.getInt64(n), *elements = b.getInt64(n * n);
  auto offset = [&](llvm::Value* i, llvm::Value* j) {
    return AddI(b, MulI(b, i, spec.a.column_stride), MulI(b, j, spec.a.row_stride));
  };
  // Subtracts the products of elements `begin` to `end` of rows i and j.
  auto subtract = [&](llvm::Value* i, llvm::Value* j, llvm::Value* begin,
                      llvm::Value* end, Number from) -> StatusOr<Number> {
    IrValues parts;
    PanelEmitter::Append(from, parts);
    TENON_RETURN_IF_ERROR(
        EmitLoop(b, begin, end, 1, parts, [&](llvm::Value* k, IrValues& sum) {
          Number next = p.MulSub(p.Take(sum, 0), p.Load(panel, offset(j, k), 0),
                                 p.Load(panel, offset(i, k), 0), /*conjugate=*/true);
          sum.clear();
          PanelEmitter::Append(next, sum);
          return OkStatus();
        }));
    return p.Take(parts, 0);
  };
  // a[i, j] minus the products of the known elements of rows i and j, in the order of
  // EmitGroup, so that a matrix has the same factor in a batch of any size.
  static_assert(kMaxAcrossBatch <= kGroupBlock);
  auto residual = [&](llvm::Value* i, llvm::Value* j) -> StatusOr<Number> {
    llvm::Value* group = b.CreateAnd(j, b.getInt64(-plan.group));
    IrValues parts;
    PanelEmitter::Append(p.Load(panel, offset(i, j), 0), parts);
    TENON_RETURN_IF_ERROR(EmitLoop(
        b, zero, group, kGroupBlock, parts, [&](llvm::Value*, IrValues& x) -> Status {
          TENON_ASSIGN_OR_RETURN(Number sum, subtract(i, j, zero, group, p.Zero()));
          const Number next = p.Add(p.Take(x, 0), sum);
          x.clear();
          PanelEmitter::Append(next, x);
          return OkStatus();
        }));
    return subtract(i, j, group, j, p.Take(parts, 0));
  };
  return EmitUnits(b, plan, chunk, [&](llvm::Value* unit) -> Status {
    llvm::Value* first = MulI(b, unit, plan.lanes);
    TENON_RETURN_IF_ERROR(p.Read(pointers.a, batch, first, elements, panel));
    auto* counts = llvm::FixedVectorType::get(b.getInt32Ty(), plan.lanes);
    IrValues status{llvm::Constant::getNullValue(counts)};
    TENON_RETURN_IF_ERROR(EmitLoop(
        b, zero, size, 1, status, [&](llvm::Value* j, IrValues& carried) -> Status {
          TENON_ASSIGN_OR_RETURN(Number pivot, residual(j, j));
          llvm::Value* positive;
          llvm::Value* root = Root(b, pivot.re, positive);
          p.Store({root, p.Zero().im}, panel, offset(j, j), 0);
          llvm::Value* number = b.CreateVectorSplat(
              plan.lanes, b.CreateTrunc(AddI(b, j, 1), b.getInt32Ty()));
          llvm::Value* fails = b.CreateAnd(
              b.CreateNot(positive),
              b.CreateICmpEQ(carried[0], llvm::Constant::getNullValue(counts)));
          carried[0] = b.CreateSelect(fails, number, carried[0]);
          return EmitLoop(b, AddI(b, j, 1), size, 1, [&](llvm::Value* i) -> Status {
            TENON_ASSIGN_OR_RETURN(Number left, residual(i, j));
            p.Store(DivideByReal(b, left, root), panel, offset(i, j), 0);
            p.Store(p.Zero(), panel, offset(j, i), 0);
            return OkStatus();
          });
        }));
    TENON_RETURN_IF_ERROR(p.Write(panel, pointers.result, batch, first, elements));
    llvm::Value* to = OffsetPointer(b, pointers.numbers, first, 4);
    llvm::Value* mask = p.ColumnMask(batch, first);
    if (mask)
      b.CreateMaskedStore(status[0], to, llvm::Align(4), mask);
    else
      b.CreateAlignedStore(status[0], to, llvm::Align(4));
    return OkStatus();
  });
}

}  // namespace tenon::codegen
