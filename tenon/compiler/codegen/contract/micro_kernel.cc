// The micro-kernel: accumulates one register tile over all k dimensions.
#include "llvm/IR/Intrinsics.h"
#include "tenon/compiler/codegen/contract/contraction_emitter.h"

namespace tenon::codegen {
namespace {

constexpr int64_t kLine = 64;  // bytes of a cache line

}  // namespace

void ContractionEmitter::EmitPrefetch(llvm::Value* pointer, int locality) {
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                     {pointer, /*read*/ b_.getInt32(0), b_.getInt32(locality),
                      /*data*/ b_.getInt32(1)});
}

Status ContractionEmitter::EmitMicroKernel(const TileShape& shape, llvm::Value* a,
                                           llvm::Value* b_columns, llvm::Value* q0,
                                           llvm::Value* q1, IrValues& accumulators) {
  // Further accumulator sets start at zero and are added at the end.
  size_t set_size = accumulators.size();
  for (int set = 1; set < plan_.unroll; ++set)
    for (size_t i = 0; i < set_size; ++i)
      accumulators.push_back(llvm::Constant::getNullValue(accumulators[i]->getType()));
  // The term that the offset of a's elements adds to every row of a column.
  size_t corrections = accumulators.size();
  if (plan_.k_group_product.unsigned_x)
    for (int v = 0; v < shape.vectors; ++v)
      accumulators.push_back(llvm::Constant::getNullValue(accumulators[0]->getType()));
  TENON_RETURN_IF_ERROR(EmitKRange(shape, 0, a, b_columns, q0, q1, accumulators));
  if (plan_.k_group_product.unsigned_x)
    for (size_t i = 0; i < set_size; ++i)
      accumulators[i] =
          b_.CreateSub(accumulators[i], accumulators[corrections + i % shape.vectors]);
  int parts = NumParts(problem_.accumulate);
  for (int set = 1; set < plan_.unroll; ++set) {
    for (size_t i = 0; i < set_size / parts; ++i) {
      ElementValue sum = AddElements(
          b_, Accumulator(accumulators, i),
          Accumulator(llvm::ArrayRef(accumulators).drop_front(set * set_size), i));
      accumulators[i * parts] = sum.re;
      if (sum.im) accumulators[i * parts + 1] = sum.im;
    }
  }
  accumulators.truncate(set_size);
  return OkStatus();
}

Status ContractionEmitter::EmitKLoop(const TileShape& shape, size_t level, llvm::Value* a,
                                     llvm::Value* b_columns, llvm::Value* lower,
                                     llvm::Value* upper, IrValues& accumulators) {
  const KDim& dim = problem_.k_dims[level];
  int64_t a_bytes = dim.a * ElementBytes(problem_.a_type);
  int64_t b_bytes = dim.b * ElementBytes(problem_.b_type);
  // The taps of a phase are `tap_step` apart.
  int64_t tap_step = 1;
  if (dim.polyphase >= 0) {
    const Polyphase& phases = problem_.polyphases[dim.polyphase];
    tap_step = phases.tap_step;
    int64_t lhs = tap_step * phases.step / phases.dilation * phases.lhs;
    (problem_.a_is_lhs ? a_bytes : b_bytes) =
        lhs * ElementBytes(problem_.a_is_lhs ? problem_.a_type : problem_.b_type);
    (problem_.a_is_lhs ? b_bytes : a_bytes) *= tap_step;
  }
  // The next row tile of a follows this one in memory and has the same size. Each k index
  // prefetches a piece of it.
  int64_t piece_bytes = plan_.prefetch_a ? plan_.rows * a_bytes : 0;
  size_t sums = accumulators.size();
  accumulators.push_back(a);
  accumulators.push_back(b_columns);
  if (piece_bytes)
    accumulators.push_back(
        OffsetPointer(b_, a, shape.rows * problem_.row.a, ElementBytes(problem_.a_type)));
  auto loop = [&](llvm::Value* from, llvm::Value* to, int64_t step) {
    return EmitLoop(
        b_, from, to, step, accumulators, [&](llvm::Value*, IrValues& carried) {
          llvm::Value* ahead = piece_bytes ? carried.pop_back_val() : nullptr;
          llvm::Value* b_here = carried.pop_back_val();
          llvm::Value* a_here = carried.pop_back_val();
          for (int64_t offset = 0; offset < step * piece_bytes; offset += kLine)
            EmitPrefetch(OffsetPointer(b_, ahead, offset, 1));
          if (level + 1 < problem_.k_dims.size()) {
            TENON_RETURN_IF_ERROR(EmitKRange(shape, level + 1, a_here, b_here, I64(0),
                                             I64(problem_.k_dims[level + 1].size),
                                             carried));
          } else {
            for (int u = 0; u < step / tap_step; ++u)
              TENON_RETURN_IF_ERROR(
                  EmitStep(shape, OffsetPointer(b_, a_here, u * a_bytes, 1),
                           OffsetPointer(b_, b_here, u * b_bytes, 1), u, carried));
          }
          carried.push_back(OffsetPointer(b_, a_here, step / tap_step * a_bytes, 1));
          carried.push_back(OffsetPointer(b_, b_here, step / tap_step * b_bytes, 1));
          if (ahead) carried.push_back(OffsetPointer(b_, ahead, step * piece_bytes, 1));
          return OkStatus();
        });
  };
  if (level + 1 == problem_.k_dims.size() && plan_.unroll > 1 && dim.polyphase < 0) {
    llvm::Value* count = b_.CreateSub(upper, lower);
    llvm::Value* rest = b_.CreateAnd(count, I64(plan_.unroll - 1));
    llvm::Value* middle = b_.CreateSub(upper, rest);
    TENON_RETURN_IF_ERROR(loop(lower, middle, plan_.unroll));
    TENON_RETURN_IF_ERROR(loop(middle, upper, 1));
  } else {
    TENON_RETURN_IF_ERROR(loop(lower, upper, tap_step));
  }
  accumulators.truncate(sums);
  return OkStatus();
}

// One k index if both operands are vectors in groups: each vector of a is loaded once,
// and each element of a group is broadcast to the lanes of the group.
Status ContractionEmitter::EmitGroupStep(const TileShape& shape, llvm::Value* a,
                                         llvm::Value* b_columns, int set,
                                         IrValues& values) {
  const compiler::ElementwiseOptions& options = plan_.target.elementwise;
  int lanes = plan_.lanes, group = problem_.group;
  int64_t b_bytes = ElementBytes(problem_.b_type);
  int64_t a_bytes = ElementBytes(problem_.a_type);
  auto load = [&](ElementType type, llvm::Value* pointer, int v) {
    llvm::Value* mask = v == shape.vectors - 1 ? shape.last_mask : nullptr;
    return ConvertElements(b_, LoadElements(b_, type, pointer, lanes, 1, mask),
                           plan_.operand_type, options);
  };
  llvm::SmallVector<ElementValue, 16> factors;
  for (int row = 0; row < shape.rows; ++row) {
    llvm::Value* pointer = OffsetPointer(b_, a, row * problem_.row.a, a_bytes);
    for (int v = 0; v < shape.vectors; ++v) {
      if (shape.IsPadding(row)) {
        factors.push_back(ZeroElements(b_, plan_.operand_type, lanes));
        continue;
      }
      TENON_ASSIGN_OR_RETURN(
          ElementValue factor,
          load(problem_.a_type, OffsetPointer(b_, pointer, v * lanes, a_bytes), v));
      factors.push_back(factor);
    }
  }
  int64_t first = int64_t{set} * shape.rows * shape.vectors;
  bool zeros = HasZeroProducts(problem_.accumulate);
  for (int j = 0; j < group; ++j) {
    llvm::SmallVector<int> broadcast;
    for (int l = 0; l < lanes; ++l) broadcast.push_back(l / group * group + j);
    llvm::Value* pointer = OffsetPointer(b_, b_columns, j * problem_.group_b, b_bytes);
    for (int v = 0; v < shape.vectors; ++v) {
      TENON_ASSIGN_OR_RETURN(
          ElementValue column,
          load(problem_.b_type, OffsetPointer(b_, pointer, v * lanes, b_bytes), v));
      for (int row = 0; row < shape.rows; ++row) {
        if (shape.IsPadding(row) && !zeros) continue;
        int index = row * shape.vectors + v;
        ElementValue factor = factors[index];
        factor.re = b_.CreateShuffleVector(factor.re, broadcast);
        ElementValue sum = Accumulator(values, first + index);
        values[first + index] = MultiplyAdd(b_, sum, factor, column, plan_.target.fma).re;
      }
    }
  }
  return OkStatus();
}

Status ContractionEmitter::EmitStep(const TileShape& shape, llvm::Value* a,
                                    llvm::Value* b_columns, int set, IrValues& values) {
  if (problem_.group > 1) return EmitGroupStep(shape, a, b_columns, set, values);
  ElementType type = plan_.operand_type;
  const compiler::ElementwiseOptions& options = plan_.target.elementwise;
  int lanes = plan_.lanes;
  int64_t b_bytes = ElementBytes(problem_.b_type);
  int64_t a_bytes = ElementBytes(problem_.a_type);
  bool a_vectors = problem_.lane.a != 0;
  auto mask = [&](int v) { return v == shape.vectors - 1 ? shape.last_mask : nullptr; };

  llvm::SmallVector<ElementValue, 8> columns;
  for (int v = 0; v < shape.vectors; ++v) {
    if (plan_.b_storage == OperandStorage::kMicroPanels) {
      columns.push_back(
          LoadPlanar(b_, type, OffsetPointer(b_, b_columns, v * lanes, PartBytes(type)),
                     lanes, TileWidth() * PartBytes(type)));
      continue;
    }
    int64_t stride = problem_.lane.b;
    ElementValue loaded = LoadElements(
        b_, problem_.b_type, OffsetPointer(b_, b_columns, v * lanes * stride, b_bytes),
        lanes, stride, mask(v));
    TENON_ASSIGN_OR_RETURN(loaded, ConvertElements(b_, loaded, type, options));
    columns.push_back(loaded);
  }
  if (plan_.streaming) {
    llvm::Value* ahead = OffsetPointer(b_, b_columns, stream_ahead_, 1);
    for (int64_t offset = 0; offset < TileWidth() * b_bytes; offset += kLine)
      EmitPrefetch(OffsetPointer(b_, ahead, offset, 1));
  }
  if (plan_.k_group_product.unsigned_x) {
    llvm::Value* offset =
        OffsetKGroups(true, Splat(b_, {type, b_.getInt32(0)}, lanes)).re;
    size_t first_correction = values.size() - shape.vectors;
    for (int v = 0; v < shape.vectors; ++v)
      values[first_correction + v] = plan_.k_group_product.emit(
          b_, values[first_correction + v], offset, columns[v].re);
  }
  int64_t first = int64_t{set} * shape.rows * shape.vectors;
  bool zeros = HasZeroProducts(problem_.accumulate);
  for (int row = 0; row < shape.rows; ++row) {
    bool padding = shape.IsPadding(row);
    if (padding && !zeros) continue;
    llvm::Value* pointer = OffsetPointer(b_, a, row * problem_.row.a, a_bytes);
    ElementValue factor;
    if (padding) {
      factor = ZeroElements(b_, type, lanes);
    } else if (!a_vectors) {
      factor = LoadElements(b_, problem_.a_type, pointer, 1, 1);
      TENON_ASSIGN_OR_RETURN(factor, ConvertElements(b_, factor, type, options));
      if (plan_.a_storage == OperandStorage::kDirect)
        factor = OffsetKGroups(true, factor);
      factor = Splat(b_, factor, lanes);
    }
    for (int v = 0; v < shape.vectors; ++v) {
      if (a_vectors && !padding) {
        factor = LoadElements(b_, problem_.a_type,
                              OffsetPointer(b_, pointer, v * lanes, a_bytes), lanes, 1,
                              mask(v));
        TENON_ASSIGN_OR_RETURN(factor, ConvertElements(b_, factor, type, options));
      }
      int64_t index = first + int64_t{row} * shape.vectors + v;
      ElementValue sum = Accumulator(values, index);
      if (plan_.k_group_product.emit)
        sum.re = plan_.k_group_product.emit(b_, sum.re, factor.re, columns[v].re);
      else
        sum = MultiplyAdd(b_, sum, factor, columns[v], plan_.target.fma);
      int parts = NumParts(type);
      values[index * parts] = sum.re;
      if (sum.im) values[index * parts + 1] = sum.im;
    }
  }
  return OkStatus();
}

}  // namespace tenon::codegen
