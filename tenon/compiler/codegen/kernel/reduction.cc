#include "tenon/compiler/codegen/kernel/reduction.h"

namespace tenon::codegen {

StatusOr<Values> Reduction::PointValues(llvm::ArrayRef<IndexValue> indices) {
  mlir::Block& block = reduce_.getBody().front();
  for (auto [argument, index] : llvm::zip_equal(block.getArguments(), indices))
    points_.SetIndex(argument, index);
  return body_.EmitYielded(block);
}

StatusOr<Values> Reduction::Accumulate(llvm::ArrayRef<IndexValue> indices,
                                       llvm::ArrayRef<llvm::Value*> accumulators) {
  TENON_ASSIGN_OR_RETURN(Values values, PointValues(indices));
  return Combine(accumulators, values);
}

Values EmitLoopNest(llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes, Values carried,
                    llvm::SmallVector<IndexValue>& indices, NestBody body) {
  if (sizes.empty()) return body(indices, carried);
  return EmitForLoop(b, b.getInt64(0), b.getInt64(sizes.front()), 1, carried,
                     [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> values) {
                       bool zero = sizes.front() == 1;
                       indices.push_back({iv, 0, zero ? 0 : 1});
                       Values next = EmitLoopNest(b, sizes.drop_front(), Values(values),
                                                  indices, body);
                       indices.pop_back();
                       return next;
                     });
}

}  // namespace tenon::codegen
