// LU factors with exchanges of rows. When a column is known, its multiples are subtracted
// from all that is left. Matrices that fit are in local memory meanwhile, since every
// step waits for the elements of the one before. Of others, some columns at a time are in
// registers.
#include <algorithm>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/grid/group_matrix.h"

namespace tenon::codegen {
namespace {

using compiler::LinalgSpec;

// Of a panel, columns that are factored in registers at a time, and the words of 32 bits
// that they take at most: a quarter of the registers that a group can have.
constexpr int64_t kRegisterColumns = 8, kRegisterWords = 16 << 10;

int64_t Pivots(const LinalgSpec& spec) { return std::min(spec.a.rows, spec.a.columns); }

class GroupLu : GroupMatrix {
 public:
  using GroupMatrix::GroupMatrix;

  Status Emit() {
    const MatrixShape& outer = spec_.a;
    const MatrixShape local = LocalShape(outer.rows, outer.columns);
    const bool is_local = FitsLocal(LocalElements(local));
    const MatrixShape& shape = is_local ? local : outer;
    const bool along_rows = shape.column_stride != 1;
    llvm::Value* a = Matrix(op_.getInputs()[0], outer, group_);
    llvm::Value* result = Matrix(op_.getOutputs()[0], outer, group_);
    llvm::Value* lu = is_local ? AllocateLocal(local) : result;
    llvm::Value* pivots = OffsetPointer(b_, body_.points().View(op_.getOutputs()[1]),
                                        MulI(b_, group_, Pivots(spec_)), 4);
    llvm::Value *zero = I64(0), *rows = I64(shape.rows), *columns = I64(shape.columns);
    const Range all_rows{zero, rows}, all_columns{zero, columns};
    TENON_RETURN_IF_ERROR(
        Copy(a, outer, lu, shape, all_rows, all_columns, outer.column_stride != 1));
    llvm::Value* order = nullptr;  // of the rows, of a panel
    if (op_.getKind() == ir::LinalgKind::kLuPanel) {
      order = OffsetPointer(b_, body_.points().View(op_.getOutputs()[2]),
                            MulI(b_, group_, shape.rows), 4);
      TENON_RETURN_IF_ERROR(ForItems(zero, rows, [&](llvm::Value* i) {
        b_.CreateStore(b_.CreateTrunc(i, b_.getInt32Ty()),
                       OffsetPointer(b_, order, i, 4));
        return OkStatus();
      }));
    }
    if (!is_local && RegisterColumns(shape) > 0)
      return EmitInRegisters(lu, shape, pivots, order);
    TENON_RETURN_IF_ERROR(
        EmitLoop(b_, zero, I64(Pivots(spec_)), 1, [&](llvm::Value* k) -> Status {
          body_.Barrier();
          TENON_ASSIGN_OR_RETURN(llvm::Value * other, FindPivot(lu, shape, k));
          llvm::Value* next = AddI(b_, k, 1);
          StorePivot(pivots, order, k, other);
          TENON_RETURN_IF_ERROR(ForItems(zero, columns, [&](llvm::Value* j) {
            Number x = Load(lu, shape, k, j), y = Load(lu, shape, other, j);
            Store(y, lu, shape, k, j);
            Store(x, lu, shape, other, j);
            return OkStatus();
          }));
          body_.Barrier();
          const Number pivot = DivisorOf(Load(lu, shape, k, k));
          TENON_RETURN_IF_ERROR(ForItems(next, rows, [&](llvm::Value* i) -> Status {
            TENON_ASSIGN_OR_RETURN(Number l, p_.Divide(Load(lu, shape, i, k), pivot));
            Store(l, lu, shape, i, k);
            return OkStatus();
          }));
          body_.Barrier();
          return ForElements(
              {next, rows}, {next, columns}, along_rows, kUpdated,
              [&](llvm::Value* i, llvm::Value* j) {
                return p_.MulSub(Load(lu, shape, i, j), Load(lu, shape, i, k),
                                 Load(lu, shape, k, j), false);
              },
              [&](Number value, llvm::Value* i, llvm::Value* j) {
                Store(value, lu, shape, i, j);
              });
        }));
    if (!is_local) return OkStatus();
    body_.Barrier();
    return Copy(lu, local, result, outer, all_rows, all_columns,
                outer.column_stride != 1);
  }

 private:
  // Keeps the larger element, and its row. Of equally large ones the first row wins.
  void Choose(llvm::Value* size, llvm::Value* row, IrValues& kept) {
    llvm::Value* wins = b_.CreateOr(
        b_.CreateFCmpOGT(size, kept[0]),
        b_.CreateAnd(b_.CreateFCmpOEQ(size, kept[0]), b_.CreateICmpSLT(row, kept[1])));
    kept = {b_.CreateSelect(wins, size, kept[0]), b_.CreateSelect(wins, row, kept[1])};
  }
  // What Choose starts with: row k, unless all from there on are NaN.
  IrValues NoPivot(llvm::Value* k) { return {llvm::ConstantFP::get(p_.real(), -1.0), k}; }
  // The first row with the largest element of column k, from row k on.
  StatusOr<llvm::Value*> FindPivot(llvm::Value* lu, const MatrixShape& shape,
                                   llvm::Value* k) {
    IrValues best = NoPivot(k);
    TENON_RETURN_IF_ERROR(EmitLoop(b_, AddI(b_, k, body_.item()), I64(shape.rows), items_,
                                   best, [&](llvm::Value* row, IrValues& carried) {
                                     Choose(p_.Size(Load(lu, shape, row, k)), row,
                                            carried);
                                     return OkStatus();
                                   }));
    return BestOfItems(best);
  }
  // The row that wins among those of all items. There is a barrier, unless all items are
  // in one subgroup.
  llvm::Value* BestOfItems(IrValues best) {
    llvm::SmallVector<llvm::Type*> types{p_.real(), b_.getInt64Ty()};
    if (body_.HasSubgroups()) {
      // Of each subgroup, then of their results.
      const int width = body_.device().subgroup_items, subgroups = items_ / width;
      llvm::Value* lane =
          b_.CreateTrunc(b_.CreateURem(body_.item(), I64(width)), b_.getInt32Ty());
      auto reduce = [&](int lanes) {
        for (int half = lanes / 2; half > 0; half /= 2) {
          Values other = body_.ReadLane(best, b_.CreateXor(lane, b_.getInt32(half)));
          Choose(other[0], other[1], best);
        }
      };
      reduce(width);
      if (subgroups == 1) return best[1];
      body_.local().Store(best, b_.CreateUDiv(body_.item(), I64(width)), subgroups);
      body_.Barrier();
      const int lanes = std::min(width, subgroups);
      Values first =
          body_.local().Load(types, b_.CreateURem(body_.item(), I64(lanes)), subgroups);
      best = {first[0], first[1]};
      for (int more = lanes; more < subgroups; more += lanes) {
        Values other = body_.local().Load(
            types, b_.CreateAdd(b_.CreateURem(body_.item(), I64(lanes)), I64(more)),
            subgroups);
        Choose(other[0], other[1], best);
      }
      reduce(lanes);
      return best[1];
    }
    for (int half = items_ / 2; half > 0; half /= 2) {
      body_.local().Store(best, body_.item(), items_);
      body_.Barrier();
      Values other =
          body_.local().Load(types, b_.CreateXor(body_.item(), I64(half)), items_);
      Choose(other[0], other[1], best);
      body_.Barrier();
    }
    return best[1];
  }

  // How many columns EmitInRegisters takes at a time; 0 if it has no form for them.
  int64_t RegisterColumns(const MatrixShape& shape) const {
    const int64_t words = CeilDiv(shape.rows, items_) * items_ * p_.element_bytes() / 4;
    int64_t columns = kRegisterColumns;
    while (columns > 1 &&
           (columns * words > kRegisterWords || Pivots(spec_) % columns != 0))
      columns /= 2;
    return columns > 1 && shape.column_stride == 1 ? columns : 0;
  }

  void Swap(llvm::Value* i32, llvm::Value* other) {
    llvm::Value* x = b_.CreateLoad(b_.getInt32Ty(), i32);
    llvm::Value* y = b_.CreateLoad(b_.getInt32Ty(), other);
    b_.CreateStore(y, i32);
    b_.CreateStore(x, other);
  }
  void StorePivot(llvm::Value* pivots, llvm::Value* order, llvm::Value* k,
                  llvm::Value* row) {
    Once([&] {
      b_.CreateStore(b_.CreateTrunc(AddI(b_, row, 1), b_.getInt32Ty()),
                     OffsetPointer(b_, pivots, k, 4));
      if (order) Swap(OffsetPointer(b_, order, k, 4), OffsetPointer(b_, order, row, 4));
    });
  }
  // A zero pivot has a column of zeros, which is not divided.
  Number DivisorOf(Number pivot) {
    llvm::Value* zero = llvm::Constant::getNullValue(p_.real());
    return p_.Select(b_.CreateFCmpOEQ(p_.Size(pivot), zero), p_.One(), pivot);
  }

  // Factors the matrix in memory, some columns at a time. Each item has some rows of
  // these columns in registers, so that a column takes two barriers and little memory;
  // then the columns after them are updated at once.
  Status EmitInRegisters(llvm::Value* lu, const MatrixShape& shape, llvm::Value* pivots,
                         llvm::Value* order) {
    const int64_t width = RegisterColumns(shape);
    const MatrixShape small{width, width, width, 1};
    // Row n of each is of step n: the row that leaves its place, and the pivot's.
    llvm::Value *left = AllocateLocal(small), *pivot_rows = AllocateLocal(small);
    return EmitLoop(
        b_, I64(0), I64(Pivots(spec_)), width, [&](llvm::Value* first) -> Status {
          body_.Barrier();
          llvm::SmallVector<RegisterRow> rows = LoadRows(lu, shape, first, width);
          for (int64_t n = 0; n < width; ++n) {
            llvm::Value* k = AddI(b_, first, n);
            IrValues best = NoPivot(k);
            llvm::Value* never = llvm::ConstantFP::get(p_.real(), -2.0);
            for (const RegisterRow& row : rows) {
              llvm::Value* may =
                  b_.CreateAnd(row.exists, b_.CreateICmpSGE(row.number, k));
              Choose(b_.CreateSelect(may, p_.Size(row.values[n]), never), row.number,
                     best);
            }
            llvm::Value* other = BestOfItems(best);
            StorePivot(pivots, order, k, other);
            for (const RegisterRow& row : rows) {
              Publish(row, k, left, small, n);
              Publish(row, other, pivot_rows, small, n);
            }
            TENON_RETURN_IF_ERROR(
                ForItems(I64(0), I64(shape.columns - width), [&](llvm::Value* number) {
                  llvm::Value* j = b_.CreateSelect(b_.CreateICmpSLT(number, first),
                                                   number, AddI(b_, number, width));
                  Number x = Load(lu, shape, k, j), y = Load(lu, shape, other, j);
                  Store(y, lu, shape, k, j);
                  Store(x, lu, shape, other, j);
                  return OkStatus();
                }));
            body_.Barrier();
            TENON_RETURN_IF_ERROR(Eliminate(rows, k, other, n, RowOf(left, small, n),
                                            RowOf(pivot_rows, small, n)));
          }
          for (const RegisterRow& row : rows) {
            llvm::Value* changed =
                b_.CreateAnd(row.exists, b_.CreateICmpSGE(row.number, first));
            EmitIf(b_, changed, [&] {
              for (int64_t n = 0; n < width; ++n)
                Store(row.values[n], lu, shape, row.number, AddI(b_, first, n));
            });
          }
          return UpdateOthers(lu, shape, first, width, pivot_rows, small);
        });
  }

  // A row that an item has in registers, or the last row again.
  struct RegisterRow {
    llvm::Value *number, *exists;
    llvm::SmallVector<Number> values;
  };
  llvm::SmallVector<RegisterRow> LoadRows(llvm::Value* lu, const MatrixShape& shape,
                                          llvm::Value* first, int64_t width) {
    llvm::SmallVector<RegisterRow> rows;
    for (int64_t begin = 0; begin < shape.rows; begin += items_) {
      RegisterRow& row = rows.emplace_back();
      row.number = AddI(b_, body_.item(), begin);
      row.exists = b_.CreateICmpSLT(row.number, I64(shape.rows));
      llvm::Value* loaded = MinI(b_, row.number, I64(shape.rows - 1));
      for (int64_t n = 0; n < width; ++n)
        row.values.push_back(Load(lu, shape, loaded, AddI(b_, first, n)));
    }
    return rows;
  }
  // Stores the row in local memory if its number is `number`.
  void Publish(const RegisterRow& row, llvm::Value* number, llvm::Value* to,
               const MatrixShape& shape, int64_t at) {
    EmitIf(b_, b_.CreateICmpEQ(row.number, number), [&] {
      for (auto [n, value] : llvm::enumerate(row.values))
        Store(value, to, shape, I64(at), I64(static_cast<int64_t>(n)));
    });
  }
  llvm::SmallVector<Number> RowOf(llvm::Value* matrix, const MatrixShape& shape,
                                  int64_t row) {
    llvm::SmallVector<Number> values;
    for (int64_t n = 0; n < shape.columns; ++n)
      values.push_back(Load(matrix, shape, I64(row), I64(n)));
    return values;
  }
  // Exchanges rows `k`, whose values are `left`, and `other`, whose values are `pivots`,
  // and subtracts multiples of the pivot's row from those below.
  Status Eliminate(llvm::MutableArrayRef<RegisterRow> rows, llvm::Value* k,
                   llvm::Value* other, int64_t n, llvm::ArrayRef<Number> left,
                   llvm::ArrayRef<Number> pivots) {
    const Number divisor = DivisorOf(pivots[static_cast<size_t>(n)]);
    for (RegisterRow& row : rows) {
      llvm::Value* is_k = b_.CreateICmpEQ(row.number, k);
      llvm::Value* is_other = b_.CreateICmpEQ(row.number, other);
      for (auto [value, old, pivot] : llvm::zip_equal(row.values, left, pivots))
        value = p_.Select(is_k, pivot, p_.Select(is_other, old, value));
      llvm::Value* below = b_.CreateICmpSGT(row.number, k);
      const auto at = static_cast<size_t>(n);
      TENON_ASSIGN_OR_RETURN(const Number l, p_.Divide(row.values[at], divisor));
      row.values[at] = p_.Select(below, l, row.values[at]);
      for (size_t j = at + 1; j < row.values.size(); ++j)
        row.values[j] = p_.Select(below, p_.MulSub(row.values[j], l, pivots[j], false),
                                  row.values[j]);
    }
    return OkStatus();
  }
  // What columns [first, first + width) mean for those after them.
  Status UpdateOthers(llvm::Value* lu, const MatrixShape& shape, llvm::Value* first,
                      int64_t width, llvm::Value* pivot_rows, const MatrixShape& small) {
    llvm::Value *next = AddI(b_, first, width), *columns = I64(shape.columns);
    body_.Barrier();
    // Their rows [first, next): a triangular system.
    TENON_RETURN_IF_ERROR(ForItems(next, columns, [&](llvm::Value* j) {
      llvm::SmallVector<Number> x;
      for (int64_t n = 0; n < width; ++n)
        x.push_back(Load(lu, shape, AddI(b_, first, n), j));
      for (size_t n = 1; n < x.size(); ++n) {
        for (size_t m = 0; m < n; ++m) {
          const Number l = Load(pivot_rows, small, I64(static_cast<int64_t>(n)),
                                I64(static_cast<int64_t>(m)));
          x[n] = p_.MulSub(x[n], l, x[m], false);
        }
        Store(x[n], lu, shape, AddI(b_, first, static_cast<int64_t>(n)), j);
      }
      return OkStatus();
    }));
    body_.Barrier();
    // The rows below. An item has two columns of a row, because it needs all of the row's
    // multipliers, and two rows. Where there are fewer, the first is computed again.
    llvm::Value* in_fast = b_.CreateURem(body_.item(), I64(neighbours_));
    llvm::Value* in_slow = b_.CreateUDiv(body_.item(), I64(neighbours_));
    const int apart = items_ / neighbours_;
    auto or_first = [&](llvm::Value* index, llvm::Value* otherwise, llvm::Value* end) {
      return b_.CreateSelect(b_.CreateICmpSLT(index, end), index, otherwise);
    };
    return EmitLoop(
        b_, AddI(b_, next, in_fast), columns, 2 * neighbours_,
        [&](llvm::Value* j) -> Status {
          llvm::Value* const js[] = {j, or_first(AddI(b_, j, neighbours_), j, columns)};
          llvm::SmallVector<Number> above[2];
          for (int c = 0; c < 2; ++c)
            for (int64_t n = 0; n < width; ++n)
              above[c].push_back(Load(lu, shape, AddI(b_, first, n), js[c]));
          return EmitLoop(
              b_, AddI(b_, next, in_slow), I64(shape.rows), 2 * apart,
              [&](llvm::Value* i) {
                llvm::Value* const is[] = {
                    i, or_first(AddI(b_, i, apart), i, I64(shape.rows))};
                Number x[2][2];
                for (int r = 0; r < 2; ++r)
                  for (int c = 0; c < 2; ++c) x[r][c] = Load(lu, shape, is[r], js[c]);
                for (int r = 0; r < 2; ++r) {
                  for (int64_t n = 0; n < width; ++n) {
                    const Number l = Load(lu, shape, is[r], AddI(b_, first, n));
                    for (int c = 0; c < 2; ++c)
                      x[r][c] =
                          p_.MulSub(x[r][c], l, above[c][static_cast<size_t>(n)], false);
                  }
                }
                for (int r = 0; r < 2; ++r)
                  for (int c = 0; c < 2; ++c) Store(x[r][c], lu, shape, is[r], js[c]);
                return OkStatus();
              });
        });
  }
};

}  // namespace

Status EmitGroupLu(GroupBody& body, ir::LinalgOp op, const LinalgSpec& spec,
                   llvm::Value* group) {
  return GroupLu(body, op, spec, group).Emit();
}

}  // namespace tenon::codegen
