#include "tenon/compiler/codegen/matrix/matrix_attention.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"
#include "tenon/compiler/codegen/matrix/operand_block.h"

namespace tenon::codegen {
namespace {

using compiler::LaneValues;
using Fold = MatrixAttention::Fold;
using Place = FragmentProduct::Place;

constexpr int kMaxKeys = 64, kMinKeys = 16;  // of a block
constexpr int kMaxSubgroups = 4;
constexpr size_t kRowsOfLane = 2;  // of a fragment of sums
constexpr double kInfinity = std::numeric_limits<double>::infinity();

uint64_t Wide(int64_t value) { return static_cast<uint64_t>(value); }

int Side(int64_t size) {
  return static_cast<int>(
      std::max<uint64_t>(llvm::PowerOf2Ceil(Wide(std::max<int64_t>(size, 1))), 16));
}

// Values of the rows that a lane has of a fragment, and of all fragments below each
// other.
using RowValues = std::array<llvm::Value*, kRowsOfLane>;

class AttentionEmitter {
 public:
  AttentionEmitter(llvm::IRBuilder<>& b, const MatrixAttention& attention,
                   const MatrixInstructions& instructions, const AttentionTile& tile,
                   const MatrixGroup& group)
      : b_(b),
        attention_(attention),
        instructions_(instructions),
        tile_(tile),
        group_(group) {}

  Status Emit() {
    SetPositions();
    AddBlocks();
    TENON_RETURN_IF_ERROR(LoadRows());
    TENON_RETURN_IF_ERROR(FillStage(Number(0), b_.getInt64(0)));
    IrValues carried = Flatten(InitialState());
    const int64_t steps = (attention_.keys + tile_.keys - 1) / tile_.keys;
    TENON_RETURN_IF_ERROR(EmitLoop(b_, b_.getInt64(0), b_.getInt64(Wide(steps)), 1,
                                   carried, [&](llvm::Value* step, IrValues& values) {
                                     State state = Unflatten(values);
                                     TENON_RETURN_IF_ERROR(EmitStep(step, state));
                                     values = Flatten(state);
                                     return OkStatus();
                                   }));
    // Copies beyond the last key may still be under way.
    if (copies_) instructions_.wait_copies(b_, 0);
    return Store(Unflatten(carried));
  }

 private:
  // What a lane carries from block to block.
  struct State {
    // Of each result: fragments, one after the other along the columns.
    llvm::SmallVector<IrValues, 2> results;
    // Of this lane's keys only, but for the maximum of a softmax.
    llvm::SmallVector<RowValues, 2> folds;
  };
  State InitialState() {
    State state;
    for (const auto& result : attention_.results)
      state.results.emplace_back(SumCount(Side(result.columns)), Float(0));
    for (Fold fold : folds()) {
      llvm::Value* value = Float(fold == Fold::kSum ? 0 : -kInfinity);
      state.folds.push_back({value, value});
    }
    return state;
  }
  static IrValues Flatten(const State& state) {
    IrValues values;
    for (const IrValues& result : state.results) values.append(result);
    for (const RowValues& fold : state.folds) values.append(fold.begin(), fold.end());
    return values;
  }
  State Unflatten(llvm::ArrayRef<llvm::Value*> values) {
    State state = InitialState();
    auto take = [&](auto& to) {
      std::copy_n(values.begin(), to.size(), to.begin());
      values = values.drop_front(to.size());
    };
    for (IrValues& result : state.results) take(result);
    for (RowValues& fold : state.folds) take(fold);
    return state;
  }
  llvm::SmallVector<Fold, 2> folds() const {
    if (attention_.softmax) return {Fold::kMaximum, Fold::kSum};
    return attention_.folds;
  }

  llvm::Value* Number(int64_t value) { return b_.getInt32(static_cast<uint32_t>(value)); }
  llvm::Value* Float(double value) {
    return llvm::ConstantFP::get(b_.getFloatTy(), value);
  }
  const FragmentProduct& product() const { return *tile_.product; }
  // The sums that a lane has of a fragment for each of so many columns.
  size_t SumCount(int columns) const {
    return static_cast<size_t>(columns / product().columns) * product().sums.size();
  }
  size_t RowOf(size_t sum) const {
    return product().sums[sum % product().sums.size()].side == 0 ? 0 : 1;
  }
  // The column of a sum, without that of the lane.
  int64_t ColumnOf(size_t sum) const {
    const size_t count = product().sums.size();
    return static_cast<int64_t>(sum / count) * product().columns +
           product().sums[sum % count].depth;
  }

  void SetPositions() {
    const int lanes = instructions_.lanes;
    lane_ = b_.CreateAnd(group_.item, Number(lanes - 1));
    llvm::Value* subgroup = b_.CreateUDiv(group_.item, Number(lanes));
    subgroup_row_ = b_.CreateMul(subgroup, Number(product().rows));
    first_row_ = b_.CreateMul(b_.CreateZExt(group_.tile_row, b_.getInt64Ty()),
                              b_.getInt64(Wide(tile_.rows())));
    llvm::Value* lane_row = b_.CreateAdd(
        subgroup_row_, b_.CreateUDiv(lane_, Number(FragmentProduct::kDepthLanes)));
    lane_row_ = b_.CreateAdd(first_row_, b_.CreateZExt(lane_row, b_.getInt64Ty()));
    lane_column_ = b_.CreateZExt(
        b_.CreateMul(b_.CreateAnd(lane_, Number(FragmentProduct::kDepthLanes - 1)),
                     Number(2)),
        b_.getInt64Ty());
    // See the header.
    if (attention_.softmax && attention_.operand != ElementType::kF16)
      factor_exponent_ = static_cast<int>(llvm::Log2_64_Ceil(Wide(attention_.keys)));
  }

  // A matrix of which a block for each step is in local memory.
  struct Streamed {
    std::unique_ptr<OperandBlock> block;
    bool along_side = false;  // whether keys are its sides; otherwise its depth
    int offset = 0;           // in a stage
    bool is_filled = true;    // and not read from what another one has filled
  };

  std::unique_ptr<OperandBlock> MakeBlock(const MatrixOperand& operand, int sides,
                                          int depth, int64_t size, int64_t total_depth) {
    copies_ |= !operand.load;
    auto block = std::make_unique<OperandBlock>(
        b_, operand, instructions_, attention_.operand, sides, depth, size, total_depth);
    block->SetItem(group_.item, lane_, tile_.subgroups * instructions_.lanes);
    return block;
  }

  void AddBlocks() {
    int offset = 0;
    for (const auto& one : attention_.products) {
      rows_.push_back(
          MakeBlock(one.lhs, tile_.rows(), Side(one.depth), attention_.rows, one.depth));
      right_.push_back(
          {MakeBlock(one.rhs, tile_.keys, Side(one.depth), attention_.keys, one.depth),
           true, offset});
      offset += right_.back().block->bytes();
    }
    for (const auto& result : attention_.results) {
      const bool is_shared = result.same_as >= 0;
      factors_.push_back(
          {MakeBlock(result.factor, Side(result.columns), tile_.keys, result.columns,
                     attention_.keys),
           false, is_shared ? right_[static_cast<size_t>(result.same_as)].offset : offset,
           !is_shared});
      if (!is_shared) offset += factors_.back().block->bytes();
    }
  }

  llvm::Value* InStage(llvm::Value* stage, int offset) {
    llvm::Value* start = b_.CreateInBoundsGEP(
        b_.getInt8Ty(), group_.local, b_.CreateMul(stage, Number(tile_.stage_bytes)));
    return b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), start,
                                         static_cast<unsigned>(offset));
  }
  Status FillStage(llvm::Value* stage, llvm::Value* step) {
    llvm::Value* key = b_.CreateMul(step, b_.getInt64(Wide(tile_.keys)));
    llvm::Value* zero = b_.getInt64(0);
    llvm::Value* exists = b_.CreateICmpULT(key, b_.getInt64(Wide(attention_.keys)));
    TENON_RETURN_IF_ERROR(EmitIfElse(b_, exists, [&] {
      for (auto* all : {&right_, &factors_})
        for (Streamed& one : *all)
          if (one.is_filled)
            TENON_RETURN_IF_ERROR(one.block->Fill(InStage(stage, one.offset),
                                                  one.along_side ? key : zero,
                                                  one.along_side ? zero : key));
      return OkStatus();
    }));
    if (copies_) instructions_.commit_copies(b_);
    return OkStatus();
  }

  // The rows of the group stay in registers. Their way there is through the memory of the
  // stages, one matrix after the other.
  Status LoadRows() {
    for (auto& block : rows_) {
      TENON_RETURN_IF_ERROR(block->Fill(group_.local, first_row_, b_.getInt64(0)));
      if (copies_) {
        instructions_.commit_copies(b_);
        instructions_.wait_copies(b_, 0);
      }
      group_.barrier(b_);
      const int64_t depth = attention_.products[row_registers_.size()].depth;
      auto& registers = row_registers_.emplace_back();
      for (int k = 0; k < Side(depth); k += product().depth)
        registers.push_back(
            block->Load(group_.local, subgroup_row_, k, product().lhs, product()));
      group_.barrier(b_);
    }
    return OkStatus();
  }

  // sums += lhs, which `of_sums` are fragments of sums, times a block of `columns`
  // columns and lhs.size() fragments of depth. Two fragments of rhs are loaded at once;
  // their number is even.
  void Multiply(OperandBlock& block, bool of_sums, llvm::Value* local, int columns,
                llvm::ArrayRef<LaneValues> lhs,
                llvm::MutableArrayRef<llvm::Value*> sums) {
    llvm::SmallVector<Place> places;
    for (int i = 0; i < 2; ++i)
      for (const Place& place : product().rhs)
        places.push_back({place.side + i * product().columns, place.depth});
    const size_t count = product().sums.size(), registers = product().rhs.size();
    for (auto [k, fragment] : llvm::enumerate(lhs)) {
      const int depth = static_cast<int>(k) * product().depth;
      for (int column = 0; column < columns; column += 2 * product().columns) {
        const LaneValues rhs =
            block.Load(local, Number(column), depth, places, product(), of_sums);
        for (size_t i = 0; i < 2; ++i)
          product().multiply(
              b_,
              sums.slice((static_cast<size_t>(column / product().columns) + i) * count,
                         count),
              fragment, llvm::ArrayRef(rhs).slice(i * registers, registers));
      }
    }
  }

  Status EmitStep(llvm::Value* step, State& state) {
    llvm::Value* stage = b_.CreateAnd(b_.CreateTrunc(step, b_.getInt32Ty()), Number(1));
    if (copies_) instructions_.wait_copies(b_, 0);
    // This step's block is complete, and all have finished with the block of the step
    // before, which is filled next.
    group_.barrier(b_);
    TENON_RETURN_IF_ERROR(
        FillStage(b_.CreateXor(stage, Number(1)), b_.CreateAdd(step, b_.getInt64(1))));
    llvm::SmallVector<IrValues, 2> products;
    for (auto [right, rows] : llvm::zip_equal(right_, row_registers_)) {
      products.emplace_back(SumCount(tile_.keys), Float(0));
      Multiply(*right.block, false, InStage(stage, right.offset), tile_.keys, rows,
               products.back());
    }
    TENON_ASSIGN_OR_RETURN(
        auto elements,
        Elements(b_.CreateMul(step, b_.getInt64(Wide(tile_.keys))), products));
    if (attention_.softmax)
      AddMaxima(elements[0], state);
    else
      AddFolds(elements, state);
    llvm::SmallVector<llvm::SmallVector<LaneValues>, 2> lhs(elements.size());
    for (size_t r = 0; r < attention_.results.size(); ++r) {
      const auto& result = attention_.results[r];
      auto& rounded = lhs[result.element];
      if (rounded.empty()) rounded = AsLhs(elements[result.element]);
      Multiply(*factors_[r].block, true, InStage(stage, factors_[r].offset),
               Side(result.columns), rounded, state.results[r]);
    }
    return OkStatus();
  }

  llvm::Value* AtMost(llvm::Value* index, int64_t limit) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index,
                                    b_.getInt64(Wide(limit)));
  }

  // What an element is beyond the last key, so that it changes nothing.
  double Neutral(size_t element) const {
    if (attention_.softmax) return -kInfinity;
    const size_t folded = attention_.element_count() - attention_.folds.size();
    return element >= folded && attention_.folds[element - folded] == Fold::kMaximum
               ? -kInfinity
               : 0;
  }

  // The elements of a block, each as fragments like those of the products.
  StatusOr<llvm::SmallVector<IrValues, 2>> Elements(llvm::Value* first_key,
                                                    llvm::ArrayRef<IrValues> products) {
    const bool whole_rows = attention_.rows % tile_.rows() == 0;
    const bool whole_keys = attention_.keys % tile_.keys == 0;
    const size_t count = attention_.element_count(), sums = SumCount(tile_.keys);
    llvm::SmallVector<IrValues, 2> elements(count, IrValues(sums));
    for (size_t i = 0; i < sums; ++i) {
      llvm::Value* row = RowAt(RowOf(i));
      llvm::Value* key = b_.CreateAdd(b_.CreateAdd(first_key, lane_column_),
                                      b_.getInt64(Wide(ColumnOf(i))));
      llvm::Value* key_in_range = key;
      if (!whole_rows) row = AtMost(row, attention_.rows - 1);
      if (!whole_keys) key_in_range = AtMost(key, attention_.keys - 1);
      IrValues at;
      for (const IrValues& one : products) at.push_back(one[i]);
      TENON_ASSIGN_OR_RETURN(const IrValues values,
                             attention_.elements(row, key_in_range, at));
      for (size_t e = 0; e < count; ++e) {
        elements[e][i] = values[e];
        if (!whole_keys)
          elements[e][i] = b_.CreateSelect(b_.CreateICmpEQ(key, key_in_range), values[e],
                                           Float(Neutral(e)));
      }
    }
    return elements;
  }

  llvm::Value* RowAt(size_t r) {
    return b_.CreateAdd(lane_row_, b_.getInt64(r == 0 ? 0 : Wide(product().rows / 2)));
  }
  llvm::Value* Max(llvm::Value* x, llvm::Value* y) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, y);
  }
  llvm::Value* Combine(Fold fold, llvm::Value* x, llvm::Value* y) {
    return fold == Fold::kSum ? b_.CreateFAdd(x, y) : Max(x, y);
  }
  // The other lanes with this row are those that differ in the column.
  llvm::Value* AcrossRow(Fold fold, llvm::Value* value) {
    for (int distance = 1; distance < FragmentProduct::kDepthLanes; distance *= 2)
      value = Combine(fold, value, instructions_.exchange(b_, value, distance));
    return value;
  }
  llvm::Value* MultiplyAdd(llvm::Value* x, llvm::Value* y, llvm::Value* z) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  }
  llvm::Value* IsLowest(llvm::Value* value) {
    return b_.CreateFCmpOEQ(value, Float(-kInfinity));
  }

  void AddFolds(llvm::ArrayRef<IrValues> elements, State& state) {
    elements = elements.take_back(attention_.folds.size());
    for (auto [fold, values, terms] :
         llvm::zip_equal(attention_.folds, state.folds, elements))
      for (size_t i = 0; i < terms.size(); ++i) {
        llvm::Value*& value = values[RowOf(i)];
        value = Combine(fold, value, terms[i]);
      }
  }

  // Replaces scores by their exponentials. Updates the maxima, and scales what was summed
  // with the earlier ones.
  void AddMaxima(IrValues& scores, State& state) {
    llvm::Value* log2e = Float(std::numbers::log2e);
    for (size_t r = 0; r < kRowsOfLane; ++r) {
      llvm::Value *&maximum = state.folds[0][r], *&sum = state.folds[1][r];
      llvm::Value* of_block = nullptr;
      for (size_t i = 0; i < scores.size(); ++i)
        if (RowOf(i) == r) of_block = of_block ? Max(of_block, scores[i]) : scores[i];
      llvm::Value* next = Max(maximum, AcrossRow(Fold::kMaximum, of_block));
      llvm::Value* used = b_.CreateSelect(IsLowest(next), Float(0), next);
      llvm::Value* scale =
          instructions_.exp2(b_, b_.CreateFMul(b_.CreateFSub(maximum, used), log2e));
      sum = b_.CreateFMul(sum, scale);
      for (size_t i = 0; i < scores.size(); ++i) {
        if (RowOf(i) != r) continue;
        scores[i] = instructions_.exp2(b_, MultiplyAdd(b_.CreateFSub(scores[i], used),
                                                       log2e, Float(-factor_exponent_)));
        sum = b_.CreateFAdd(sum, scores[i]);
      }
      for (IrValues& result : state.results)
        for (size_t i = 0; i < result.size(); ++i)
          if (RowOf(i) == r) result[i] = b_.CreateFMul(result[i], scale);
      maximum = next;
    }
  }

  // Fragments of sums, rounded, as fragments of lhs (see ChainedProduct).
  llvm::SmallVector<LaneValues> AsLhs(llvm::ArrayRef<llvm::Value*> sums) {
    const size_t count = product().sums.size();
    llvm::SmallVector<LaneValues> fragments;
    for (int depth = 0; depth < tile_.keys; depth += product().depth) {
      LaneValues registers;
      for (const Place& place : product().lhs) {
        const auto fragment =
            static_cast<size_t>((depth + place.depth) / product().columns);
        size_t first = 0;
        while (product().sums[first].side != place.side) ++first;
        first += fragment * count;
        registers.push_back(product().packed == 2
                                ? Narrowed(sums.slice(first, 2))
                                : Rounded(sums[first + (place.depth > 0 ? 1 : 0)]));
      }
      fragments.push_back(registers);
    }
    return fragments;
  }
  llvm::Value* Narrowed(llvm::ArrayRef<llvm::Value*> two) {
    llvm::Type* narrow =
        attention_.operand == ElementType::kBF16 ? b_.getBFloatTy() : b_.getHalfTy();
    llvm::Value* pair =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(b_.getFloatTy(), 2));
    for (auto [i, value] : llvm::enumerate(two))
      pair = b_.CreateInsertElement(pair, value, i);
    pair = b_.CreateFPTrunc(pair, llvm::FixedVectorType::get(narrow, 2));
    return b_.CreateBitCast(pair, b_.getInt32Ty());
  }
  llvm::Value* Rounded(llvm::Value* value) {
    value = b_.CreateBitCast(value, b_.getInt32Ty());
    return product().round ? product().round(b_, value) : value;
  }

  Status Store(const State& state) {
    const bool whole_rows = attention_.rows % tile_.rows() == 0;
    for (size_t r = 0; r < kRowsOfLane; ++r) {
      llvm::Value* row = RowAt(r);
      IrValues values;
      for (auto [number, fold] : llvm::enumerate(folds()))
        values.push_back(attention_.softmax && fold == Fold::kMaximum
                             ? state.folds[number][r]
                             : AcrossRow(fold, state.folds[number][r]));
      llvm::Value* exists =
          whole_rows ? b_.getTrue()
                     : b_.CreateICmpSLT(row, b_.getInt64(Wide(attention_.rows)));
      TENON_RETURN_IF_ERROR(EmitIfElse(b_, exists, [&] {
        llvm::Value* factor = nullptr;
        if (attention_.softmax) {
          factor = b_.CreateFDiv(Float(1), values[1]);
          llvm::Value* sum = b_.CreateFMul(values[1], Float(std::exp2(factor_exponent_)));
          llvm::Value* nan = Float(std::numeric_limits<double>::quiet_NaN());
          values[1] = b_.CreateSelect(IsLowest(values[0]), nan, sum);
        }
        TENON_RETURN_IF_ERROR(StoreRow(row, values));
        for (auto [result, sums] : llvm::zip_equal(attention_.results, state.results))
          TENON_RETURN_IF_ERROR(StoreResult(result, r, row, sums, factor));
        return OkStatus();
      }));
    }
    return OkStatus();
  }

  Status StoreRow(llvm::Value* row, llvm::ArrayRef<llvm::Value*> values) {
    if (!attention_.store_row) return OkStatus();
    return EmitIfElse(b_, b_.CreateICmpEQ(lane_column_, b_.getInt64(0)),
                      [&] { return attention_.store_row(row, values); });
  }

  // `factor` may be null.
  Status StoreResult(const MatrixAttention::Result& result, size_t r, llvm::Value* row,
                     llvm::ArrayRef<llvm::Value*> sums, llvm::Value* factor) {
    const bool whole = result.columns % Side(result.columns) == 0;
    for (size_t i = 0; i < sums.size(); i += 2) {
      if (RowOf(i) != r) continue;
      llvm::Value* column = b_.CreateAdd(lane_column_, b_.getInt64(Wide(ColumnOf(i))));
      llvm::Value* pair[] = {sums[i], sums[i + 1]};
      if (factor)
        for (llvm::Value*& value : pair) value = b_.CreateFMul(value, factor);
      // Columns are even.
      llvm::Value* exists =
          whole ? b_.getTrue()
                : b_.CreateICmpSLT(column, b_.getInt64(Wide(result.columns)));
      TENON_RETURN_IF_ERROR(
          EmitIfElse(b_, exists, [&] { return result.store(row, column, pair); }));
    }
    return OkStatus();
  }

  llvm::IRBuilder<>& b_;
  const MatrixAttention& attention_;
  const MatrixInstructions& instructions_;
  const AttentionTile& tile_;
  const MatrixGroup& group_;
  bool copies_ = false;  // whether a matrix is copied asynchronously
  llvm::SmallVector<std::unique_ptr<OperandBlock>, 2> rows_;
  llvm::SmallVector<Streamed, 2> right_, factors_;
  llvm::SmallVector<llvm::SmallVector<LaneValues>, 2> row_registers_;
  llvm::Value* first_row_ = nullptr;                          // i64
  llvm::Value *lane_row_ = nullptr, *lane_column_ = nullptr;  // i64
  llvm::Value *lane_ = nullptr, *subgroup_row_ = nullptr;     // i32
  int factor_exponent_ = 0;
};

}  // namespace

std::optional<AttentionTile> ChooseAttentionTile(const MatrixAttention& attention,
                                                 const MatrixInstructions& instructions,
                                                 const TileLimits& limits) {
  AttentionTile tile;
  tile.product = compiler::ChainedProduct(instructions, attention.operand);
  if (!tile.product || !instructions.exchange || !instructions.exp2) return std::nullopt;
  tile.subgroups = kMaxSubgroups;
  while (tile.subgroups > 1 && (tile.subgroups * instructions.lanes > limits.max_items ||
                                tile.rows() / 2 >= attention.rows))
    tile.subgroups /= 2;
  int64_t depth = 0, streamed = 0;
  for (const auto& product : attention.products) {
    depth = std::max<int64_t>(depth, Side(product.depth));
    streamed += Side(product.depth);
  }
  for (const auto& result : attention.results)
    if (result.same_as < 0) streamed += Side(result.columns);
  const int64_t bytes = ElementBytes(attention.operand);
  auto set_keys = [&](int keys) {
    tile.keys = keys;
    tile.stage_bytes = bytes * keys * streamed;
    // The rows of the group are in the memory of the stages, before these.
    tile.local_bytes =
        std::max(AttentionTile::kStages * tile.stage_bytes, bytes * tile.rows() * depth);
  };
  // A lane has the products of a block in registers.
  set_keys(kMaxKeys / static_cast<int>(llvm::PowerOf2Ceil(attention.products.size())));
  while (tile.keys > kMinKeys &&
         (tile.local_bytes > limits.local_bytes || tile.keys / 2 >= attention.keys))
    set_keys(tile.keys / 2);
  if (tile.local_bytes > limits.local_bytes) return std::nullopt;
  return tile;
}

Status EmitMatrixAttention(llvm::IRBuilder<>& b, const MatrixAttention& attention,
                           const MatrixInstructions& instructions,
                           const AttentionTile& tile, const MatrixGroup& group) {
  return AttentionEmitter(b, attention, instructions, tile, group).Emit();
}

}  // namespace tenon::codegen
