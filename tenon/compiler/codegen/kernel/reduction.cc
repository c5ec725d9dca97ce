#include "tenon/compiler/codegen/kernel/reduction.h"

#include <algorithm>

#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/kernel/identity_constant.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"
#include "tenon/dialects/tenon/tensor_types.h"

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

StatusOr<Values> Reduction::CombinePartial(llvm::ArrayRef<llvm::Value*> x,
                                           llvm::ArrayRef<llvm::Value*> y) {
  auto operand = reduce_.getPositionOperand();
  if (!operand) return Combine(x, y);
  size_t part = 0;
  for (mlir::Value result : reduce_.getResults().take_front(*operand))
    part += ElementParts(ir::ElementTypeOfShaped(result.getType()));
  ElementType type = ir::ElementTypeOfShaped(reduce_.getResult(*operand).getType());
  auto before =
      compiler::IsSignedInteger(type) ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
  llvm::Value* swap = b_.CreateICmp(before, y[part], x[part]);
  Values first, second;
  for (auto [left, right] : llvm::zip_equal(x, y)) {
    first.push_back(b_.CreateSelect(swap, right, left));
    second.push_back(b_.CreateSelect(swap, left, right));
  }
  return Combine(first, second);
}

StatusOr<Values> Reduction::CombineLanes(Values lanes, int width) {
  auto take = [&](int from, int count) {
    Values taken;
    for (llvm::Value* value : lanes) {
      if (count == 1) {
        taken.push_back(b_.CreateExtractElement(value, uint64_t(from)));
        continue;
      }
      llvm::SmallVector<int> indices;
      for (int lane = 0; lane < count; ++lane) indices.push_back(from + lane);
      taken.push_back(b_.CreateShuffleVector(value, indices));
    }
    return taken;
  };
  for (int half = width / 2; half >= 1; half /= 2) {
    points_.set_lanes({half, nullptr});
    Values low = take(0, half), high = take(half, half);
    TENON_ASSIGN_OR_RETURN(lanes, CombinePartial(low, high));
  }
  points_.set_lanes({});
  return lanes;
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

int64_t StepsOfBlock(int64_t steps, int64_t min) {
  constexpr int64_t kMaxBlockSteps = 1024;
  int64_t block = min;
  while (block < kMaxBlockSteps && block * block < steps) block *= 2;
  return block;
}

Values SumStarts(mlir::Block& combiner, llvm::ArrayRef<llvm::Value*> inits,
                 size_t operands) {
  Values starts;
  if (!stablehlo::AddsFloats(combiner) || !stablehlo::IsReorderable(combiner) ||
      inits.size() != operands)
    return {};
  for (auto [position, init] : llvm::enumerate(inits)) {
    llvm::Type* type = init->getType();
    auto identity = IdentityConstant(combiner, position, type->getScalarType());
    if (!identity) return {};
    auto* lanes = llvm::dyn_cast<llvm::VectorType>(type);
    starts.push_back(
        lanes ? llvm::ConstantVector::getSplat(lanes->getElementCount(), *identity)
              : *identity);
  }
  return starts;
}

Values EmitBlocks(llvm::IRBuilderBase& b, llvm::Value* lower, llvm::Value* upper,
                  int64_t block, llvm::ArrayRef<llvm::Value*> carried,
                  const SumBlocks& blocks,
                  llvm::function_ref<Values(llvm::Value* begin, llvm::Value* end,
                                            llvm::ArrayRef<llvm::Value*> before)>
                      body) {
  return EmitForLoop(b, lower, upper, block, carried,
                     [&](llvm::Value* begin, llvm::ArrayRef<llvm::Value*> before) {
                       llvm::Value* end = b.CreateBinaryIntrinsic(
                           llvm::Intrinsic::smin,
                           b.CreateNSWAdd(begin, b.getInt64(block)), upper);
                       return blocks.add(before, body(begin, end, before));
                     });
}

Values EmitNestInBlocks(llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes,
                        int64_t steps, Values carried, const SumBlocks& blocks,
                        llvm::SmallVector<IndexValue>& indices, NestBody body) {
  if (sizes.empty() || compiler::Product(sizes) * steps <= kBlockSteps)
    return EmitLoopNest(b, sizes, std::move(carried), indices, body);
  const auto* longest = std::max_element(sizes.begin(), sizes.end());
  const size_t level = static_cast<size_t>(longest - sizes.begin());
  llvm::ArrayRef<int64_t> inside = sizes.drop_front(level + 1);
  const int64_t block =
      std::max<int64_t>(1, StepsOfBlock(compiler::Product(sizes) * steps) /
                               (steps * compiler::Product(inside)));
  auto iteration = [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> sums) {
    indices.push_back({iv, 0, *longest == 1 ? 0 : 1});
    Values next = EmitLoopNest(b, inside, Values(sums), indices, body);
    indices.pop_back();
    return next;
  };
  return EmitLoopNest(
      b, sizes.take_front(level), std::move(carried), indices,
      [&](llvm::ArrayRef<IndexValue>, llvm::ArrayRef<llvm::Value*> totals) {
        return EmitBlocks(b, b.getInt64(0), b.getInt64(*longest), block, totals, blocks,
                          [&](llvm::Value* begin, llvm::Value* end, auto) {
                            return EmitForLoop(b, begin, end, 1, blocks.starts,
                                               iteration);
                          });
      });
}

}  // namespace tenon::codegen
