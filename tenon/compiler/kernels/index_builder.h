// Builds index arithmetic without repetition, each op at the outermost loop level where
// its operands are available.
//
// The loops under construction form a stack of levels. Each op is placed at the deepest
// level of its operands, so that loop-invariant values are computed outside the loop.
#ifndef TENON_COMPILER_KERNELS_INDEX_BUILDER_H_
#define TENON_COMPILER_KERNELS_INDEX_BUILDER_H_

#include <map>
#include <optional>
#include <tuple>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tenon::compiler {

class LevelStack {
 public:
  explicit LevelStack(mlir::Location loc) : loc_(loc) {}

  // Starts building at the end of `block`.
  void Push(mlir::Block* block);
  void Pop();
  size_t depth() const { return levels_.size(); }
  mlir::Block* BlockAt(size_t level) const { return levels_[level]; }

  size_t LevelOf(mlir::Value value) const;
  size_t LevelOf(llvm::ArrayRef<mlir::Value> values) const;
  // Inserts before the loop under construction in that level, or at the block's end.
  mlir::OpBuilder Builder(size_t level) const;
  mlir::OpBuilder InnermostBuilder() const { return Builder(levels_.size() - 1); }
  mlir::Location loc() const { return loc_; }

 private:
  mlir::Location loc_;
  std::vector<mlir::Block*> levels_;
};

class IndexBuilder {
 public:
  explicit IndexBuilder(LevelStack& levels) : levels_(levels) {}

  mlir::Value Constant(int64_t value);
  mlir::Value Add(mlir::Value x, mlir::Value y);
  mlir::Value Sub(mlir::Value x, mlir::Value y);
  mlir::Value Mul(mlir::Value x, int64_t y);
  mlir::Value DivU(mlir::Value x, int64_t y);
  mlir::Value RemU(mlir::Value x, int64_t y);
  mlir::Value Min(mlir::Value x, mlir::Value y);
  mlir::Value Max(mlir::Value x, mlir::Value y);
  // i1: 0 <= x < size. Null, which stands for true, if the known range of x implies it.
  mlir::Value InRange(mlir::Value x, int64_t size);
  // Whether the known ranges of `indices` imply that they are within an array of `shape`.
  bool AreInside(llvm::ArrayRef<mlir::Value> indices,
                 llvm::ArrayRef<int64_t> shape) const;
  // Whether the known range of x is disjoint from [0, size).
  bool IsNeverInRange(mlir::Value x, int64_t size) const;
  mlir::Value Equal(mlir::Value x, int64_t y);
  // Selects `on_below` where 0 <= x < bound, else `otherwise`.
  mlir::Value SelectBelow(mlir::Value x, int64_t bound, mlir::Value on_below,
                          mlir::Value otherwise);
  mlir::Value And(mlir::Value x, mlir::Value y);  // null operands stand for true
  mlir::Value Not(mlir::Value x);

  std::optional<int64_t> ConstantOf(mlir::Value value) const;
  // Declares the range [first, last] of an index.
  void SetRange(mlir::Value value, int64_t first, int64_t last) {
    ranges_[value] = {first, last};
  }
  std::optional<std::pair<int64_t, int64_t>> Range(mlir::Value value) const;

  // The bounds [lower, upper) of block `number`, where [0, total) is cut into blocks of
  // `size`.
  std::pair<mlir::Value, mlir::Value> BlockBounds(mlir::Value number, int64_t size,
                                                  int64_t total);

  // The row-major linear index of `indices` in `shape`, and its inverse.
  mlir::Value Linearize(llvm::ArrayRef<mlir::Value> indices,
                        llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<mlir::Value> Delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> shape);

 private:
  template <typename Op>
  mlir::Value Binary(mlir::Value x, mlir::Value y);
  template <mlir::arith::CmpIPredicate predicate>
  mlir::Value Compare(mlir::Value x, int64_t y);
  // Splits x into another index plus a constant, so that constant offsets are merged.
  std::pair<mlir::Value, int64_t> SplitOffset(mlir::Value x) const;
  mlir::Value Offset(mlir::Value x, int64_t by);

  LevelStack& levels_;
  std::map<std::tuple<const void*, void*, void*>, mlir::Value> known_;
  std::map<int64_t, mlir::Value> constants_;
  llvm::DenseMap<mlir::Value, std::pair<int64_t, int64_t>> ranges_;
};

}  // namespace tenon::compiler

#endif  // TENON_COMPILER_KERNELS_INDEX_BUILDER_H_
