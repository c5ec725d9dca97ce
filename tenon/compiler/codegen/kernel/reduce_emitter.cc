// tenon.reduce: with one accumulator, in scalar code or in each lane of the loop around
// it, or with several vectors of partial results.
#include "llvm/IR/Constants.h"
#include "tenon/compiler/codegen/kernel/identity_constant.h"
#include "tenon/compiler/codegen/kernel/kernel_emitter.h"
#include "tenon/dialects/stablehlo/combiner.h"
#include "tenon/dialects/tenon/element_types.h"

namespace tenon::codegen {

StatusOr<Values> KernelEmitter::Combine(mlir::Block& combiner,
                                        llvm::ArrayRef<llvm::Value*> x,
                                        llvm::ArrayRef<llvm::Value*> y) {
  mlir::TypeRange types = combiner.back().getOperandTypes();
  auto values = UnflattenParts(types, x);
  llvm::append_range(values, UnflattenParts(types, y));
  for (auto [argument, value] : llvm::zip_equal(combiner.getArguments(), values))
    points_->SetScalar(argument, value);
  TENON_RETURN_IF_ERROR(EmitBlock(combiner));
  llvm::SmallVector<ElementValue> results;
  for (mlir::Value operand : combiner.back().getOperands())
    results.push_back(points_->Broadcast(points_->Scalar(operand)));
  return FlattenParts(results);
}

StatusOr<Values> KernelEmitter::ReduceValues(ir::ReduceOp reduce,
                                             llvm::ArrayRef<IndexValue> indices) {
  mlir::Block& body = reduce.getBody().front();
  for (auto [argument, index] : llvm::zip_equal(body.getArguments(), indices))
    points_->SetIndex(argument, index);
  TENON_RETURN_IF_ERROR(EmitBlock(body));
  llvm::SmallVector<ElementValue> values;
  for (mlir::Value operand : body.back().getOperands())
    values.push_back(points_->Broadcast(points_->Scalar(operand)));
  return FlattenParts(values);
}

StatusOr<Values> KernelEmitter::ReducePoint(ir::ReduceOp reduce,
                                            llvm::ArrayRef<IndexValue> indices,
                                            llvm::ArrayRef<llvm::Value*> accumulators) {
  TENON_ASSIGN_OR_RETURN(Values values, ReduceValues(reduce, indices));
  return Combine(reduce.getCombiner().front(), accumulators, values);
}

StatusOr<Values> KernelEmitter::CombinePartial(ir::ReduceOp reduce,
                                               llvm::ArrayRef<llvm::Value*> x,
                                               llvm::ArrayRef<llvm::Value*> y) {
  mlir::Block& combiner = reduce.getCombiner().front();
  auto operand = reduce.getPositionOperand();
  if (!operand) return Combine(combiner, x, y);
  size_t part = 0;
  for (mlir::Value result : reduce.getResults().take_front(*operand))
    part += ElementParts(ir::ElementTypeOfShaped(result.getType()));
  ElementType type = ir::ElementTypeOfShaped(reduce.getResult(*operand).getType());
  auto before =
      compiler::IsSignedInteger(type) ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
  llvm::Value* swap = b_.CreateICmp(before, y[part], x[part]);
  Values first, second;
  for (auto [left, right] : llvm::zip_equal(x, y)) {
    first.push_back(b_.CreateSelect(swap, right, left));
    second.push_back(b_.CreateSelect(swap, left, right));
  }
  return Combine(combiner, first, second);
}

Status KernelEmitter::EmitReduce(ir::ReduceOp reduce) {
  if (points_->lanes().width > 1 || reduce.getSizes().empty())
    return EmitSequentialReduce(reduce);
  int width = ChooseWidth(reduce.getBody().front(), options_.target);
  while (width > 1 && reduce.getSizes().back() < width) width /= 2;
  if (width < 2) return EmitSequentialReduce(reduce);
  bool any_order = stablehlo::IsReorderable(reduce.getCombiner().front());
  if (any_order || reduce.getPositionOperand()) return EmitVectorReduce(reduce, width);
  // Shorter rows are left folds, as in XLA's CPU backend.
  constexpr int64_t kMinOrderedRow = 32;
  if (reduce.getSizes().back() < kMinOrderedRow) return EmitSequentialReduce(reduce);
  return EmitOrderedReduce(reduce, width);
}

namespace {

using LoopBody =
    llvm::function_ref<Values(llvm::ArrayRef<IndexValue>, llvm::ArrayRef<llvm::Value*>)>;

// Emits loops over all of `sizes`, the last dimension innermost.
Values LoopNest(llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes, Values carried,
                llvm::SmallVector<IndexValue>& indices, LoopBody body) {
  if (sizes.empty()) return body(indices, carried);
  return EmitForLoop(b, b.getInt64(0), b.getInt64(sizes.front()), 1, carried,
                     [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> values) {
                       bool zero = sizes.front() == 1;
                       indices.push_back({iv, 0, zero ? 0 : 1});
                       Values next =
                           LoopNest(b, sizes.drop_front(), Values(values), indices, body);
                       indices.pop_back();
                       return next;
                     });
}

// The same, fully unrolled.
Values Unrolled(llvm::IRBuilderBase& b, llvm::ArrayRef<int64_t> sizes, Values carried,
                llvm::SmallVector<IndexValue>& indices, LoopBody body) {
  if (sizes.empty()) return body(indices, carried);
  for (int64_t i = 0; i < sizes.front(); ++i) {
    indices.push_back({b.getInt64(i), 0, i});
    carried = Unrolled(b, sizes.drop_front(), carried, indices, body);
    indices.pop_back();
  }
  return carried;
}

// Whether to unroll the window of a pooling. LLVM does not unroll it, because its points
// are masked at the edge of the image.
bool UnrollsPoints(ir::ReduceOp reduce) {
  constexpr int64_t kPoints = 9;
  constexpr size_t kOps = 24;
  int64_t points = 1;
  for (int64_t size : reduce.getSizes()) points *= size;
  return points <= kPoints && CountOps(reduce.getBody().front()) <= kOps;
}

}  // namespace

Status KernelEmitter::EmitSequentialReduce(ir::ReduceOp reduce) {
  llvm::SmallVector<ElementValue> inits;
  for (mlir::Value init : reduce.getInits())
    inits.push_back(points_->Broadcast(points_->Scalar(init)));
  Status status;
  llvm::SmallVector<IndexValue> indices;
  auto nest = points_->lanes().width > 1 && UnrollsPoints(reduce) ? Unrolled : LoopNest;
  Values results = nest(
      b_, reduce.getSizes(), FlattenParts(inits), indices,
      [&](llvm::ArrayRef<IndexValue> point, llvm::ArrayRef<llvm::Value*> accumulators) {
        if (!status.ok()) return Values(accumulators);
        auto next = ReducePoint(reduce, point, accumulators);
        if (next.ok()) return *next;
        status = next.status();
        return Values(accumulators);
      });
  TENON_RETURN_IF_ERROR(status);
  for (auto [result, value] : llvm::zip_equal(
           reduce.getResults(), UnflattenParts(reduce.getResultTypes(), results)))
    points_->SetScalar(result, value);
  return OkStatus();
}

Status KernelEmitter::EmitVectorReduce(ir::ReduceOp reduce, int width) {
  llvm::ArrayRef<int64_t> sizes = reduce.getSizes();
  int64_t last = sizes.back();
  mlir::Block& combiner = reduce.getCombiner().front();

  // The initial value enters the result once. So the lanes start from the combiner's
  // identity if that is known, else from the first points. The initial value of a
  // selection may enter any number of times.
  llvm::SmallVector<ElementValue> inits, starts;
  bool known_identity = true;
  for (auto [position, init] : llvm::enumerate(reduce.getInits())) {
    ElementValue value = points_->Scalar(init);
    inits.push_back(value);
    auto identity = IdentityConstant(combiner, position, value.re->getType());
    known_identity &= identity.has_value();
    if (identity) value.re = *identity;
    starts.push_back(value);
  }
  if (!known_identity) starts = inits;
  bool from_points = !known_identity && !reduce.getPositionOperand();
  points_->set_lanes({width, nullptr});
  for (ElementValue& start : starts) start = points_->Broadcast(start);
  Values start_parts = FlattenParts(starts);
  size_t parts = start_parts.size();

  // Several independent accumulators hide the latency of the combiner.
  size_t ops = CountOps(reduce.getBody().front());
  int copies = last < 4 * width || ops > 64 ? 1 : ops > 24 ? 2 : 4;
  Values all;
  if (from_points) {
    for (int copy = 0; copy < copies; ++copy) {
      llvm::SmallVector<IndexValue> indices(sizes.size() - 1, {b_.getInt64(0), 0, 0});
      indices.push_back({b_.getInt64(int64_t{width} * copy), 1, width});
      TENON_ASSIGN_OR_RETURN(Values values, ReduceValues(reduce, indices));
      llvm::append_range(all, values);
    }
  } else {
    for (int copy = 0; copy < copies; ++copy) llvm::append_range(all, start_parts);
  }

  int64_t step = int64_t{width} * copies;
  int64_t main_end = last / step * step;
  int64_t vector_end = last / width * width;
  int64_t rest = last - vector_end;
  Status status;
  llvm::SmallVector<IndexValue> outer;
  auto point = [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators,
                   llvm::Value* mask) -> Values {
    if (!status.ok()) return Values(accumulators);
    points_->set_lanes({width, mask});
    llvm::SmallVector<IndexValue> indices(outer);
    indices.push_back({iv, 1, width});
    auto next = ReducePoint(reduce, indices, accumulators);
    if (!next.ok()) {
      status = next.status();
      return Values(accumulators);
    }
    if (mask) {
      for (auto [value, old] : llvm::zip_equal(*next, accumulators))
        value = b_.CreateSelect(mask, value, old);
    }
    return *next;
  };
  Values sums = LoopNest(
      b_, sizes.drop_back(), all, outer,
      [&](llvm::ArrayRef<IndexValue> at, llvm::ArrayRef<llvm::Value*> carried) {
        llvm::Value* begin = b_.getInt64(0);
        if (from_points) {
          llvm::Value* any = b_.getInt64(0);
          for (const IndexValue& index : at) any = b_.CreateOr(any, index.base);
          llvm::Value* is_first = b_.CreateICmpEQ(any, b_.getInt64(0));
          begin = b_.CreateSelect(is_first, b_.getInt64(step), begin);
        }
        auto round = [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
          Values next;
          for (int copy = 0; copy < copies; ++copy) {
            llvm::Value* index = b_.CreateAdd(iv, b_.getInt64(int64_t{width} * copy));
            llvm::append_range(
                next, point(index, accumulators.slice(copy * parts, parts), nullptr));
          }
          return next;
        };
        Values values =
            main_end == step && !from_points
                ? round(begin, carried)
                : EmitForLoop(b_, begin, b_.getInt64(main_end), step, carried, round);
        Values first(values.begin(), values.begin() + parts);
        first =
            EmitForLoop(b_, b_.getInt64(main_end), b_.getInt64(vector_end), width, first,
                        [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
                          return point(iv, accumulators, nullptr);
                        });
        if (rest > 0) {
          llvm::SmallVector<llvm::Constant*> lanes;
          for (int lane = 0; lane < width; ++lane)
            lanes.push_back(b_.getInt1(lane < rest));
          first = point(b_.getInt64(vector_end), first, llvm::ConstantVector::get(lanes));
        }
        std::copy(first.begin(), first.end(), values.begin());
        return values;
      });
  TENON_RETURN_IF_ERROR(status);

  // Combines the accumulators, then the lanes by halves.
  points_->set_lanes({width, nullptr});
  llvm::ArrayRef<llvm::Value*> sum_parts(sums);
  llvm::SmallVector<Values> partial;
  for (int copy = 0; copy < copies; ++copy)
    partial.emplace_back(sum_parts.slice(copy * parts, parts));
  while (partial.size() > 1) {
    llvm::SmallVector<Values> next;
    for (size_t i = 0; i + 1 < partial.size(); i += 2) {
      TENON_ASSIGN_OR_RETURN(Values both,
                             CombinePartial(reduce, partial[i], partial[i + 1]));
      next.push_back(std::move(both));
    }
    partial = std::move(next);
  }
  Values lanes = partial[0];
  for (int half = width / 2; half >= 1; half /= 2) {
    auto take = [&](int from) {
      Values taken;
      for (llvm::Value* value : lanes) {
        if (half == 1) {
          taken.push_back(b_.CreateExtractElement(value, uint64_t(from)));
          continue;
        }
        llvm::SmallVector<int> indices;
        for (int lane = 0; lane < half; ++lane) indices.push_back(from + lane);
        taken.push_back(b_.CreateShuffleVector(value, indices));
      }
      return taken;
    };
    points_->set_lanes({half, nullptr});
    Values low = take(0), high = take(half);
    TENON_ASSIGN_OR_RETURN(lanes, CombinePartial(reduce, low, high));
  }
  points_->set_lanes({});
  if (known_identity || from_points) {
    TENON_ASSIGN_OR_RETURN(lanes, Combine(combiner, FlattenParts(inits), lanes));
  }
  for (auto [result, value] : llvm::zip_equal(
           reduce.getResults(), UnflattenParts(reduce.getResultTypes(), lanes)))
    points_->SetScalar(result, value);
  return OkStatus();
}

Status KernelEmitter::EmitOrderedReduce(ir::ReduceOp reduce, int width) {
  // Each block of consecutive points is reduced by a tree of neighbours: the even lanes
  // of two registers are combined with the odd lanes, which keeps the order of the
  // points. The results of the blocks, and the points after the last block, are combined
  // into the accumulator one by one.
  constexpr size_t kMaxOps = 12;  // longer bodies use one register instead of four
  int64_t last = reduce.getSizes().back();
  mlir::Block& combiner = reduce.getCombiner().front();
  size_t ops = CountOps(reduce.getBody().front()) + CountOps(combiner);
  int registers = ops <= kMaxOps && last >= 4 * width ? 4 : 1;
  int64_t block = int64_t{width} * registers, main_end = last / block * block;

  // Takes every second lane of the concatenation of `low` and `high`, from lane `first`
  // on.
  auto every_second = [&](const Values& low, const Values& high, int lanes, int first) {
    llvm::SmallVector<int> mask;
    for (int lane = 0; lane < lanes; ++lane) mask.push_back(first + 2 * lane);
    Values taken;
    for (auto [x, y] : llvm::zip_equal(low, high))
      taken.push_back(lanes == 1 ? b_.CreateExtractElement(x, uint64_t(first))
                                 : b_.CreateShuffleVector(x, y, mask));
    return taken;
  };
  auto combine_block = [&](llvm::ArrayRef<IndexValue> outer, llvm::Value* iv,
                           llvm::ArrayRef<llvm::Value*> carried) -> StatusOr<Values> {
    points_->set_lanes({width, nullptr});
    std::vector<Values> partial;
    for (int number = 0; number < registers; ++number) {
      llvm::SmallVector<IndexValue> indices(outer);
      llvm::Value* first = b_.CreateAdd(iv, b_.getInt64(int64_t{width} * number));
      indices.push_back({first, 1, width});
      TENON_ASSIGN_OR_RETURN(Values values, ReduceValues(reduce, indices));
      partial.push_back(std::move(values));
    }
    for (; partial.size() > 1; partial.resize(partial.size() / 2)) {
      for (size_t i = 0; i < partial.size(); i += 2) {
        Values even = every_second(partial[i], partial[i + 1], width, 0);
        Values odd = every_second(partial[i], partial[i + 1], width, 1);
        TENON_ASSIGN_OR_RETURN(partial[i / 2], Combine(combiner, even, odd));
      }
    }
    Values lanes = std::move(partial[0]);
    for (int half = width / 2; half >= 1; half /= 2) {
      Values even = every_second(lanes, lanes, half, 0);
      Values odd = every_second(lanes, lanes, half, 1);
      points_->set_lanes({half, nullptr});
      TENON_ASSIGN_OR_RETURN(lanes, Combine(combiner, even, odd));
    }
    return Combine(combiner, carried, lanes);
  };

  llvm::SmallVector<ElementValue> inits;
  for (mlir::Value init : reduce.getInits()) inits.push_back(points_->Scalar(init));
  Status status;
  llvm::SmallVector<IndexValue> indices;
  auto keep_status = [&](StatusOr<Values> next, llvm::ArrayRef<llvm::Value*> carried) {
    points_->set_lanes({});
    if (next.ok()) return *next;
    if (status.ok()) status = next.status();
    return Values(carried);
  };
  Values results = LoopNest(
      b_, reduce.getSizes().drop_back(), FlattenParts(inits), indices,
      [&](llvm::ArrayRef<IndexValue> outer, llvm::ArrayRef<llvm::Value*> carried) {
        Values values = EmitForLoop(
            b_, b_.getInt64(0), b_.getInt64(main_end), block, carried,
            [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
              return keep_status(combine_block(outer, iv, accumulators), accumulators);
            });
        return EmitForLoop(
            b_, b_.getInt64(main_end), b_.getInt64(last), 1, values,
            [&](llvm::Value* iv, llvm::ArrayRef<llvm::Value*> accumulators) {
              llvm::SmallVector<IndexValue> point(outer);
              point.push_back({iv, 0, 1});
              return keep_status(ReducePoint(reduce, point, accumulators), accumulators);
            });
      });
  TENON_RETURN_IF_ERROR(status);
  for (auto [result, value] : llvm::zip_equal(
           reduce.getResults(), UnflattenParts(reduce.getResultTypes(), results)))
    points_->SetScalar(result, value);
  return OkStatus();
}

}  // namespace tenon::codegen
