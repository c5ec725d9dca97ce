#include "tenon/compiler/codegen/grid/group_matrix.h"

#include <algorithm>

#include "llvm/IR/Constants.h"

namespace tenon::codegen {

GroupMatrix::GroupMatrix(GroupBody& body, ir::LinalgOp op,
                         const compiler::LinalgSpec& spec, llvm::Value* group)
    : body_(body),
      b_(static_cast<IrBuilder&>(body.builder())),
      op_(op),
      spec_(spec),
      p_(b_, spec.type, plan_, body.target()),
      group_(group),
      items_(body.items()),
      neighbours_(std::min(kNeighbours, items_)) {}

Number GroupMatrix::Zero() {
  llvm::Value* none = llvm::Constant::getNullValue(p_.real());
  return {none, p_.is_complex() ? none : nullptr};
}

llvm::Value* GroupMatrix::Matrix(mlir::Value view, const MatrixShape& shape,
                                 llvm::Value* number) {
  return OffsetPointer(b_, body_.points().View(view),
                       MulI(b_, number, shape.rows * shape.columns), p_.element_bytes());
}

bool GroupMatrix::FitsLocal(int64_t elements) const {
  return elements * p_.element_bytes() + int64_t{items_} * 16 <=
         body_.device().local_bytes;
}

Status GroupMatrix::ForElements(
    Range rows, Range columns, bool along_rows, int together,
    llvm::function_ref<Number(llvm::Value*, llvm::Value*)> value,
    llvm::function_ref<void(Number, llvm::Value*, llvm::Value*)> store) {
  const Range fast = along_rows ? rows : columns, slow = along_rows ? columns : rows;
  const int apart = items_ / neighbours_;
  llvm::Value* first_fast =
      AddI(b_, fast.begin, b_.CreateURem(body_.item(), I64(neighbours_)));
  llvm::Value* first_slow =
      AddI(b_, slow.begin, b_.CreateUDiv(body_.item(), I64(neighbours_)));
  return EmitLoop(
      b_, first_slow, slow.end, int64_t{apart} * together, [&](llvm::Value* begin) {
        return EmitLoop(b_, first_fast, fast.end, neighbours_, [&](llvm::Value* at) {
          llvm::SmallVector<std::pair<llvm::Value*, Number>> values;
          for (int n = 0; n < together; ++n) {
            llvm::Value* index = AddI(b_, begin, int64_t{n} * apart);
            index = b_.CreateSelect(b_.CreateICmpSLT(index, slow.end), index, begin);
            values.push_back({index, along_rows ? value(at, index) : value(index, at)});
          }
          for (auto [index, number] : values)
            along_rows ? store(number, at, index) : store(number, index, at);
          return OkStatus();
        });
      });
}

Status GroupMatrix::Copy(llvm::Value* from, const MatrixShape& of_from, llvm::Value* to,
                         const MatrixShape& of_to, Range rows, Range columns,
                         bool along_rows) {
  return ForElements(
      rows, columns, along_rows, kCopied,
      [&](llvm::Value* i, llvm::Value* j) { return Load(from, of_from, i, j); },
      [&](Number value, llvm::Value* i, llvm::Value* j) {
        Store(value, to, of_to, i, j);
      });
}

IrValues GroupMatrix::Flatten(llvm::ArrayRef<Number> numbers) const {
  IrValues parts;
  for (const Number& number : numbers) PanelEmitter::Append(number, parts);
  return parts;
}

llvm::SmallVector<Number> GroupMatrix::Unflatten(
    llvm::ArrayRef<llvm::Value*> parts) const {
  llvm::SmallVector<Number> numbers;
  for (size_t n = 0; n < parts.size() / p_.parts(); ++n)
    numbers.push_back(p_.Take(parts, n));
  return numbers;
}

Status GroupMatrix::SubtractBefore(
    llvm::Value* end, llvm::SmallVector<Number>& x, bool conjugate,
    llvm::function_ref<Number(size_t, llvm::Value*)> factor,
    llvm::function_ref<Number(llvm::Value*)> solved) {
  constexpr int64_t kUnrolled = 4;  // divides kStep
  IrValues carried = Flatten(x);
  TENON_RETURN_IF_ERROR(
      EmitLoop(b_, I64(0), end, kUnrolled, carried, [&](llvm::Value* k, IrValues& parts) {
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

}  // namespace tenon::codegen
