// Shorthand for emitting StableHLO on parts of tensors.
#ifndef TENON_COMPILER_PARTITION_PART_BUILDER_H_
#define TENON_COMPILER_PARTITION_PART_BUILDER_H_

#include "mlir/IR/Builders.h"
#include "tenon/dialects/stablehlo/ops.h"
#include "tenon/dialects/tenon/tensor_types.h"

namespace tenon::compiler::partition {

// Every function emits one or two ops at the insertion point of the builder.
class PartBuilder {
 public:
  PartBuilder(mlir::OpBuilder& b, mlir::Location location) : b_(b), location_(location) {}

  mlir::OpBuilder& builder() { return b_; }
  mlir::Location location() const { return location_; }

  // Every element is `value`, of an integer type.
  mlir::Value Splat(mlir::RankedTensorType type, int64_t value);
  mlir::Value Zeros(mlir::RankedTensorType type);
  // The elements of `value` along `dims` of the result.
  mlir::Value Broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> dims = {});
  mlir::Value Convert(mlir::Value value, mlir::Type element);
  mlir::Value Bitcast(mlir::Value value, mlir::Type element);
  mlir::Value Reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  // An op of two tensors of one type, by name.
  mlir::Value Apply(llvm::StringRef name, mlir::Value a, mlir::Value b);
  mlir::Value Compare(stablehlo::ComparisonDirection direction, mlir::Value a,
                      mlir::Value b);
  // `predicate` has the shape of the operands.
  mlir::Value Select(mlir::Value predicate, mlir::Value a, mlir::Value b);
  mlir::Value Iota(mlir::RankedTensorType type, int64_t dim);
  // `size` elements of a dimension from `start`.
  mlir::Value Slice(mlir::Value value, int64_t dim, int64_t start, int64_t size);
  // The same from a scalar of type i64; `zero` is 0 of that type.
  mlir::Value Slice(mlir::Value value, int64_t dim, mlir::Value start, int64_t size,
                    mlir::Value zero);
  mlir::Value Concatenate(mlir::ValueRange values, int64_t dim);

 private:
  mlir::OpBuilder& b_;
  mlir::Location location_;
};

}  // namespace tenon::compiler::partition

#endif  // TENON_COMPILER_PARTITION_PART_BUILDER_H_
