// LU factors with partial pivoting. Once the pivots of a panel are known, later panels
// swap their rows before they are updated. Earlier panels swap theirs when they are
// written.
#include <functional>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/linalg/kinds.h"
#include "tenon/compiler/codegen/linalg/row_groups.h"

namespace tenon::codegen {
namespace {

class Lu : public PanelFactorization {
 public:
  using PanelFactorization::PanelFactorization;

 protected:
  Status Read(llvm::Value* panel) override {
    llvm::Value* rows = b_.getInt64(spec_.a.rows);
    TENON_RETURN_IF_ERROR(
        p_.Read(Matrix(pointers_.a), spec_.a, FirstColumn(panel), rows, Panel(panel)));
    // Rows that pad the last group stay zero.
    return p_.Clear(Panel(panel), rows, b_.getInt64(plan_.rows));
  }

  Status Update(llvm::Value* done, llvm::Value* panel) override {
    llvm::Value* begin = FirstColumn(done);
    llvm::Value* end = AddI(b_, begin, plan_.width());
    return EmitIfElse(
        b_, b_.CreateICmpSLT(begin, b_.getInt64(pivots())), [&]() -> Status {
          TENON_RETURN_IF_ERROR(
              SwapRows(Panel(panel), begin, MinI(b_, end, b_.getInt64(pivots()))));
          return Eliminate(Panel(panel), Panel(done), begin, end, 0, plan_.vectors);
        });
  }

  // Factors one vector of columns after the other, so that the loop over all rows has
  // only one vector.
  Status Finish(llvm::Value* panel) override {
    llvm::Value* begin = FirstColumn(panel);
    llvm::Value* base = Panel(panel);
    for (int v = 0; v < plan_.vectors; ++v) {
      llvm::Value* first = AddI(b_, begin, int64_t{v} * plan_.lanes);
      if (v > 0) TENON_RETURN_IF_ERROR(Eliminate(base, base, begin, first, v, v + 1));
      llvm::Value* end = MinI(b_, AddI(b_, first, plan_.lanes), b_.getInt64(pivots()));
      TENON_RETURN_IF_ERROR(FactorColumns(base, begin, first, end, v));
    }
    return OkStatus();
  }

  Status Write(llvm::Value* panel) override {
    llvm::Value* column = FirstColumn(panel);
    TENON_RETURN_IF_ERROR(
        SwapRows(Panel(panel), AddI(b_, column, plan_.width()), b_.getInt64(pivots())));
    return p_.Write(Panel(panel), Matrix(pointers_.result), spec_.a, column,
                    b_.getInt64(spec_.a.rows));
  }

 private:
  int64_t pivots() const { return std::min(spec_.a.rows, spec_.a.columns); }
  llvm::Value* Pivot(llvm::Value* row) {
    return OffsetPointer(b_, pointers_.numbers,
                         AddI(b_, MulI(b_, matrix_, pivots()), row), 4);
  }

  void Swap(llvm::Value* panel, llvm::Value* row, llvm::Value* other) {
    for (int v = 0; v < plan_.vectors; ++v) {
      Number x = p_.Load(panel, row, v), y = p_.Load(panel, other, v);
      p_.Store(y, panel, row, v);
      p_.Store(x, panel, other, v);
    }
  }
  // Swaps rows by the pivots of rows [begin, end).
  Status SwapRows(llvm::Value* panel, llvm::Value* begin, llvm::Value* end) {
    return EmitLoop(b_, begin, end, 1, [&](llvm::Value* row) {
      llvm::Value* number = b_.CreateLoad(b_.getInt32Ty(), Pivot(row));
      llvm::Value* other =
          b_.CreateNSWSub(b_.CreateSExt(number, b_.getInt64Ty()), b_.getInt64(1));
      Swap(panel, row, other);
      return OkStatus();
    });
  }

  // Eliminates columns [begin, end) of l, which are at the start of the panel `factors`,
  // from some vectors of `panel`: first from the rows of u among them, then from all rows
  // below.
  Status Eliminate(llvm::Value* panel, llvm::Value* factors, llvm::Value* begin,
                   llvm::Value* end, int first_vector, int last_vector) {
    auto rows = [&](llvm::Value* from, llvm::Value* to, bool of_u) {
      return EmitLoop(b_, from, to, plan_.group, [&](llvm::Value* first) {
        RowGroup group{panel, first, plan_.group, first_vector, last_vector};
        auto factor = [&](llvm::Value* other, int row) {
          return p_.LoadScalar(factors, AddI(b_, first, row),
                               b_.CreateNSWSub(other, begin));
        };
        return EmitGroup(p_, group, begin, of_u ? first : end, factor,
                         [&](llvm::MutableArrayRef<Number> x) {
                           for (int r = 0; r < group.rows; ++r) {
                             if (of_u) SubtractEarlier(p_, group, x, r, factor);
                             StoreRow(p_, group, x, r);
                           }
                           return OkStatus();
                         });
      });
    };
    llvm::Value* all = b_.getInt64(plan_.rows);
    TENON_RETURN_IF_ERROR(rows(begin, MinI(b_, end, all), /*of_u=*/true));
    return rows(end, all, /*of_u=*/false);
  }

  // The largest absolute values per lane so far, and their rows.
  IrValues InitialPivots(llvm::Value* row) {
    return {llvm::ConstantFP::get(p_.vector(), -1.0), SplatRow(row)};
  }
  llvm::Value* SplatRow(llvm::Value* row) {
    return b_.CreateVectorSplat(plan_.lanes, b_.CreateTrunc(row, p_.lane_integer()));
  }
  void Compare(Number x, llvm::Value* row, IrValues& best) {
    llvm::Value* size = p_.Size(x);
    llvm::Value* larger = b_.CreateFCmpOGT(size, best[0]);
    best = {b_.CreateSelect(larger, size, best[0]),
            b_.CreateSelect(larger, SplatRow(row), best[1])};
  }

  // Factors columns [first, end) of the matrix, which are in vector `vector` of the panel
  // that starts with column `begin`. Each pass over the rows finds the next pivot.
  Status FactorColumns(llvm::Value* panel, llvm::Value* begin, llvm::Value* first,
                       llvm::Value* end, int vector) {
    llvm::Value* rows = b_.getInt64(spec_.a.rows);
    IrValues best = InitialPivots(first);
    TENON_RETURN_IF_ERROR(
        EmitLoop(b_, first, rows, 1, best, [&](llvm::Value* row, IrValues& carried) {
          Compare(p_.Load(panel, row, vector), row, carried);
          return OkStatus();
        }));
    int64_t bytes = p_.lane_integer()->getBitWidth() / 8;
    llvm::Value* pivot_rows = EmitEntryAlloca(b_, plan_.lanes * bytes);
    llvm::Align align(plan_.lanes * bytes);
    b_.CreateAlignedStore(best[1], pivot_rows, align);
    return EmitLoop(b_, first, end, 1, [&](llvm::Value* row) -> Status {
      llvm::Value* lane = b_.CreateNSWSub(row, first);
      llvm::Value* column = b_.CreateNSWSub(row, begin);
      llvm::Value* pivot_row =
          b_.CreateLoad(p_.lane_integer(), OffsetPointer(b_, pivot_rows, lane, bytes));
      llvm::Value* other = b_.CreateSExt(pivot_row, b_.getInt64Ty());
      b_.CreateStore(b_.CreateTrunc(AddI(b_, other, 1), b_.getInt32Ty()), Pivot(row));
      Swap(panel, row, other);
      Number pivot = OneForZero(p_.LoadScalar(panel, row, column));
      TENON_ASSIGN_OR_RETURN(Number reciprocal, p_.Divide(p_.One(), pivot));
      llvm::Value* numbers = p_.LaneNumbers();
      llvm::Value* splat = SplatRow(lane);
      llvm::Value* is_pivot = b_.CreateICmpEQ(numbers, splat);
      Number u = p_.Select(b_.CreateICmpSGT(numbers, splat), p_.Load(panel, row, vector),
                           p_.Zero());
      llvm::Value* next = AddI(b_, row, 1);
      IrValues largest = InitialPivots(next);
      TENON_RETURN_IF_ERROR(EmitLoop(
          b_, next, rows, 1, largest, [&](llvm::Value* i, IrValues& carried) -> Status {
            Number l = p_.LoadScalar(panel, i, column);
            if (p_.ieee_denormals()) {  // the reciprocal of a denormal overflows
              TENON_ASSIGN_OR_RETURN(l, p_.Divide(l, pivot));
            } else {
              l = p_.Multiply(l, reciprocal);
            }
            l = p_.Splat(l);
            Number x = p_.MulSub(p_.Load(panel, i, vector), l, u, /*conjugate=*/false);
            x = p_.Select(is_pivot, l, x);
            p_.Store(x, panel, i, vector);
            Compare(x, i, carried);
            return OkStatus();
          }));
      b_.CreateAlignedStore(largest[1], pivot_rows, align);
      return OkStatus();
    });
  }

  // A zero pivot has a column of zeros, which is not divided.
  Number OneForZero(Number pivot) {
    llvm::Value* is_zero =
        b_.CreateFCmpOEQ(p_.Size(pivot), llvm::Constant::getNullValue(p_.real()));
    return p_.Select(is_zero, p_.One(), pivot);
  }
};

}  // namespace

Status EmitLu(IrBuilder& b, const LinalgSpec& spec, const LinalgPlan& plan,
              const LinalgPointers& pointers, const LinalgArguments& arguments,
              const TargetTraits& target) {
  return Lu(b, spec, plan, pointers, target).Emit(arguments);
}

}  // namespace tenon::codegen
