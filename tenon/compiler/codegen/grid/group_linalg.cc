// All forms are right-looking: when a row or column is known, its multiples are
// subtracted from all that is left. The items of a group form rows of kFast; neighbours
// access neighbouring elements. Matrices that fit are in local memory meanwhile, since
// every step waits for the elements of the one before.
#include "tenon/compiler/codegen/grid/group_linalg.h"

#include <algorithm>
#include <bit>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/linalg/panel.h"

namespace tenon::codegen {
namespace {

using compiler::LinalgAlgorithm;
using compiler::LinalgPlan;
using compiler::LinalgSpec;
using compiler::MatrixShape;

constexpr int kFast = 32;
// Elements that an item updates together, or copies: it loads all before it stores one,
// so that it waits for memory once.
constexpr int kTogether = 4, kCopiedTogether = 8;
// In local memory, rows of a triangular system, or of a factor, that an item has in
// registers at a time.
constexpr int64_t kStep = 8;
// Of a panel of LU, columns that are factored in registers at a time, and the words of
// 32 bits that they take at most: a quarter of the registers that a group can have.
constexpr int64_t kRegisterColumns = 8, kRegisterWords = 16 << 10;
// Columns of right-hand sides that a group solves.
constexpr int64_t kSolvedColumns = 32;

int64_t CeilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
int64_t Pivots(const LinalgSpec& spec) { return std::min(spec.a.rows, spec.a.columns); }
int64_t SolvedColumns(const LinalgSpec& spec) {
  return std::min(spec.b.columns, kSolvedColumns);
}

class GroupLinalg {
 public:
  GroupLinalg(GroupBody& body, ir::LinalgOp op, const LinalgSpec& spec,
              llvm::Value* group)
      : body_(body),
        b_(static_cast<IrBuilder&>(body.builder())),
        op_(op),
        spec_(spec),
        p_(b_, spec.type, plan_, body.target()),
        group_(group),
        items_(body.items()),
        fast_(std::min(kFast, items_)) {}

  Status Emit() {
    switch (spec_.algorithm) {
      case LinalgAlgorithm::kCholesky:
        return EmitCholesky();
      case LinalgAlgorithm::kLu:
        return EmitLu();
      case LinalgAlgorithm::kTriangularSolve:
        return EmitTriangularSolve();
      default:
        return Internal("no group form of this kind of linear algebra");
    }
  }

 private:
  using Indices = llvm::function_ref<Status(llvm::Value* row, llvm::Value* column)>;

  llvm::Value* I64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  // Matrix number `number` of a dense batch.
  llvm::Value* Matrix(mlir::Value view, const MatrixShape& shape, llvm::Value* number) {
    return OffsetPointer(b_, body_.points().View(view),
                         MulI(b_, number, shape.rows * shape.columns),
                         p_.element_bytes());
  }
  Number Load(llvm::Value* matrix, const MatrixShape& shape, llvm::Value* row,
              llvm::Value* column) {
    return p_.LoadElement(p_.Element(matrix, shape, row, column));
  }
  void Store(Number value, llvm::Value* matrix, const MatrixShape& shape,
             llvm::Value* row, llvm::Value* column) {
    p_.StoreElement(value, p_.Element(matrix, shape, row, column));
  }

  // Whether so many elements fit the group's local memory, beside what FindPivot has.
  bool FitsLocal(int64_t elements) const {
    const int64_t pivots = int64_t{items_} * 16;
    return elements * p_.element_bytes() + pivots <= body_.device().local_bytes;
  }
  // A matrix in local memory. An odd number of elements from row to row, so that items
  // access different banks along rows and along columns.
  static MatrixShape LocalShape(int64_t rows, int64_t columns) {
    return {rows, columns, columns | 1, 1};
  }
  static int64_t LocalElements(const MatrixShape& shape) {
    return shape.rows * shape.row_stride;
  }
  llvm::Value* AllocateLocal(const MatrixShape& shape) {
    return body_.local().Allocate(LocalElements(shape) * p_.element_bytes());
  }
  // Copies columns [first, last) to columns from 0 on, or back.
  Status CopyIn(llvm::Value* from, const MatrixShape& shape, llvm::Value* to,
                const MatrixShape& local, llvm::Value* first, llvm::Value* last) {
    return ForElements(I64(0), I64(shape.rows), first, last, shape.column_stride != 1,
                       [&](llvm::Value* i, llvm::Value* j) {
                         Store(Load(from, shape, i, j), to, local, i,
                               b_.CreateSub(j, first));
                         return OkStatus();
                       });
  }
  Status CopyOut(llvm::Value* from, const MatrixShape& local, llvm::Value* to,
                 const MatrixShape& shape, llvm::Value* first, llvm::Value* last) {
    return ForElements(I64(0), I64(shape.rows), first, last, shape.column_stride != 1,
                       [&](llvm::Value* i, llvm::Value* j) {
                         Store(Load(from, local, i, b_.CreateSub(j, first)), to, shape, i,
                               j);
                         return OkStatus();
                       });
  }

  // Divides the elements of rows [row_begin, row_end) and columns [column_begin,
  // column_end) among the items. Consecutive items have consecutive columns, or rows if
  // `along_rows`.
  Status ForElements(llvm::Value* row_begin, llvm::Value* row_end,
                     llvm::Value* column_begin, llvm::Value* column_end, bool along_rows,
                     Indices element) {
    llvm::Value* in_fast = b_.CreateURem(body_.item(), I64(fast_));
    llvm::Value* in_slow = b_.CreateUDiv(body_.item(), I64(fast_));
    llvm::Value* slow_begin = along_rows ? column_begin : row_begin;
    llvm::Value* slow_end = along_rows ? column_end : row_end;
    llvm::Value* fast_begin = along_rows ? row_begin : column_begin;
    llvm::Value* fast_end = along_rows ? row_end : column_end;
    return EmitLoop(b_, AddI(b_, slow_begin, in_slow), slow_end, items_ / fast_,
                    [&](llvm::Value* slow) {
                      return EmitLoop(b_, AddI(b_, fast_begin, in_fast), fast_end, fast_,
                                      [&](llvm::Value* fast) {
                                        return along_rows ? element(fast, slow)
                                                          : element(slow, fast);
                                      });
                    });
  }
  // Stores `update` of each of these elements of a matrix, several rows (columns, if
  // `along_rows`) at a time. An update reads none of them but its own. Where there are
  // fewer, the first one is computed again. `is_upper`: those below the diagonal may be
  // left out.
  Status Update(llvm::Value* matrix, const MatrixShape& shape, llvm::Value* row_begin,
                llvm::Value* row_end, llvm::Value* column_begin, llvm::Value* column_end,
                bool along_rows, bool is_upper,
                llvm::function_ref<Number(llvm::Value*, llvm::Value*)> update) {
    llvm::Value* in_fast = b_.CreateURem(body_.item(), I64(fast_));
    llvm::Value* in_slow = b_.CreateUDiv(body_.item(), I64(fast_));
    llvm::Value* slow_begin = along_rows ? column_begin : row_begin;
    llvm::Value* slow_end = along_rows ? column_end : row_end;
    llvm::Value* fast_begin = along_rows ? row_begin : column_begin;
    llvm::Value* fast_end = along_rows ? row_end : column_end;
    const int apart = items_ / fast_;
    auto together = [&](llvm::Value* first, llvm::Value* fast) {
      llvm::SmallVector<std::pair<llvm::Value*, Number>> updated;
      for (int n = 0; n < kTogether; ++n) {
        llvm::Value* slow = AddI(b_, first, n * apart);
        slow = b_.CreateSelect(b_.CreateICmpSLT(slow, slow_end), slow, first);
        updated.push_back({slow, along_rows ? update(fast, slow) : update(slow, fast)});
      }
      for (auto [slow, value] : updated)
        Store(value, matrix, shape, along_rows ? fast : slow, along_rows ? slow : fast);
      return OkStatus();
    };
    return EmitLoop(b_, AddI(b_, slow_begin, in_slow), slow_end, apart * kTogether,
                    [&](llvm::Value* slow) {
                      return EmitLoop(b_, AddI(b_, fast_begin, in_fast), fast_end, fast_,
                                      [&](llvm::Value* fast) -> Status {
                                        if (!is_upper || along_rows)
                                          return together(slow, fast);
                                        return EmitIfElse(
                                            b_, b_.CreateICmpSLE(slow, fast),
                                            [&] { return together(slow, fast); });
                                      });
                    });
  }
  // Divides indices among all items.
  Status ForItems(llvm::Value* begin, llvm::Value* end,
                  llvm::function_ref<Status(llvm::Value*)> index) {
    return EmitLoop(b_, AddI(b_, begin, body_.item()), end, items_, index);
  }
  void Once(llvm::function_ref<void()> emit) {
    EmitIf(b_, b_.CreateICmpEQ(body_.item(), I64(0)), emit);
  }

  void Swap(llvm::Value* i32, llvm::Value* other) {
    llvm::Value* x = b_.CreateLoad(b_.getInt32Ty(), i32);
    llvm::Value* y = b_.CreateLoad(b_.getInt32Ty(), other);
    b_.CreateStore(y, i32);
    b_.CreateStore(x, other);
  }

  Number DivideByReal(Number x, llvm::Value* by) {
    return {b_.CreateFDiv(x.re, by), x.im ? b_.CreateFDiv(x.im, by) : nullptr};
  }

  // a = u^H u, in the upper triangle of the result.
  Status EmitCholesky() {
    const MatrixShape& shape = spec_.a;
    llvm::Value* a = Matrix(op_.getInputs()[0], shape, group_);
    llvm::Value* u = Matrix(op_.getOutputs()[0], shape, group_);
    IrValues status{b_.getInt32(0)};
    const int64_t whole = Whole(shape.rows);
    if (whole <= items_ && FitsLocal(LocalElements(LocalShape(whole, whole)) +
                                     LocalElements(LocalShape(kStep, kStep)))) {
      TENON_RETURN_IF_ERROR(FactorInRegisters(a, u, status));
    } else {
      TENON_RETURN_IF_ERROR(FactorInMemory(a, u, status));
    }
    Once([&] {
      b_.CreateStore(
          status[0],
          OffsetPointer(b_, body_.points().View(op_.getOutputs()[1]), group_, 4));
    });
    return OkStatus();
  }

  Number ZeroNumber() {
    llvm::Value* none = llvm::Constant::getNullValue(p_.real());
    return {none, p_.is_complex() ? none : nullptr};
  }
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

  // In local memory. An item has a column of u, kStep rows at a time in registers. Each
  // item factors the block on the diagonal for itself, which takes fewer barriers than
  // to share it. Rows and columns that are added are those of the identity.
  Status FactorInRegisters(llvm::Value* a, llvm::Value* result, IrValues& status) {
    const int64_t n = spec_.a.rows, whole = Whole(n);
    const bool along_rows = spec_.a.column_stride != 1;
    const MatrixShape shape = LocalShape(whole, whole), small = LocalShape(kStep, kStep);
    llvm::Value *u = AllocateLocal(shape), *diagonal = AllocateLocal(small);
    const Number zero = ZeroNumber();
    TENON_RETURN_IF_ERROR(CopyTogether(
        whole, I64(0), I64(whole), along_rows,
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
    return CopyTogether(
        n, I64(0), I64(n), along_rows,
        [&](llvm::Value* i, llvm::Value* j) { return Load(u, shape, i, j); },
        [&](Number value, llvm::Value* i, llvm::Value* j) {
          Store(value, result, spec_.a, i, j);
        });
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
      const Number on_diagonal{root, ZeroNumber().im};
      x[k] = p_.Select(b_.CreateICmpEQ(column, number), on_diagonal,
                       DivideByReal(x[k], root));
      for (size_t i = k + 1; i < x.size(); ++i) {
        for (size_t j = i; j < x.size(); ++j)
          block[i][j] = p_.MulSub(block[i][j], block[k][i], block[k][j], true);
        x[i] = p_.MulSub(x[i], block[k][i], x[k], true);
      }
    }
  }

  Status FactorInMemory(llvm::Value* a, llvm::Value* u, IrValues& status) {
    const MatrixShape& shape = spec_.a;
    const bool along_rows = shape.column_stride != 1;
    llvm::Value *zero = I64(0), *n = I64(shape.rows);
    TENON_RETURN_IF_ERROR(
        ForElements(zero, n, zero, n, along_rows, [&](llvm::Value* i, llvm::Value* j) {
          Store(p_.Select(b_.CreateICmpSLE(i, j), Load(a, shape, i, j), ZeroNumber()), u,
                shape, i, j);
          return OkStatus();
        }));
    return EmitLoop(
        b_, zero, n, 1, status, [&](llvm::Value* k, IrValues& carried) -> Status {
          body_.Barrier();
          llvm::Value* root = RootOf(Load(u, shape, k, k).re, k, carried);
          llvm::Value* next = AddI(b_, k, 1);
          TENON_RETURN_IF_ERROR(ForItems(next, n, [&](llvm::Value* j) {
            Store(DivideByReal(Load(u, shape, k, j), root), u, shape, k, j);
            return OkStatus();
          }));
          body_.Barrier();
          Once([&] { Store({root, ZeroNumber().im}, u, shape, k, k); });
          return Update(u, shape, next, n, next, n, along_rows, true,
                        [&](llvm::Value* i, llvm::Value* j) {
                          Number old = Load(u, shape, i, j);
                          Number x = p_.MulSub(old, Load(u, shape, k, i),
                                               Load(u, shape, k, j), /*conjugate=*/true);
                          return p_.Select(b_.CreateICmpSLE(i, j), x, old);
                        });
        });
  }

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

  // How many columns EmitLuInRegisters takes at a time; 0 if it has no form for them.
  int64_t RegisterColumns(const MatrixShape& shape) const {
    const int64_t words = CeilDiv(shape.rows, items_) * items_ * p_.element_bytes() / 4;
    int64_t columns = kRegisterColumns;
    while (columns > 1 &&
           (columns * words > kRegisterWords || Pivots(spec_) % columns != 0))
      columns /= 2;
    return columns > 1 && shape.column_stride == 1 ? columns : 0;
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
  Status EmitLuInRegisters(llvm::Value* lu, const MatrixShape& shape, llvm::Value* pivots,
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
    llvm::Value* in_fast = b_.CreateURem(body_.item(), I64(fast_));
    llvm::Value* in_slow = b_.CreateUDiv(body_.item(), I64(fast_));
    const int apart = items_ / fast_;
    auto or_first = [&](llvm::Value* index, llvm::Value* otherwise, llvm::Value* end) {
      return b_.CreateSelect(b_.CreateICmpSLT(index, end), index, otherwise);
    };
    return EmitLoop(
        b_, AddI(b_, next, in_fast), columns, 2 * fast_, [&](llvm::Value* j) -> Status {
          llvm::Value* const js[] = {j, or_first(AddI(b_, j, fast_), j, columns)};
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

  Status EmitLu() {
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
    TENON_RETURN_IF_ERROR(CopyIn(a, outer, lu, shape, zero, columns));
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
      return EmitLuInRegisters(lu, shape, pivots, order);
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
          return Update(lu, shape, next, rows, next, columns, along_rows, false,
                        [&](llvm::Value* i, llvm::Value* j) {
                          return p_.MulSub(Load(lu, shape, i, j), Load(lu, shape, i, k),
                                           Load(lu, shape, k, j), false);
                        });
        }));
    if (!is_local) return OkStatus();
    body_.Barrier();
    return CopyOut(lu, local, result, outer, zero, columns);
  }

  // a x = b for some columns of b.
  Status EmitTriangularSolve() {
    const int64_t n = spec_.a.columns, width = SolvedColumns(spec_);
    const int64_t parts = CeilDiv(spec_.b.columns, width);
    llvm::Value* number = b_.CreateUDiv(group_, I64(parts));
    llvm::Value* first = MulI(b_, b_.CreateURem(group_, I64(parts)), width);
    llvm::Value* last = MinI(b_, AddI(b_, first, width), I64(spec_.b.columns));
    llvm::Value* a = Matrix(op_.getInputs()[0], spec_.a, number);
    llvm::Value* right = Matrix(op_.getInputs()[1], spec_.b, number);
    llvm::Value* result = Matrix(op_.getOutputs()[0], spec_.b, number);
    if (FitsLocal(LocalElements(LocalShape(Whole(n), Whole(n))) +
                  LocalElements(LocalShape(Whole(n), width))))
      return SolveInRegisters(a, right, result, first, last);
    llvm::Value *zero = I64(0), *size = I64(n);
    TENON_RETURN_IF_ERROR(ForElements(zero, size, first, last, spec_.b.column_stride != 1,
                                      [&](llvm::Value* i, llvm::Value* j) {
                                        Store(Load(right, spec_.b, i, j), result, spec_.b,
                                              i, j);
                                        return OkStatus();
                                      }));
    const bool along_rows = spec_.b.column_stride != 1 || width < fast_;
    auto factor = [&](llvm::Value* row, llvm::Value* column) {
      Number value = Load(a, spec_.a, row, column);
      return spec_.conjugate ? p_.Conjugate(value) : value;
    };
    return EmitLoop(b_, zero, size, 1, [&](llvm::Value* step) -> Status {
      llvm::Value* k = spec_.lower ? step : b_.CreateSub(I64(n - 1), step);
      body_.Barrier();
      if (!spec_.unit_diagonal) {
        Number pivot = factor(k, k);
        TENON_RETURN_IF_ERROR(ForItems(first, last, [&](llvm::Value* j) -> Status {
          TENON_ASSIGN_OR_RETURN(Number solved,
                                 p_.Divide(Load(result, spec_.b, k, j), pivot));
          Store(solved, result, spec_.b, k, j);
          return OkStatus();
        }));
        body_.Barrier();
      }
      llvm::Value* begin = spec_.lower ? AddI(b_, k, 1) : zero;
      llvm::Value* end = spec_.lower ? size : k;
      return Update(result, spec_.b, begin, end, first, last, along_rows, false,
                    [&](llvm::Value* i, llvm::Value* j) {
                      return p_.MulSub(Load(result, spec_.b, i, j), factor(i, k),
                                       Load(result, spec_.b, k, j), false);
                    });
    });
  }

  // The same number, or the next multiple of kStep.
  static int64_t Whole(int64_t size) { return CeilDiv(size, kStep) * kStep; }

  // Copies to[i, j] = value(i, j) for i < rows and columns [first, last), several at a
  // time. Neighbours among the items have neighbouring columns, or rows.
  Status CopyTogether(
      int64_t rows, llvm::Value* first, llvm::Value* last, bool along_rows,
      llvm::function_ref<Number(llvm::Value*, llvm::Value*)> value,
      llvm::function_ref<void(Number, llvm::Value*, llvm::Value*)> store) {
    llvm::Value* in_fast = b_.CreateURem(body_.item(), I64(fast_));
    llvm::Value* in_slow = b_.CreateUDiv(body_.item(), I64(fast_));
    llvm::Value *slow_begin = I64(0), *slow_end = I64(rows);
    llvm::Value *fast_begin = first, *fast_end = last;
    if (along_rows) {
      std::swap(slow_begin, fast_begin);
      std::swap(slow_end, fast_end);
    }
    const int apart = items_ / fast_;
    return EmitLoop(
        b_, AddI(b_, fast_begin, in_fast), fast_end, fast_, [&](llvm::Value* fast) {
          return EmitLoop(
              b_, AddI(b_, slow_begin, in_slow), slow_end, apart * kCopiedTogether,
              [&](llvm::Value* begin) {
                llvm::SmallVector<std::pair<llvm::Value*, Number>> copied;
                for (int n = 0; n < kCopiedTogether; ++n) {
                  llvm::Value* slow = AddI(b_, begin, n * apart);
                  slow = b_.CreateSelect(b_.CreateICmpSLT(slow, slow_end), slow, begin);
                  copied.push_back(
                      {slow, along_rows ? value(fast, slow) : value(slow, fast)});
                }
                for (auto [slow, number] : copied)
                  along_rows ? store(number, fast, slow) : store(number, slow, fast);
                return OkStatus();
              });
        });
  }

  // Numbers in registers, as a loop carries them.
  IrValues Flatten(llvm::ArrayRef<Number> numbers) {
    IrValues parts;
    for (const Number& number : numbers) PanelEmitter::Append(number, parts);
    return parts;
  }
  llvm::SmallVector<Number> Unflatten(llvm::ArrayRef<llvm::Value*> parts) {
    llvm::SmallVector<Number> numbers;
    for (size_t n = 0; n < parts.size() / p_.parts(); ++n)
      numbers.push_back(p_.Take(parts, n));
    return numbers;
  }
  // Subtracts factor(n, k) * solved(k) from number n of `x`, for k < end in their order.
  Status SubtractBefore(llvm::Value* end, llvm::SmallVector<Number>& x, bool conjugate,
                        llvm::function_ref<Number(size_t, llvm::Value*)> factor,
                        llvm::function_ref<Number(llvm::Value*)> solved) {
    constexpr int64_t kUnrolled = 4;  // divides kStep
    IrValues carried = Flatten(x);
    TENON_RETURN_IF_ERROR(EmitLoop(
        b_, I64(0), end, kUnrolled, carried, [&](llvm::Value* k, IrValues& parts) {
          llvm::SmallVector<Number> numbers = Unflatten(parts);
          for (int64_t u = 0; u < kUnrolled; ++u) {
            llvm::Value* at = AddI(b_, k, u);
            const Number y = solved(at);
            for (auto [n, number] : llvm::enumerate(numbers))
              number = p_.MulSub(number, factor(n, at), y, conjugate);
          }
          parts = Flatten(numbers);
          return OkStatus();
        }));
    x = Unflatten(carried);
    return OkStatus();
  }

  // The system in local memory. An item solves one column: it has kStep unknowns in
  // registers at a time, and reads those before them, which it wrote itself. Rows are in
  // the order in which they are solved, and unknowns that are added are 0 / 1.
  Status SolveInRegisters(llvm::Value* a, llvm::Value* right, llvm::Value* result,
                          llvm::Value* first, llvm::Value* last) {
    const int64_t n = spec_.a.columns, whole = Whole(n);
    const MatrixShape of_a = LocalShape(whole, whole);
    const MatrixShape of_x = LocalShape(whole, SolvedColumns(spec_));
    llvm::Value *local_a = AllocateLocal(of_a), *x = AllocateLocal(of_x);
    // The row of the matrix; those that are added repeat one.
    auto row_of = [&](llvm::Value* step) {
      step = MinI(b_, step, I64(n - 1));
      return spec_.lower ? step : b_.CreateSub(I64(n - 1), step);
    };
    auto or_if_added = [&](llvm::Value* i, llvm::Value* j, Number value, Number other) {
      if (whole == n) return value;
      return p_.Select(
          b_.CreateAnd(b_.CreateICmpSLT(i, I64(n)), b_.CreateICmpSLT(j, I64(n))), value,
          other);
    };
    const Number zero = ZeroNumber();
    TENON_RETURN_IF_ERROR(CopyTogether(
        whole, I64(0), I64(whole), spec_.a.column_stride != 1,
        [&](llvm::Value* i, llvm::Value* j) {
          const Number value = Load(a, spec_.a, row_of(i), row_of(j));
          return or_if_added(i, j, value,
                             p_.Select(b_.CreateICmpEQ(i, j), p_.One(), zero));
        },
        [&](Number value, llvm::Value* i, llvm::Value* j) {
          Store(value, local_a, of_a, i, j);
        }));
    TENON_RETURN_IF_ERROR(CopyTogether(
        whole, first, last, spec_.b.column_stride != 1,
        [&](llvm::Value* i, llvm::Value* j) {
          return or_if_added(i, I64(0), Load(right, spec_.b, row_of(i), j), zero);
        },
        [&](Number value, llvm::Value* i, llvm::Value* j) {
          Store(value, x, of_x, i, b_.CreateSub(j, first));
        }));
    body_.Barrier();
    auto factor = [&](llvm::Value* row, llvm::Value* column) {
      const Number value = Load(local_a, of_a, row, column);
      return spec_.conjugate ? p_.Conjugate(value) : value;
    };
    TENON_RETURN_IF_ERROR(
        EmitIfElse(b_, b_.CreateICmpSLT(body_.item(), b_.CreateSub(last, first)), [&] {
          llvm::Value* const column = body_.item();
          return EmitLoop(
              b_, I64(0), I64(whole), kStep, [&](llvm::Value* begin) -> Status {
                llvm::SmallVector<Number> unknowns;
                for (int64_t i = 0; i < kStep; ++i)
                  unknowns.push_back(Load(x, of_x, AddI(b_, begin, i), column));
                const auto row = [&](size_t i) {
                  return AddI(b_, begin, static_cast<int64_t>(i));
                };
                TENON_RETURN_IF_ERROR(SubtractBefore(
                    begin, unknowns, /*conjugate=*/false,
                    [&](size_t i, llvm::Value* k) { return factor(row(i), k); },
                    [&](llvm::Value* k) { return Load(x, of_x, k, column); }));
                for (size_t i = 0; i < unknowns.size(); ++i) {
                  for (size_t k = 0; k < i; ++k)
                    unknowns[i] = p_.MulSub(unknowns[i], factor(row(i), row(k)),
                                            unknowns[k], false);
                  if (!spec_.unit_diagonal) {
                    TENON_ASSIGN_OR_RETURN(
                        unknowns[i], p_.Divide(unknowns[i], factor(row(i), row(i))));
                  }
                  Store(unknowns[i], x, of_x, row(i), column);
                }
                return OkStatus();
              });
        }));
    body_.Barrier();
    return CopyTogether(
        n, first, last, spec_.b.column_stride != 1,
        [&](llvm::Value* i, llvm::Value* j) {
          return Load(x, of_x, i, b_.CreateSub(j, first));
        },
        [&](Number value, llvm::Value* i, llvm::Value* j) {
          Store(value, result, spec_.b, row_of(i), j);
        });
  }

  GroupBody& body_;
  IrBuilder& b_;
  ir::LinalgOp op_;
  const LinalgSpec& spec_;
  const LinalgPlan plan_;  // of scalars
  PanelEmitter p_;
  llvm::Value* const group_;
  const int items_;
  const int fast_;  // how many items are neighbours in memory
};

}  // namespace

bool HasGroupForm(const LinalgSpec& spec) {
  return spec.algorithm == LinalgAlgorithm::kCholesky ||
         spec.algorithm == LinalgAlgorithm::kLu ||
         spec.algorithm == LinalgAlgorithm::kTriangularSolve;
}

int ItemsOfLinalg(const LinalgSpec& spec, const compiler::DeviceTarget& device) {
  // Small matrices: an item for each element of a row, and a few rows at a time.
  constexpr int64_t kRowsAtATime = 4;
  const int64_t side = std::max(spec.a.rows, spec.a.columns);
  const auto wanted = static_cast<uint64_t>(std::max<int64_t>(1, side * kRowsAtATime));
  const bool is_panel = spec.algorithm == LinalgAlgorithm::kLu && spec.batch == 1 &&
                        side > device.max_group_items;
  const int most = is_panel ? device.max_lone_group_items : device.max_group_items;
  return static_cast<int>(std::min<uint64_t>(
      std::max<uint64_t>(std::bit_ceil(wanted), kFast), static_cast<uint64_t>(most)));
}

int64_t GroupsOfLinalg(const LinalgSpec& spec) {
  if (spec.algorithm != LinalgAlgorithm::kTriangularSolve) return spec.batch;
  if (spec.b.columns == 0) return 0;
  return spec.batch * CeilDiv(spec.b.columns, SolvedColumns(spec));
}

Status EmitGroupLinalg(GroupBody& body, ir::LinalgOp op, const LinalgSpec& spec,
                       llvm::Value* group) {
  return GroupLinalg(body, op, spec, group).Emit();
}

}  // namespace tenon::codegen
